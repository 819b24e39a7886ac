"""House players: seats that the program plays, in a match, through the service and at work."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest

from bot.core import deadlines, leaving, offers, table, time_acts
from bot.core.acts import TakeHint
from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import NO_PEOPLE, Actor
from bot.core.events import Ballot, Event, EventKind, Opening, Seating, Terms
from bot.core.fold import replay_match
from bot.core.house_seats import (
    HOUSE_LEVELS,
    HOUSE_PLAYERS_BY_ID,
    free_house_players,
    house_level_of,
    is_house,
    is_person,
    next_strength,
)
from bot.core.match import Leaver, Match, MessageRef, Phase
from bot.core.news import HOUSE_ANSWER_WAIT_S, collect_news, hold_for_house_answer
from bot.core.problems import Problem
from bot.core.ratings import is_countable, rate_game
from bot.core.results import FinishedGame
from bot.core.settings import Reminders, UserSettings
from bot.discordkit.reply import now
from bot.explore.openings import opening_rows
from bot.ladder.profile_rows import profiles_of
from bot.ops.rebuild import rebuild_all
from bot.play.announcing.announcer import Announcer
from bot.play.board import board_caption
from bot.play.engine import EngineAway, EngineStuck
from bot.play.house import HousePlayers
from bot.play.service import Service, upkeep
from bot.play.service.games import export_games, find_games, import_records
from bot.play.service.people import change_guild_settings, change_user_settings
from bot.play.service.tables import open_rematch, withdraw_table
from bot.store.game_lists import games_awaiting_house
from bot.store.results import house_players_beaten, result_of
from bot.texts.people import house_name, mention_user
from bot.texts.records import record_line, record_text
from bot.texts.sentences import clock_lines, game_alt_text
from engine.levels import HANDICAPS, LACKING, begin_with_handicap
from rules import VARIANTS, Cause, Move, Position, legal_moves, parse_position
from rules.collection import parse_records
from rules.symmetry import symmetries
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.confirmed_plans import plan
from tests.bot.contexts import make_context
from tests.bot.databases import change
from tests.bot.match_stories import Story, overdue
from tests.bot.playing import (
    ADA,
    BO,
    CHANNEL,
    CY,
    GUILD,
    NOW,
    by,
    existing,
    followed,
    live,
    moved,
    play_typed,
    random_move,
    refused,
    unshuffled,
)

CABAL, LAMREI, GRINGOLET, TWRCH = 101, 102, 201, 301


def sat(
    key: str = "camelot", *house: str, guests: tuple[int, ...] = (), pace: Pace = Pace.NONE, order: tuple[int, ...] = ()
) -> Match:
    """Ada's table, with house players of those levels and those guests."""
    seating = Seating.CHOSEN if order else Seating.JOIN_ORDER
    opening = Opening(GUILD, CHANNEL, Terms(VARIANTS[key], seating, True, pace, order=order), guests)
    match = replay_match(1, table.open_table(opening, ADA, NOW))
    for level in house:
        match = followed(match, table.seat_house_players(match, by(ADA), level, 1))
    for guest in guests:
        match = followed(match, table.join_table(match, by(guest)))
    return match


def move(match: Match, seed: int = 0, now: int = NOW) -> Match:
    return followed(match, play_typed(match, existing(match.to_move), random_move(match, random.Random(seed)), now))


async def test_a_game_that_begins_at_once_goes_by_its_hosts_habits(service: Service) -> None:
    own = UserSettings(sleep=(0, 600), reminders=Reminders.EVERY_6)
    await change_user_settings(service, by(ADA), lambda _: own)
    match = await opened(service, pace=Pace.STANDARD, house_level="easy")
    people = await service.players_of(match)
    (game,) = await service.reader.games_of(GUILD, ADA, live=True)
    assert game.time_runs_out_at == deadlines.time_runs_out_at(match, people) != deadlines.time_runs_out_at(match)
    due = deadlines.next_tick_at(match, people)
    assert await service.reader.matches_due(existing(due) - 1) == []
    assert await service.reader.matches_due(existing(due)) == [match.id]


async def test_an_unseen_table_is_struck_out_though_the_house_has_moved(service: Service) -> None:
    opening: Any = {"seating": Seating.CHOSEN, "house_level": "easy", "seat": 1}
    unseen, seen = [await opened(service, **opening) for _ in "12"]
    for match in (unseen, seen):
        match = existing(await acts.house_move(service, match.id, CABAL, match.board_version, "F7-F8", NOW))
    seen = await acts.move(service, seen.id, GUILD, ADA, "F10-F9", NOW)
    for match in (unseen, seen):
        await withdraw_table(service, match.id)
    assert [game.id for game in await service.reader.games_of(GUILD, ADA, live=True)] == [seen.id]
    told = await opened(service, **opening)
    await acts.mark_announced(service, told.id, told.seq, MessageRef(CHANNEL, 66))
    await withdraw_table(service, told.id)
    assert {game.id for game in await service.reader.games_of(GUILD, ADA, live=True)} == {seen.id, told.id}
    assert await service.unannounced_news(unseen.id) == ()  # empty for an announcer that had loaded the match already


def test_a_player_who_has_moved_is_not_mentioned_by_older_news() -> None:
    opening = Opening(GUILD, CHANNEL, Terms(VARIANTS["camelot"], Seating.JOIN_ORDER, True, Pace.FAST))
    events = table.open_table(opening, ADA, NOW)
    events += table.seat_house_players(replay_match(1, events), by(ADA), "easy", 1)
    story = overdue(Story(tuple(events)))
    grace, moved = collect_news(1, story.move("F7-F8").events, story.match.seq - 1)
    assert (grace.kind, grace.calls, grace.pinged_users, moved.calls) == (EventKind.GRACE, (ADA,), (), ())


def test_each_level_has_two_with_numbers_that_are_nobodys_in_discord() -> None:
    for level in HOUSE_LEVELS:
        first, second = free_house_players(level, 2)
        assert house_level_of(first) == house_level_of(second) == level
        assert free_house_players(level, 2, excluded=[first]) == (second,)
    players = HOUSE_PLAYERS_BY_ID.values()
    assert len({player.name for player in players}) == len({player.face for player in players}) == len(players) == 16
    assert [HOUSE_LEVELS.index(name) for name in HOUSE_LEVELS if name.isdecimal()] == [1, 3, 4, 5, 6]
    assert all(is_house(user) and not is_person(user) for user in HOUSE_PLAYERS_BY_ID)
    assert not is_house(ADA)
    assert not is_house(-3)


async def test_the_next_step_follows_the_highest_level_beaten_in_that_game(service: Service) -> None:
    assert next_strength("camelot", ()) == "easy"
    for level in ("medium", "hard", "easy"):
        match = await opened(service, house_level=level)
        await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
        await acts.resign(service, match.id, GUILD, ADA, NOW)
        if level != "hard":
            await change(service.store, "UPDATE shares SET outcome = 'won' WHERE match = ?", match.id)
    beaten = await house_players_beaten(service.reader, GUILD, ADA, "camelot")
    assert sorted(beaten) == [CABAL, GRINGOLET]
    assert next_strength("camelot", beaten) == "4"
    assert await house_players_beaten(service.reader, GUILD, ADA, "cam") == []
    after = [next_strength("cam-3d", free_house_players(level, 1)) for level in HOUSE_LEVELS]
    assert [*after, next_strength("cam", [TWRCH])] == ["2", "medium", "4", "5", *["hard"] * 3, "above-hard", "hard"]


def test_it_is_called_by_its_name_and_level_and_never_mentioned() -> None:
    assert mention_user(CABAL, "en") == house_name(CABAL, "en") == "🐕 Cabal · easy bot"
    assert mention_user(CABAL, "no") == "🐕 Cabal · lett bot"
    assert "," not in house_name(TWRCH, "en")  # a comma parts the players in the header of a record


def test_the_game_begins_as_soon_as_the_house_has_the_last_seat() -> None:
    assert sat("camelot", "easy").players == (ADA, CABAL)
    assert sat("tri-camelot", "easy", "easy").players == (ADA, CABAL, LAMREI)
    assert sat("tri-camelot", "hard", guests=(BO,)).players == (ADA, TWRCH, BO)
    assert sat("tri-camelot", "hard").phase is Phase.OPEN


def test_the_host_may_choose_any_seat() -> None:
    assert sat("tri-camelot", "easy", "hard", order=(0, ADA, 0)).players == (CABAL, ADA, TWRCH)
    assert sat("tri-camelot", "hard", guests=(BO,), order=(0, 0, ADA)).players == (TWRCH, BO, ADA)


def test_only_the_host_seats_the_house_and_only_on_a_free_seat() -> None:
    match = sat("tri-camelot")
    with refused(Problem.NOT_HOST, host=ADA):
        table.seat_house_players(match, by(BO), "easy", 1)
    opening = Opening(GUILD, CHANNEL, Terms(VARIANTS["camelot"], Seating.RANDOM, True), (BO,))
    full = replay_match(1, table.open_table(opening, ADA, NOW))
    with refused(Problem.TABLE_FULL):
        table.seat_house_players(full, by(ADA), "easy", 1)


def test_by_the_hosts_wish_it_takes_every_empty_seat_after_a_while() -> None:
    opening = Opening(GUILD, CHANNEL, Terms(VARIANTS["tri-camelot"], Seating.JOIN_ORDER, True), (BO,))
    match = replay_match(1, table.open_table(opening, ADA, NOW))
    match = followed(match, table.promise_house(match, by(ADA), "hard", NOW + HOUR))
    assert deadlines.next_tick_at(match) == NOW + HOUR
    assert table.keep_house_promise(match, NOW + HOUR - 1, unshuffled, has_house=True) == ()
    begun = followed(match, table.keep_house_promise(match, NOW + HOUR, unshuffled, has_house=True))
    assert begun.players == (ADA, *free_house_players("hard", 2))
    kept = followed(match, table.promise_house(match, by(ADA), "hard", None))
    assert kept.table.house_promise is None
    assert deadlines.next_tick_at(kept) == kept.table.expires_at


def test_its_clock_stands_and_nothing_falls_due_while_it_thinks() -> None:
    for pace in (Pace.STANDARD, Pace.NONE):
        match = sat("camelot", "easy", pace=pace)
        assert deadlines.next_tick_at(match) is not None
        thinking = move(match)
        assert thinking.house_to_move
        assert thinking.clock.running_since is None
        assert (deadlines.next_tick_at(thinking), deadlines.time_runs_out_at(thinking)) == (None, None)
        late = move(thinking, now=NOW + 99 * 24 * HOUR)
        assert late.clock.banks[1:] == match.clock.banks[1:]  # its bank is untouched
        assert deadlines.next_tick_at(late) is not None
        with refused(Problem.HOUSE_THINKS, user=CABAL):
            time_acts.nudge_player(thinking, by(ADA, NOW + 99 * 24 * HOUR))


def test_a_lone_human_reads_one_line_about_the_only_running_clock() -> None:
    alone, together = sat("camelot", "easy", pace=Pace.FAST), live(pace=Pace.FAST)
    assert [len(clock_lines("en", match, NOW, NO_PEOPLE)) for match in (alone, together)] == [1, 2]


def test_moves_are_taken_back_at_once() -> None:
    match = move(move(sat("camelot", "easy")))
    assert match.to_move == ADA
    (undone,) = offers.ask_takeback(match, by(ADA))
    assert undone.kind is EventKind.UNDONE
    assert followed(match, [undone]).ply == 0
    (paused,) = offers.ask_pause(match, by(ADA), NOW + DAY)
    assert paused.kind is EventKind.PAUSED
    asked = offers.ask_takeback(move(move(sat("tri-camelot", "easy", guests=(BO,)))), by(ADA))
    assert [event.kind for event in asked] == [EventKind.TAKEBACK_ASKED]  # Bo has a say


def test_a_draw_is_answered_at_once() -> None:
    match = sat("camelot", "easy")
    with refused(Problem.HOUSE_PLAYS_ON, user=CABAL):
        offers.offer_draw(match, by(ADA))
    back_and_forth = ("C6-C7", "C11-C10", "C7-C6", "C10-C11") * 2  # until a draw can be claimed
    quiet = moved(match, *back_and_forth, "C6-C7")  # Ada is not to move, so she claims nothing
    drawn = followed(quiet, offers.offer_draw(quiet, by(ADA)))
    assert (existing(drawn.outcome).cause, drawn.winners) == (Cause.AGREEMENT, ())
    told = collect_news(1, offers.offer_draw(quiet, by(ADA)), quiet.seq, since=quiet)
    assert [(item.kind, item.calls) for item in told] == [(EventKind.DRAW_ACCEPTED, (ADA,))]


def test_the_last_person_to_leave_ends_the_game() -> None:
    match = sat("tri-camelot", "easy", "easy")
    events = leaving.resign(match, by(ADA))
    assert [event.kind for event in events] == [EventKind.RESIGNED, EventKind.ENDED]
    over = followed(match, events)
    assert over.winners == (CABAL, LAMREI)
    assert "Rød og Grønn har vunnet." in board_caption("no", over)
    assert "The game is over: Red and Green won." in game_alt_text("en", 1, over.started_game)
    two = sat("tri-camelot", "easy", guests=(BO,))
    vacant = followed(two, leaving.resign(two, by(BO)))
    voting = followed(vacant, leaving.advance_vacancy(vacant, existing(vacant.vacancy).until))
    decided = followed(voting, leaving.cast_vote(voting, by(ADA), Ballot.DRAW))
    assert existing(decided.outcome).cause is Cause.AGREEMENT


def test_a_game_begun_with_the_house_is_rated_for_nobody() -> None:
    match = sat("camelot", "easy")
    for ply in range(10):
        match = move(match, ply)
    over = followed(match, leaving.resign(match, by(ADA, NOW + 1)))
    told = FinishedGame(1, GUILD, "camelot", NOW, (ADA, CABAL), (ADA,), moves=60, never_rated=True)
    assert over.roster.began_with_house
    assert told.users_concerned == (ADA,)
    assert not is_countable(told)


def test_a_house_player_who_filled_in_is_no_measure_for_the_others() -> None:
    left = Leaver(CY, 2, NOW, Cause.RESIGNATION.value)
    over = FinishedGame(1, GUILD, "tri-camelot", NOW, (ADA, BO, TWRCH), (ADA,), 60, (left,), (TWRCH,))
    changes = rate_game(over, {})
    assert set(changes) == {ADA, BO, CY}
    assert changes[ADA].points_gained > 0 > changes[BO].points_gained
    assert changes[CY].points_gained < 0
    beaten = rate_game(replace(over, winners=(TWRCH,)), {})
    assert beaten[ADA].points_gained == beaten[BO].points_gained == 0
    alone = rate_game(replace(over, players=(ADA, CABAL, TWRCH), leavers=(left._replace(user=BO, seat=1), left)), {})
    assert alone[ADA].points_gained == 0 > alone[BO].points_gained


def test_the_houses_reply_is_announced_and_mentions_exactly_the_next_person() -> None:
    match = sat("tri-camelot", "easy", "easy")
    events = list[Event]()
    after = match
    for number in range(3):
        made = play_typed(after, existing(after.to_move), random_move(after, random.Random(number)), NOW + number)
        events += made
        after = followed(after, made)
        told = hold_for_house_answer(collect_news(1, events, match.seq, since=match), NOW + number)
        expected = [(EventKind.MOVED, (ADA,), 3)] if number == 2 else []
        assert [(one.kind, one.calls, len(one.told_together)) for one in told] == expected
    (late,) = hold_for_house_answer(collect_news(1, events[:1], match.seq, since=match), NOW + HOUSE_ANSWER_WAIT_S)
    assert (late.calls, len(late.told_together)) == ((), 1)  # it thinks for long, or not at all
    (rest,) = collect_news(1, events[1:], events[0].seq, since=followed(match, events[:1]))
    assert len(rest.told_together) == 2


def test_whom_the_house_has_beaten_is_called() -> None:
    """Also names the maker of a move that is announced together with the reply that beats them."""
    chance = random.Random(3)
    match = since = sat("cam", "easy")
    events = list[Event]()
    while match.winners != (CABAL,):
        if not match.is_live:
            match = sat("cam", "easy")
        if match.to_move == ADA:
            since, events = match, []
        made = play_typed(match, existing(match.to_move), random_move(match, chance), NOW + match.ply)
        match, events = followed(match, made), [*events, *made]
    (told,) = collect_news(1, events, since.seq, since=since)
    assert (len(told.told_together), told.calls) == (2, (ADA,))


# In the service and at work


async def against(service: Service, level: str = "easy", key: str = "camelot", **how: Any) -> Match:
    return await opened(service, key, pace=Pace.NONE, house_level=level, **how)


async def test_the_seat_that_the_person_wants_and_none_that_there_is_not(service: Service) -> None:
    for key, seat in (("camelot", 1), ("tri-camelot", 2)):
        match = await opened(service, key, seating=Seating.CHOSEN, house_level="easy", seat=seat)
        assert match.is_live
        assert match.players[seat] == ADA
    with refused(Problem.NO_SUCH_SEAT, most=2):
        await opened(service, seating=Seating.CHOSEN, house_level="easy", seat=2)
    for level, problem in (("easy", Problem.NO_SEAT_FOR_HOUSE), ("below-easy", Problem.NO_HANDICAP)):
        with refused(problem):
            await opened(service, house_level=level, invited=(BO,))


async def test_a_person_has_limited_house_games_and_a_server_may_forbid_them(service: Service) -> None:
    for _ in range(3):
        match = await against(service)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await against(service)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    await against(service)
    await change_guild_settings(service, GUILD, lambda settings: replace(settings, house=False))
    with refused(Problem.HOUSE_OFF):
        await against(service)


async def test_a_table_awaiting_the_house_counts_towards_the_limit_of_house_games(service: Service) -> None:
    tables = [await opened(service) for _ in range(4)]
    for match in tables[:3]:
        await acts.promise_house(service, match.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await acts.promise_house(service, tables[3].id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await acts.promise_house(service, tables[0].id, GUILD, ADA, "hard", NOW + 2 * HOUR, NOW)  # which is no other game
    await acts.seat_house_players(service, tables[1].id, GUILD, ADA, "easy", 1, NOW)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await against(service)
    await acts.promise_house(service, tables[0].id, GUILD, ADA, "hard", None, NOW)
    await against(service)


async def test_a_promised_house_seat_lapses_when_the_server_forbids_it(service: Service) -> None:
    match, free = await opened(service, invited=(BO,), seating=Seating.RANDOM), await opened(service)
    for one in (match, free):
        await acts.promise_house(service, one.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await change_guild_settings(service, GUILD, lambda settings: replace(settings, house=False))
    with refused(Problem.HOUSE_OFF):
        await acts.seat_house_players(service, free.id, GUILD, ADA, "easy", 1, NOW)
    assert (await acts.promise_house(service, free.id, GUILD, ADA, "easy", None, NOW)).table.house_promise is None
    await upkeep.tick_matches(service, NOW + HOUR)
    match = await service.current_match(match.id, GUILD)
    assert (match.phase, match.table.house_promise) == (Phase.OPEN, None)


async def test_a_house_player_takes_no_vacant_seat_where_the_server_forbids_it(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, CY, NOW)
    ((match),) = await upkeep.tick_matches(service, NOW + leaving.VOTE_DURATION_S)
    assert existing(match.vacancy).house_player is not None
    await acts.cast_vote(service, match.id, GUILD, ADA, Ballot.HOUSE, NOW)
    await change_guild_settings(service, GUILD, lambda settings: replace(settings, house=False))
    with refused(Problem.HOUSE_OFF):
        await acts.cast_vote(service, match.id, GUILD, BO, Ballot.HOUSE, NOW)
    assert (await acts.cast_vote(service, match.id, GUILD, BO, Ballot.DRAW, NOW)).is_live


async def test_the_house_moves_once_on_a_board_and_never_on_another(service: Service) -> None:
    match = await against(service)
    assert await games_awaiting_house(service.reader) == []
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert [tuple(one) for one in await games_awaiting_house(service.reader)] == [(match.id, GUILD)]
    assert service.house_awaited.is_set()
    text = random_move(match, random.Random(1))
    await acts.ask_takeback(service, match.id, GUILD, ADA, NOW)
    assert await acts.house_move(service, match.id, CABAL, match.board_version, text, NOW) is None
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert await acts.house_move(service, match.id, CABAL, match.board_version, text, NOW) is not None
    assert await acts.house_move(service, match.id, CABAL, match.board_version, text, NOW) is None
    assert (await service.current_match(match.id, GUILD)).ply == 2


async def test_nobody_asks_the_house_about_their_own_game_against_a_person(service: Service) -> None:
    service.opening_plies = 0
    rated = await begun(service, pace=None)
    first, second = await against(service), await against(service)
    for match in (first, rated):  # all games share the start
        await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await acts.move(service, second.id, GUILD, ADA, "F7-F8", NOW)
    await acts.move(service, second.id, GUILD, ADA, "C6-C7", NOW)
    await acts.house_move(service, second.id, CABAL, 1, "C11-C10", NOW)
    await acts.move(service, rated.id, GUILD, BO, "C11-C10", NOW)
    await acts.house_move(service, first.id, CABAL, 1, "C11-C10", NOW)
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await acts.move(service, first.id, GUILD, ADA, "C6-C7", NOW)
    await acts.move(service, second.id, GUILD, ADA, "F7-F8", NOW)


async def test_a_planned_move_asks_the_house_about_no_other_game(service: Service) -> None:
    service.opening_plies = 2
    rated = await begun(service, pace=None)
    asked = await against(service)
    await plan(service, asked, ADA, "F7-F8 C11-C10* C6-C7")
    for user, move in ((ADA, "F7-F8"), (BO, "C11-C10"), (ADA, "C6-C7")):
        await acts.move(service, rated.id, GUILD, user, move, NOW)
    await acts.move(service, asked.id, GUILD, ADA, "F7-F8", NOW)
    await acts.house_move(service, asked.id, CABAL, 1, "C11-C10", NOW)
    assert (await service.current_match(asked.id, GUILD)).ply == 2
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await acts.move(service, asked.id, GUILD, ADA, "C6-C7", NOW)


async def test_a_first_move_that_one_likes_may_be_played_in_every_game(service: Service) -> None:
    rated = await begun(service, pace=None)
    for match in (rated, await against(service)):
        assert (await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)).ply == 1


async def test_profiles_count_games_against_the_house_apart(service: Service) -> None:
    match = await against(service)
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    await acts.house_move(service, match.id, CABAL, match.board_version, random_move(match, random.Random(1)), NOW)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    (profile,) = await profiles_of(service.reader, GUILD, ADA)
    assert (profile.won, profile.lost, profile.against_house) == (0, 0, (0, 0, 1))
    assert await profiles_of(service.reader, GUILD, CABAL) == ()
    assert not (await rebuild_all(service, write=False)).differing
    assert [game.match for game in (await find_games(service, GUILD, ADA)).items] == [match.id]


# At work


class Thinking:
    """An engine that returns prepared answers."""

    def __init__(self, *answers: Move | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def ask(self, name: str, position: Position, level: str, *_: object, **__: object) -> Move:
        assert name == "choose_move"
        self.asked.append(level)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def at_work(service: Service, engine: Thinking) -> HousePlayers:
    return HousePlayers(make_context(service, engine=engine))


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns the matches whose moves house players have announced."""
    matches = list[int]()

    async def announce(_: object, match_id: int) -> None:
        matches.append(match_id)

    monkeypatch.setattr(Announcer, "announce_subject", announce)
    return matches


async def test_with_the_engine_away_nothing_happens_and_later_the_move_comes(service: Service, told: list[int]) -> None:
    match = await against(service, "hard")
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    answer = legal_moves(match.started_game.position)[3]
    engine = Thinking(EngineAway("dead"), EngineAway("dead"), answer)
    house = at_work(service, engine)
    for _ in range(2):
        await house.play_waiting_games()
        assert await service.current_match(match.id, GUILD) == match
    await house.play_waiting_games()
    assert (await service.current_match(match.id, GUILD)).started_game.moves[-1] == answer
    assert engine.asked == ["hard"] * 3
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert told == [match.id]


async def test_a_thought_cut_short_is_repeated_once_before_any_move(service: Service) -> None:
    for level in ("medium", "easy"):
        match = await against(service, level)
        match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
        answer = legal_moves(match.started_game.position)[3]
        engine = Thinking(EngineStuck("too long"), answer if level == "easy" else EngineStuck("too long"))
        await at_work(service, engine).play_waiting_games()
        assert engine.asked == [level, "easy"]
        match = await service.current_match(match.id, GUILD)
        assert (match.to_move, match.started_game.moves[-1] == answer) == (ADA, level == "easy")


async def test_an_unreadable_game_keeps_no_other_waiting(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = await against(service), await against(service)
    for match in (broken, whole):
        match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    load = service.current_match

    async def match_of(match_id: int, guild: int) -> Match:
        if match_id == broken.id:
            raise ValueError(match_id)
        return await load(match_id, guild)

    monkeypatch.setattr(service, "current_match", match_of)
    house = at_work(service, Thinking(legal_moves(match.started_game.position)[0]))
    await house.play_waiting_games()
    assert (await load(whole.id, GUILD)).ply == 2
    assert (await load(broken.id, GUILD)).ply == 1


SET = parse_position("camelot Black White:NC6,D6,E6,NI5 Black:NC11,NH12,D11,E11 castle:0,0")


async def from_set(service: Service, **how: Any) -> Match:
    return await against(service, seating=Seating.CHOSEN, seat=SET.turn, position=SET, **how)


async def test_a_game_from_a_set_position_is_recorded_and_counts_for_nothing(service: Service) -> None:
    match = await from_set(service)
    for _ in range(2):
        typed = random_move(match, random.Random(1))
        match = await acts.move(service, match.id, GUILD, existing(match.to_move), typed, NOW)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    service.drop_from_cache(match.id)
    (match,) = await export_games(service)
    assert (match.players, match.fresh_game.position) == ((CABAL, ADA), SET)
    for written in (record_text(match), record_line(match)):
        (record,) = parse_records(written)
        assert (record.origin, record.replay().position) == (SET, match.started_game.position)
        assert (await import_records(service, StringIO(written))).new == (written == record_text(match))
    assert opening_rows(match) == []
    assert not await profiles_of(service.reader, GUILD, ADA)
    assert not is_countable(replace(existing(await result_of(service.reader, match.id)), moves=60))
    rematch, _ = await open_rematch(service, Actor(ADA, NOW, GUILD), match.id)
    assert (rematch.players, rematch.fresh_game.position) == ((CABAL, ADA), SET)  # it is hers to play Black


async def test_no_game_from_a_set_position_comes_near_a_running_one(service: Service) -> None:
    start = VARIANTS["camelot"].start_position
    games = [await against(service, position=start), await against(service)]
    for user, played in ((ADA, "C6-C7"), (CABAL, "C11-C10")):
        games = [await acts.move(service, match.id, GUILD, user, played, NOW) for match in games]
    await begun(service)
    with refused(Problem.PLAYED_NOW):
        await against(service, position=start)
    with refused(Problem.PLAYED_NOW):
        await acts.move(service, games[0].id, GUILD, ADA, "C7-C6", NOW)
    await acts.move(service, games[1].id, GUILD, ADA, "C7-C6", NOW)
    with refused(Problem.PLAYED_NOW):
        await service.require_match_unplayed(service.reader, ADA, games[0])
    await service.require_match_unplayed(service.reader, ADA, games[1])
    handicap = await against(service, "below-easy", seating=Seating.JOIN_ORDER)  # is as near as any start
    handicap = await acts.move(service, handicap.id, GUILD, ADA, "C6-C7", NOW)
    await service.require_match_unplayed(service.reader, ADA, handicap)


@pytest.mark.parametrize(("key", "name"), [(key, name) for key, cells in LACKING.items() for name in cells])
async def test_a_handicap_takes_the_same_piece_of_each_weaker_side(service: Service, key: str, name: str) -> None:
    variant = VARIANTS[key]
    for seat in variant.seats:
        host = 2_000 + seat
        service.shuffle = lambda seats, first=seat: seats.insert(0, seats.pop(first))
        match = await against(service, name, key, host=host, seating=Seating.RANDOM)
        assert (match.is_live, match.players[seat]) == (True, host)
        bots = [user for user in match.players if user != host]
        assert {house_level_of(user) for user in bots} == {HANDICAPS[name]}
        weaker = [match.players[piece.seat] for piece in match.missing_pieces.values()]
        assert weaker == ([host] if name == "above-hard" else bots)
        first = begin_with_handicap(variant, name, 0).cells
        turned = {one.turn_pieces(first) for one in symmetries(variant) if one.seats[0] == seat}
        assert match.fresh_game.position.cells in turned


def test_a_start_without_one_piece_of_a_side_is_a_handicap() -> None:
    start = "camette {} White:{} Black:NC6,B5,C5,D5"
    for turn, white, lacking in (("White", "NC2,B3,C3", ["D3"]), ("Black", "NC2,B3,C3", []), ("White", "NC2,B3", [])):
        match = replace(live("camette"), set_position=parse_position(start.format(turn, white)))
        assert [*match.missing_pieces] == lacking


async def test_hints_are_three_a_game_and_only_against_bots_alone(service: Service) -> None:
    match, between = await against(service), await begun(service)

    async def hint(match: Match) -> Match:
        move = legal_moves(match.started_game.position)[0]
        return await service.act(Actor(ADA, NOW, GUILD), match.id, TakeHint(move, match.board_version))

    for left, out, back in ((2, "C6-C7", "C11-C10"), (1, "C7-C6", "C10-C11"), (0, "C6-C7", "C11-C10")):
        match = await hint(match)
        assert (await hint(match)).hints_left == left  # one for each board
        for played in (out, back):
            match = await acts.move(service, match.id, GUILD, existing(match.to_move), played, NOW)
    for game in (match, between):
        with refused(Problem.NO_HINT):
            await hint(game)


async def test_it_claims_the_draw_that_it_would_agree_to(service: Service) -> None:
    match = await against(service, "hard")
    for played in ("C6-C7", "C11-C10", "C7-C6", "C10-C11") * 2:
        match = await acts.move(service, match.id, GUILD, existing(match.to_move), played, NOW)
    match = await acts.move(service, match.id, GUILD, ADA, "C6-C7", NOW)
    assert match.house_to_move
    await at_work(service, Thinking()).play_waiting_games()
    assert existing((await service.current_match(match.id, GUILD)).outcome).cause is Cause.REPETITION


async def test_in_a_placeless_game_the_mover_hears_that_nobody_can_be_told(service: Service) -> None:
    announcer = Announcer(make_context(service))
    match = await against(service)
    await acts.mark_announced(service, match.id, match.seq)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", now())
    assert not await announcer.load_due(match.id)  # it is announced with the answer
    await acts.set_homeless(service, match.id, now())
    assert [item.kind for item in await announcer.load_due(match.id)] == [EventKind.MOVED]
