"""Records of games, exported and imported through the service, and replays."""

from __future__ import annotations

import random
import string
from dataclasses import replace
from io import StringIO
from itertools import permutations

import pytest

from bot.core import refereeing
from bot.core.deadlines import Actor
from bot.core.fold import fold_event, replay_match
from bot.core.match import Match
from bot.ladder.profile_rows import leaderboard_page
from bot.play.board import MAX_REPLAY_PLIES, first_of_last, make_replay, replay_alt_text
from bot.play.service import Service, games
from bot.store import Writer
from bot.store.game_lists import records_of
from bot.texts.records import record_line, record_text
from render import DEFAULT_THEME
from rules import VARIANTS, RecordError, format_move, parse_record
from rules.collection import parse_records
from tests.bot.databases import write
from tests.bot.played_ladders import CAMELOT, challenged, join, won
from tests.bot.playing import ADA, BO, GUILD, NOW, existing, followed, live, play_typed, random_move, started
from tests.rules.collection import CHAMPIONSHIP


async def test_what_is_exported_is_replayed_and_what_is_imported_is_not_rated(service: Service) -> None:
    await join(service, ADA, BO)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW)
    text = record_text(match, {ADA: "Ada"})
    record = parse_record(text)
    assert record.headers["players"] == f"White Ada, Black {BO}"
    assert record.headers["clock"] == "standard, 72 h and 24 h a move, at most 120 h"
    assert record.headers["result"] == "White won"
    titled = replace(match, title="``` \u202eFinal")
    assert parse_record(record_text(titled)).headers["title"] == "''' Final"
    assert record.replay().moves == parse_records(record_line(match))[0].replay().moves == match.started_game.moves
    brought = await games.import_records(service, StringIO(CHAMPIONSHIP + text), GUILD)
    assert (brought.new, brought.known) == (2, 0)
    assert await games.import_records(service, StringIO(CHAMPIONSHIP), GUILD) == (0, 1)
    known = [parse_record(record).replay() async for record in records_of(service.reader, GUILD)]
    assert [(game.variant.key, len(game.moves)) for game in known] == [("camelot", 23), ("camelot", 12)]
    assert len((await leaderboard_page(service.reader, *CAMELOT, 0, NOW))[0].items) == 2


async def test_a_game_is_known_in_whichever_form_it_is_imported_again(service: Service) -> None:
    await join(service, ADA, BO)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW)
    text, line = record_text(match), record_line(match)
    variant, number, *lines = text.splitlines()
    otherwise = "  \r\n".join([number, variant, "", *lines]) + "   "
    for guild, forms in ((None, (text, line, otherwise)), (GUILD, (line, text)), (GUILD + 1, (otherwise, text))):
        counts = [await games.import_records(service, StringIO(form), guild) for form in forms]
        assert [count.known for count in counts] == [0] + [1] * (len(forms) - 1)


async def test_a_game_that_an_earlier_version_stored_as_written_is_known(service: Service) -> None:
    written = "# variant: camette\n1.   C2-B2\n"
    await write(service.store, Writer.add_row, "archive", {"record": written})
    assert await games.import_records(service, StringIO(written)) == (0, 1)


async def test_a_game_is_known_whatever_is_said_about_it(service: Service) -> None:
    bare = "# variant: camette\n# players: Ada, Bo\n1. C2-B2 C5-C4\n"
    forms = (
        bare,
        "# variant: camette\n# players: Ada, Bo\n{before} 1. C2-B2 {Ada: \\{1\\} # 1}\n{Bo: 2} C5-C4 {3}\n",
        bare.replace("1.", "# a remark\n1.") + "# variation after 1: 1... B5-B4\n",
    )
    for guild, order in enumerate(permutations(forms)):
        counts = [await games.import_records(service, StringIO(form), GUILD + guild) for form in order]
        assert [count.new for count in counts] == [1, 0, 0]
    assert await games.import_records(service, StringIO("".join(forms))) == (1, 2)
    assert await games.import_records(service, StringIO(bare.replace("Bo", "Cy"))) == (1, 0)
    assert await games.import_records(service, StringIO(bare.replace("C5-C4", ""))) == (1, 0)


async def test_an_import_with_a_mistake_at_its_end_stores_nothing(service: Service) -> None:
    with pytest.raises(RecordError):
        await games.import_records(service, StringIO(CHAMPIONSHIP + "# variant: camelot\n1. D6-D9\n"))
    assert [record async for record in records_of(service.reader, None)] == []


async def test_a_record_longer_than_an_index_may_hold_is_imported_once(service: Service) -> None:
    words = "".join(random.Random(1).choices(string.ascii_letters, k=3500))
    record = f"# variant: camette\n# remark: {words}\n# note: {words[::-1]}\n# more: {words[1:]}\n1. C2-B2\n"
    assert await games.import_records(service, StringIO(record)) == (1, 0)
    assert await games.import_records(service, StringIO(record)) == (0, 1)


# Replays


def long_game(key: str, plies: int) -> Match:
    """A game of that many moves; random ones may end sooner, so several seeds are tried."""
    for seed in range(50):
        rng, events = random.Random(seed), started(key)
        match = replay_match(1, events)
        while match.is_live and match.ply < plies:
            new = play_typed(match, existing(match.to_move), random_move(match, rng), NOW)
            events += new
            for event in new:
                match = fold_event(match, event)
        if match.ply == plies and match.is_live:
            return match
    raise AssertionError("no such game")


@pytest.mark.parametrize("key", VARIANTS)
def test_a_replay_shows_the_moves_from_that_one_on(key: str) -> None:
    match = long_game(key, 12)
    assert match.game is not None
    for first in (1, 3, 12):
        replay = make_replay(match, first, 0, DEFAULT_THEME)
        assert [ply.move for ply in replay.plies] == list(match.game.moves[first - 1 :])
        assert replay.first == (first - 1) // len(match.variant.seats) + 1
        position = replay.origin
        for ply in replay.plies:
            assert position.after_move(ply.move).cells == ply.after.cells
            position = ply.after
        assert position == match.game.position


def test_moves_taken_back_are_not_replayed() -> None:
    match = live("camette")
    for user, text in ((ADA, "C2-B2"), (BO, "B5-A4")):
        match = followed(match, play_typed(match, user, text, NOW))
    match = followed(match, refereeing.rewind_match(match, Actor(9, NOW), 1, "a slip"))
    match = followed(match, play_typed(match, BO, "B5-A5", NOW))
    replay = make_replay(match, 1, 0, DEFAULT_THEME)
    assert [format_move(ply.move, match.variant.board) for ply in replay.plies] == ["C2-B2", "B5-A5"]
    assert replay.plies[-1].after == match.started_game.position


def test_of_a_very_long_game_a_part_is_replayed() -> None:
    match = long_game("chivalry", MAX_REPLAY_PLIES + 20)
    assert (first_of_last(long_game("chivalry", 8)), first_of_last(match)) == (1, 21)
    replay = make_replay(match, 11, 0, DEFAULT_THEME)
    assert (replay.first, len(replay.plies)) == (6, MAX_REPLAY_PLIES)
    words = replay_alt_text("no", match, replay, 11)
    assert 900 < len(words) <= 1024
    assert words.endswith(" …")
    first = format_move(replay.plies[0].move, match.variant.board)
    assert f"trekk 6, Hvit til trekk {MAX_REPLAY_PLIES // 2 + 5}, Svart, ett etter ett: {first}, " in words
