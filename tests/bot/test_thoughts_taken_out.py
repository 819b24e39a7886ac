"""Thoughts through the service: whose words an annotated game contains, and how others take them out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core import refereeing
from bot.core.match import Match
from bot.core.problems import Problem
from bot.explore.service import Trees
from bot.features import make_service
from bot.play.service import Service
from bot.privacy.service import Privacy
from bot.store import Store
from bot.texts.i18n import text
from bot.thoughts import service as rows
from bot.thoughts.commands import _decision_buttons, own_text
from bot.thoughts.service import SharedLine, Thought, Thoughts
from rules import format_move, format_position, legal_moves
from tests.bot.playing import ADA, BO, CY, GUILD, NOW, refused, unshuffled
from tests.bot.sharing import DEE, begun, follow, move, resigned, say, share, shown, written


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield make_service(store, unshuffled)


async def store_words(service: Service, match: Match, user: int, words: str) -> None:
    """Stores shared words as an earlier version did for anybody who saw the game."""
    async with service.store.write_transaction() as tx:
        await rows.set_thought(tx, match.id, Thought(user, 0, words))
        await rows.set_choice(tx, match.id, user, [SharedLine(user, 1, f"line of {words}")], shared=True)


async def test_only_players_former_players_and_followers_write(service: Service) -> None:
    match = await move(service, await begun(service))
    with refused(Problem.THOUGHTS_OF_OTHERS, number=match.id):
        await say(service, match, DEE, 0, "spam")
    await follow(service, match, DEE)
    await say(service, match, DEE, 0, "watching")
    await service.people.unfollow_match(match.id, GUILD, DEE)
    with refused(Problem.THOUGHTS_OF_OTHERS):
        await say(service, match, DEE, 0, "spam")
    await say(service, match, DEE, 0, "")  # one's own words can always be deleted
    assert not await service.part(Thoughts).has_thoughts(match.id)


async def test_words_of_somebody_who_merely_saw_the_game_are_shown_to_nobody(service: Service) -> None:
    match = await resigned(service, await move(service, await begun(service)))
    tree, start = await service.part(Trees).open_tree(DEE, match.id, "", NOW), match.variant.start_position
    line = format_move(legal_moves(start)[-1], match.variant.board)
    tree, node = await service.part(Trees).add_move(tree.id, DEE, (0, format_position(start)), line, NOW)
    await service.part(Trees).describe_node(tree.id, DEE, node.number, NOW, name="spam", note="spam")
    own = await service.part(Thoughts).own_words(match, DEE)
    with refused(Problem.THOUGHTS_OF_OTHERS):
        await share(service, match, DEE, with_lines=True)
    assert text("en", "problem.thoughts-of-others", number=match.id) in own_text("en", match, own)
    await store_words(service, match, DEE, "spam")
    assert await shown(service, match) == []
    assert await service.part(Thoughts).export_annotated(GUILD, None) == []
    await service.part(Thoughts).decide(match.id, GUILD, DEE, shared=False)  # may be taken back
    assert await rows.choice_of(service.store.reader, match.id, DEE) is False


async def test_a_player_or_a_referee_takes_out_words_for_good(service: Service) -> None:
    match = await resigned(service, await written(service))
    thoughts = service.part(Thoughts)
    for user in (ADA, DEE):
        await share(service, match, user)
    with refused(Problem.NOT_A_PLAYER):
        await thoughts.take_out(match.id, GUILD, DEE, ADA, referee=False)
    await thoughts.take_out(match.id, GUILD, BO, DEE, referee=False)
    assert await shown(service, match) == ["why 1", "why 3"]
    await thoughts.take_out(match.id, GUILD, DEE, ADA, referee=True)
    assert await shown(service, match) == []
    for user, words in ((ADA, "why 1"), (DEE, "watching 2")):
        own = await thoughts.own_words(match, user)
        assert words in own.thoughts.values()
        assert text("en", "thoughts.taken-out") in own_text("en", match, own)
        exported = (await service.part(Privacy).export_person(user))["thoughts"]
        assert all(row["taken_out"] and not row["shared"] for row in exported)
        await share(service, match, user)
    assert await shown(service, match) == []
    match = await service.act_on_match(
        match.id, GUILD, lambda match, _: refereeing.rewind_match(match, CY, 2, "a mistake", NOW)
    )
    with refused(Problem.NOT_OVER):
        await thoughts.take_out(match.id, GUILD, BO, ADA, referee=False)
    await thoughts.delete_words(match.id, GUILD, DEE)
    await say(service, match, DEE, 0, "again")
    match = await resigned(service, match)
    for user in (ADA, DEE):
        await share(service, match, user)
    assert await shown(service, match) == []


async def test_shared_lines_can_be_taken_back_when_explore_has_lost_them(service: Service) -> None:
    match = await resigned(service, await move(service, await begun(service)))
    async with service.store.write_transaction() as tx:
        await rows.set_choice(tx, match.id, ADA, [SharedLine(ADA, 1, "a line")], shared=True)
    own = await service.part(Thoughts).own_words(match, ADA)
    assert "a line" in own_text("en", match, own)
    assert text("en", "thoughts.none") not in own_text("en", match, own)
    offered = [button.label for button in _decision_buttons("en", match, own, anything_shared=True)]
    assert text("en", "button.thoughts-keep") in offered
    await service.part(Thoughts).decide(match.id, GUILD, ADA, shared=False)
    assert await shown(service, match) == []


async def test_a_game_of_which_nothing_is_shared_any_more_is_not_exported(service: Service) -> None:
    match = await resigned(service, await written(service))
    await share(service, match, ADA)
    assert len(await service.part(Thoughts).export_annotated(GUILD, None)) == 1
    async with service.store.write_transaction() as tx:
        for board in await rows.thoughts_of(tx, match.id, ADA):
            await rows.set_thought(tx, match.id, Thought(ADA, board, ""))
    assert await service.part(Thoughts).export_annotated(GUILD, None) == []
