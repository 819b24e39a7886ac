"""Thoughts through the service: who may write when, who sees them, and who takes them out."""

from __future__ import annotations

import json

from bot.core.match import Match
from bot.core.problems import Problem
from bot.play.service import Service, people
from bot.privacy.service import export_person, footprint_of, forget_person
from bot.store.people import begin_forgetting
from bot.texts.i18n import text
from bot.thoughts import service as rows
from bot.thoughts.commands import own_text
from bot.thoughts.service import MAX_THOUGHT_LENGTH, Thought
from render import run_steps
from rules import format_record, parse_record
from tests.bench.steps import longest_step
from tests.bench.story import story
from tests.bot import acts
from tests.bot.annotated_games import DEE, follow, move, resigned, say, share, shown, written
from tests.bot.beginning import set_up
from tests.bot.databases import write
from tests.bot.playing import ADA, BO, CY, GUILD, NOW, by, refused, started


async def test_thoughts_are_sealed_until_the_end(service: Service) -> None:
    match = await written(service)
    with refused(Problem.NOT_OVER):
        await rows.annotated_game(service, match)
    for user in (ADA, BO, DEE):
        with refused(Problem.NOT_OVER):
            await share(service, match, user)
        own = await rows.own_words(service, match, user)
        exported = json.dumps(await export_person(service, user))
        for author, words in ((ADA, "why 1"), (BO, "why 2"), (DEE, "watching 2")):
            assert (words in own.thoughts.values()) == (user == author)
            assert (words in exported) == (user == author)
    assert not await rows.export_annotated(service, None, None)


async def test_nothing_is_shown_that_its_author_has_not_shared(service: Service) -> None:
    match = await resigned(service, await written(service))
    assert await shown(service, match) == []
    await share(service, match, ADA)
    assert await shown(service, match) == ["why 1", "why 3"]
    await share(service, match, DEE)
    assert await shown(service, match) == ["why 1", "watching 2", "why 3"]
    game = await rows.annotated_game(service, match)
    assert game.sharers == (ADA, DEE)
    assert [words.seat for words in game.words_by_ply[2]] == [None]
    await rows.decide_sharing(service, by(ADA), match.id, shared=False)
    assert await shown(service, match) == ["watching 2"]


async def test_a_player_writes_only_about_their_own_moves(service: Service) -> None:
    match = await move(service, await set_up(service, started("camette")))
    await follow(service, match, DEE)
    for user, board in ((BO, 0), (ADA, match.board_version), (DEE, match.board_version), (DEE, 77)):
        with refused(Problem.STALE):
            await say(service, match, user, board, "x")
    await say(service, match, ADA, 0, "mine")
    await say(service, match, BO, match.board_version, "my next one")
    await say(service, match, DEE, 0, "theirs")


async def test_thoughts_can_be_changed_until_the_end_and_only_deleted_after(service: Service) -> None:
    match = await written(service)
    await say(service, match, ADA, 0, " better\nwords ")
    await say(service, match, ADA, 2, "x" * (MAX_THOUGHT_LENGTH + 9))
    own = await rows.own_words(service, match, ADA)
    assert own.thoughts == {0: "better\nwords", 2: "x" * MAX_THOUGHT_LENGTH}
    await say(service, match, ADA, 2, "")
    match = await resigned(service, match)
    for user in (ADA, DEE):
        with refused(Problem.GAME_OVER):
            await say(service, match, user, 0, "afterwards")
    await share(service, match, ADA)
    assert await shown(service, match) == ["better\nwords"]
    await rows.delete_words(service, by(ADA), match.id)
    assert await shown(service, match) == []


async def test_a_reopened_game_seals_everything_again(service: Service) -> None:
    match = await resigned(service, await written(service))
    await share(service, match, ADA)
    assert await requests(service) == {match.id: 1}
    match = await acts.rewind(service, match.id, GUILD, CY, 2, "a mistake", NOW)
    assert match.is_live
    with refused(Problem.NOT_OVER):
        await rows.annotated_game(service, match)
    match = await resigned(service, await move(service, match, place=1))
    assert await shown(service, match) == []
    assert not (await rows.own_words(service, match, ADA)).shared
    await share(service, match, ADA)
    assert await shown(service, match) == ["why 1"], "the thought about the move taken back stays sealed"


async def test_thoughts_stay_with_their_board_through_takebacks(service: Service) -> None:
    match = await set_up(service, started("camette"))
    boards = [match.board_version]
    for _ in range(4):
        match = await move(service, match)
        boards.append(match.board_version)
    assert [made.board for made in rows.list_moves(match)] == boards[:4]
    for ply in (2, 1):
        match = await acts.rewind(service, match.id, GUILD, CY, ply, "again", NOW)
        assert rows.board_of_move(match, match.ply + 1) == match.board_version
        match = await move(service, match, place=1)
    first, second = rows.list_moves(match)
    assert (first.board, match.ply_at(second.board)) == (boards[0], 1)


async def test_the_former_owner_of_a_seat_keeps_their_thoughts(service: Service) -> None:
    match = await written(service)
    match = await acts.replace_player(service, match.id, GUILD, DEE, ADA, CY, "ill", NOW)
    assert match.players == (CY, BO)
    assert (rows.holder_at(match, 0, 3), rows.holder_at(match, 0, 5)) == (ADA, CY)
    with refused(Problem.STALE):
        await say(service, match, CY, 0, "not my move")
    await say(service, match, ADA, 0, "still mine")
    assert (await rows.own_words(service, match, CY)).thoughts == {}
    await say(service, match, CY, match.board_version, "my first")
    match = await resigned(service, await move(service, match))
    await share(service, match, CY)
    assert await shown(service, match) == ["my first"]
    await share(service, match, ADA)
    game = await rows.annotated_game(service, match)
    assert [(one.user, one.seat) for one in game.words_by_ply[1]] == [(ADA, 0)]


async def test_a_forgotten_person_leaves_no_words(service: Service) -> None:
    match = await resigned(service, await written(service))
    await share(service, match, ADA)
    await share(service, match, DEE)
    assert (await footprint_of(service, ADA))["thoughts"] == 1
    for user in (ADA, DEE):
        await forget_person(service, user, NOW)
    match = await service.current_match(match.id, GUILD)
    assert await shown(service, match) == []
    assert await service.reader.run_sql("SELECT user FROM thoughts") == [(BO,), (BO,)]


async def test_shared_words_are_comments_of_the_record(service: Service) -> None:
    match = await written(service)
    await say(service, match, ADA, 0, "a {brace}, a # and\na line")
    match = await resigned(service, match)
    await share(service, match, ADA)
    game = await rows.annotated_game(service, match)
    comments = game.record_comments({ADA: "Ada"})
    record = parse_record(format_record(match.started_game, None, comments))
    assert list(record.comments) == comments
    assert record.comments[0].words == "Ada: a {brace}, a # and\na line"
    assert record.replay().moves == match.started_game.moves


async def requests(service: Service) -> dict[int | None, int]:
    """Returns how often each annotated game has to be posted or brought up to date."""
    return {job.match: job.requests for job in await service.reader.find_jobs("kind = 'annotated'")}


async def test_each_change_of_shared_words_asks_for_an_update(service: Service) -> None:
    match = await resigned(service, await written(service))
    assert await requests(service) == {}
    await share(service, match, ADA)
    await rows.decide_sharing(service, by(ADA), match.id, shared=False)
    assert await requests(service) == {match.id: 2}


async def test_no_message_shows_a_forgotten_person_again_before_their_words_are_gone(service: Service) -> None:
    match = await resigned(service, await written(service))
    await share(service, match, ADA)
    stand_in = await write(service.store, begin_forgetting, ADA)
    await rows.note_forgotten(service, ADA, stand_in, NOW)
    assert await requests(service) == {match.id: 2}
    assert await shown(service, match) == [], "what a message shows if it is edited now"


async def test_words_about_a_move_that_was_never_made_make_no_annotated_game(service: Service) -> None:
    match = await set_up(service, started("camette"))
    await say(service, match, match.to_move or 0, match.board_version, "I wanted to go to the middle")
    author = match.to_move or 0
    match = await resigned(service, match)
    await share(service, match, author)
    game = await rows.annotated_game(service, match)
    assert game.sharers == ()


# Whose words an annotated game contains, and how others take them out


async def store_words(service: Service, match: Match, user: int, words: str) -> None:
    """Stores shared words as an earlier version did for anybody who saw the game."""
    async with service.store.write_transaction() as tx:
        await rows.store_thought(tx, match.id, Thought(user, 0, words))
        await rows.set_choice(tx, match.id, user, shared=True)


async def test_only_players_former_players_and_followers_write(service: Service) -> None:
    match = await move(service, await set_up(service, started("camette")))
    with refused(Problem.THOUGHTS_OF_OTHERS, number=match.id):
        await say(service, match, DEE, 0, "spam")
    await follow(service, match, DEE)
    await say(service, match, DEE, 0, "watching")
    await people.unfollow_match(service, by(DEE), match.id)
    with refused(Problem.THOUGHTS_OF_OTHERS):
        await say(service, match, DEE, 0, "spam")
    await say(service, match, DEE, 0, "")  # one's own words can always be deleted
    assert not await rows.has_thoughts(service.reader, match.id)


def test_many_own_words_are_put_together_in_small_steps() -> None:
    match = story(1, 200, "camelot").moves[-1][0]
    own = rows.OwnWords({move.board: "W" * MAX_THOUGHT_LENGTH for move in rows.list_moves(match)}, False, True, False)
    assert longest_step(own_text("en", match, own)) < 0.05


async def test_words_of_somebody_who_merely_saw_the_game_are_shown_to_nobody(service: Service) -> None:
    match = await resigned(service, await move(service, await set_up(service, started("camette"))))
    await store_words(service, match, DEE, "spam")
    own = await rows.own_words(service, match, DEE)
    with refused(Problem.THOUGHTS_OF_OTHERS):
        await share(service, match, DEE)
    assert text("en", "problem.thoughts-of-others", number=match.id) in run_steps(own_text("en", match, own))
    assert await shown(service, match) == []
    assert await rows.export_annotated(service, GUILD, None) == []
    await rows.decide_sharing(service, by(DEE), match.id, shared=False)  # may be taken back
    assert not (await rows.own_words(service, match, DEE)).shared


async def test_a_player_or_a_referee_takes_out_words_for_good(service: Service) -> None:
    match = await resigned(service, await written(service))
    for user in (ADA, DEE):
        await share(service, match, user)
    with refused(Problem.NOT_A_PLAYER):
        await rows.take_out(service, by(DEE), match.id, ADA, referee=False)
    await rows.take_out(service, by(BO), match.id, DEE, referee=False)
    assert await shown(service, match) == ["why 1", "why 3"]
    await rows.take_out(service, by(DEE), match.id, ADA, referee=True)
    assert await shown(service, match) == []
    for user, words in ((ADA, "why 1"), (DEE, "watching 2")):
        own = await rows.own_words(service, match, user)
        assert words in own.thoughts.values()
        assert text("en", "thoughts.taken-out") in run_steps(own_text("en", match, own))
        exported = (await export_person(service, user))["thoughts"]
        assert all(row["taken_out"] and not row["shared"] for row in exported)
        await share(service, match, user)
    assert await shown(service, match) == []
    match = await acts.rewind(service, match.id, GUILD, CY, 2, "a mistake", NOW)
    with refused(Problem.NOT_OVER):
        await rows.take_out(service, by(BO), match.id, ADA, referee=False)
    await rows.delete_words(service, by(DEE), match.id)
    await say(service, match, DEE, 0, "again")
    match = await resigned(service, match)
    for user in (ADA, DEE):
        await share(service, match, user)
    assert await shown(service, match) == []


async def test_a_game_of_which_nothing_is_shared_any_more_is_not_exported(service: Service) -> None:
    match = await resigned(service, await written(service))
    await share(service, match, ADA)
    assert len(await rows.export_annotated(service, GUILD, None)) == 1
    async with service.store.write_transaction() as tx:
        for board in (await rows.own_words(service, match, ADA)).thoughts:
            await rows.store_thought(tx, match.id, Thought(ADA, board, ""))
    assert await rows.export_annotated(service, GUILD, None) == []
