"""Records of games, exported and imported through the service."""

from __future__ import annotations

import random
import string
from io import StringIO
from itertools import permutations

import pytest

from bot.play.service import Service
from bot.profile.service import Profiles
from bot.store.game_lists import ArchivedGame, add_archived
from bot.texts.records import record_line, record_text
from rules import RecordError, parse_record
from rules.collection import parse_records
from tests.bot.playing import ADA, BO, GUILD, NOW
from tests.bot.serving import CAMELOT, challenged, join, won
from tests.rules.collection import CHAMPIONSHIP


async def test_what_is_exported_is_replayed_and_what_is_imported_is_not_rated(service: Service) -> None:
    await join(service, ADA, BO)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW)
    game = await service.archive.export_game(match.id, GUILD)
    text = record_text(game, {ADA: "Ada"})
    record = parse_record(text)
    assert record.headers["players"] == f"White Ada, Black {BO}"
    assert record.headers["clock"] == "standard, 72 h and 24 h a move, at most 120 h"
    assert record.headers["result"] == "White won"
    titled = game._replace(match=game.match.with_fields(title="``` \u202eFinal"))
    assert parse_record(record_text(titled)).headers["title"] == "''' Final"
    assert record.replay().moves == parse_records(record_line(game))[0].replay().moves == match.started_game.moves
    brought = await service.archive.import_records(StringIO(CHAMPIONSHIP + text), NOW, GUILD)
    assert (brought.new, brought.known) == (2, 0)
    assert await service.archive.import_records(StringIO(CHAMPIONSHIP), NOW, GUILD) == (0, 1)
    known = await service.archive.archived_games(GUILD)
    assert [(one.variant, one.moves) for one in known] == [("camelot", 12), ("camelot", 23)]
    assert parse_record((await service.archive.archived_game(GUILD, known[1].id)).record).replay()
    assert await service.archive.archived_games(GUILD + 1) == []
    assert len((await service.part(Profiles).leaderboard_page(*CAMELOT, 0, NOW)).rows) == 2


async def test_a_game_is_known_in_whichever_form_it_is_imported_again(service: Service) -> None:
    await join(service, ADA, BO)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW)
    exported = await service.archive.export_game(match.id, GUILD)
    text, line = record_text(exported), record_line(exported)
    variant, number, *lines = text.splitlines()
    otherwise = "  \r\n".join([number, variant, "", *lines]) + "   "
    for guild, forms in ((None, (text, line, otherwise)), (GUILD, (line, text)), (GUILD + 1, (otherwise, text))):
        counts = [await service.archive.import_records(StringIO(form), NOW, guild) for form in forms]
        assert [count.known for count in counts] == [0] + [1] * (len(forms) - 1)


async def test_a_game_that_an_earlier_version_stored_as_written_is_known(service: Service) -> None:
    written = "# variant: camette\n1.   C2-B2\n"
    async with service.store.write_transaction() as tx:
        await add_archived(tx, ArchivedGame(0, "camette", "", "", 1, written), None, NOW)
    assert await service.archive.import_records(StringIO(written), NOW) == (0, 1)


async def test_a_game_is_known_whatever_is_said_about_it(service: Service) -> None:
    bare = "# variant: camette\n# players: Ada, Bo\n1. C2-B2 C5-C4\n"
    forms = (
        bare,
        "# variant: camette\n# players: Ada, Bo\n{before} 1. C2-B2 {Ada: \\{1\\} # 1}\n{Bo: 2} C5-C4 {3}\n",
        bare.replace("1.", "# a remark\n1.") + "# variation after 1: 1... B5-B4\n",
    )
    for guild, order in enumerate(permutations(forms)):
        counts = [await service.archive.import_records(StringIO(form), NOW, GUILD + guild) for form in order]
        assert [count.new for count in counts] == [1, 0, 0]
    both = StringIO("".join(forms))
    assert await service.archive.import_records(both, NOW) == (1, 2)
    assert await service.archive.import_records(StringIO(bare.replace("Bo", "Cy")), NOW) == (1, 0)
    assert await service.archive.import_records(StringIO(bare.replace("C5-C4", "")), NOW) == (1, 0)


async def test_an_import_with_a_mistake_at_its_end_stores_nothing(service: Service) -> None:
    with pytest.raises(RecordError):
        await service.archive.import_records(StringIO(CHAMPIONSHIP + "# variant: camelot\n1. D6-D9\n"), NOW)
    assert await service.archive.archived_games(GUILD) == []


async def test_a_record_longer_than_an_index_may_hold_is_imported_once(service: Service) -> None:
    words = "".join(random.Random(1).choices(string.ascii_letters, k=3500))
    record = f"# variant: camette\n# remark: {words}\n# note: {words[::-1]}\n# more: {words[1:]}\n1. C2-B2\n"
    assert await service.archive.import_records(StringIO(record), NOW) == (1, 0)
    assert await service.archive.import_records(StringIO(record), NOW) == (0, 1)
