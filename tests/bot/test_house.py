"""House players: seats that the program plays. Nobody pings them, waits for them or asks them."""

from __future__ import annotations

import random
from dataclasses import replace

from bot.core import deadlines, leaving, offers, table, time_acts
from bot.core.clock import HOUR, Pace
from bot.core.deadlines import NO_PEOPLE
from bot.core.events import Ballot, Event, EventKind, Opening, Seating
from bot.core.house_seats import (
    HOUSE_LEVELS,
    HOUSE_PLAYERS_BY_ID,
    free_house_players,
    house_level_of,
    is_house,
    is_person,
)
from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.core.match_state import Leaver
from bot.core.news import HOUSE_ANSWER_WAIT_S, collect_news, hold_for_house_answer
from bot.core.problems import Problem
from bot.core.ratings import RatingBook
from bot.core.results import FinishedGame
from bot.core.settings import Reminders, UserSettings
from bot.play.announcing.turn import turn_text, turn_view
from bot.play.service import Service
from bot.texts.i18n import text
from bot.texts.people import house_name, mention_user
from bot.texts.sentences import clock_lines
from rules import VARIANTS, Cause
from tests.bot import acts
from tests.bot.playing import (
    ADA,
    BO,
    CHANNEL,
    CY,
    GUILD,
    NOW,
    followed,
    live,
    play_typed,
    random_move,
    refused,
    unshuffled,
)
from tests.bot.stories import Story, overdue

CABAL, LAMREI, TWRCH = 101, 102, 301


def sat(
    key: str = "camelot",
    *house: str,
    guests: tuple[int, ...] = (),
    pace: Pace = Pace.NONE,
    order: tuple[int, ...] = (),
) -> Match:
    """Ada's table, with house players of those levels and those guests."""
    seating = Seating.CHOSEN if order else Seating.JOIN_ORDER
    opening = Opening(GUILD, CHANNEL, VARIANTS[key], seating, True, guests, pace, order=order)
    match = Match.replay(1, table.open_table(opening, ADA, NOW))
    for level in house:
        match = followed(match, table.seat_house_players(match, ADA, level, 1, NOW, unshuffled))
    for guest in guests:
        match = followed(match, table.join_table(match, guest, NOW, unshuffled))
    return match


def move(match: Match, seed: int = 0, now: int = NOW) -> Match:
    assert match.to_move is not None
    return followed(match, play_typed(match, match.to_move, random_move(match, random.Random(seed)), now))


async def test_a_game_that_begins_at_once_goes_by_its_hosts_habits(service: Service) -> None:
    own = UserSettings(sleep=(0, 600), reminders=Reminders.EVERY_6)
    await service.people.change_user_settings(ADA, lambda _: own, NOW)
    match = await service.open_table(
        *(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW), pace=Pace.STANDARD, house="easy"
    )
    people = await service.players_of(match)
    (game,) = await service.games_of(GUILD, ADA)
    assert game.time_runs_out_at == deadlines.time_runs_out_at(match, people) != deadlines.time_runs_out_at(match)
    due = deadlines.next_tick_at(match, people)
    assert due is not None
    assert await service.store.reader.matches_due(due - 1) == []
    assert await service.store.reader.matches_due(due) == [match.id]


async def test_an_unseen_table_is_struck_out_though_the_house_has_moved(service: Service) -> None:
    opening = (GUILD, CHANNEL, ADA, "camelot", (), Seating.CHOSEN, False, NOW)
    unseen, seen = [await service.open_table(*opening, house="easy", seat=1) for _ in "12"]
    for match in (unseen, seen):
        match = await acts.house_move(service, match.id, CABAL, match.board_version, "F7-F8", NOW)
        assert match is not None
    seen = await acts.move(service, seen.id, GUILD, ADA, "F10-F9", NOW)
    for match in (unseen, seen):
        await service.withdraw_table(match.id)
    assert [game.id for game in await service.games_of(GUILD, ADA)] == [seen.id]
    told = await service.open_table(*opening, house="easy", seat=1)
    await service.mark_announced(told.id, told.seq, MessageRef(CHANNEL, 66))
    await service.withdraw_table(told.id)
    assert {game.id for game in await service.games_of(GUILD, ADA)} == {seen.id, told.id}
    assert await service.unannounced_news(unseen.id) == ()  # empty for an announcer that had loaded the match already


def test_a_player_who_has_moved_is_not_mentioned_by_older_news() -> None:
    opening = Opening(GUILD, CHANNEL, VARIANTS["camelot"], Seating.JOIN_ORDER, True, (), Pace.FAST)
    events = table.open_table(opening, ADA, NOW)
    events += table.seat_house_players(Match.replay(1, events), ADA, "easy", 1, NOW, unshuffled)
    story = overdue(Story(tuple(events)))
    grace, moved = collect_news(1, story.move("F7-F8").events, story.match.seq - 1)
    assert (grace.kind, grace.calls, grace.pinged_users, moved.calls) == (EventKind.GRACE, (ADA,), (), ())


def test_each_level_has_two_with_numbers_that_are_nobodys_in_discord() -> None:
    for level in HOUSE_LEVELS:
        first, second = free_house_players(level, 2)
        assert house_level_of(first) == house_level_of(second) == level
        assert free_house_players(level, 2, excluded=[first]) == (second,)
    assert len({(player.name, player.face) for player in HOUSE_PLAYERS_BY_ID.values()}) == len(HOUSE_PLAYERS_BY_ID) == 6
    assert all(is_house(user) and not is_person(user) for user in HOUSE_PLAYERS_BY_ID)
    assert not is_house(ADA)
    assert not is_house(-3)


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
        table.seat_house_players(match, BO, "easy", 1, NOW, unshuffled)
    full = sat("camelot")
    full = Match.replay(
        1, table.open_table(Opening(GUILD, CHANNEL, full.variant, Seating.RANDOM, True, (BO,)), ADA, NOW)
    )
    with refused(Problem.TABLE_FULL, reserved=(BO,)):
        table.seat_house_players(full, ADA, "easy", 1, NOW, unshuffled)


def test_by_the_hosts_wish_it_takes_every_empty_seat_after_a_while() -> None:
    opening = Opening(GUILD, CHANNEL, VARIANTS["tri-camelot"], Seating.JOIN_ORDER, True, (BO,))
    match = Match.replay(1, table.open_table(opening, ADA, NOW))
    match = followed(match, table.promise_house(match, ADA, "hard", NOW + HOUR, NOW))
    assert deadlines.next_tick_at(match) == NOW + HOUR
    assert table.seat_promised_house(match, NOW + HOUR - 1, unshuffled) == ()
    begun = followed(match, table.seat_promised_house(match, NOW + HOUR, unshuffled))
    assert begun.players == (ADA, *free_house_players("hard", 2))
    kept = followed(match, table.promise_house(match, ADA, "hard", None, NOW))
    assert kept.house_promise is None
    assert deadlines.next_tick_at(kept) == kept.expires_at


def test_its_clock_stands_and_nothing_falls_due_while_it_thinks() -> None:
    for pace in (Pace.STANDARD, Pace.NONE):
        match = sat("camelot", "easy", pace=pace)
        assert deadlines.next_tick_at(match) is not None
        thinking = move(match)
        assert thinking.house_to_move
        assert (thinking.running_since, deadlines.next_tick_at(thinking), deadlines.time_runs_out_at(thinking)) == (
            None,
            None,
            None,
        )
        late = move(thinking, now=NOW + 99 * 24 * HOUR)
        assert late.banks[1:] == match.banks[1:]  # its bank is untouched
        assert deadlines.next_tick_at(late) is not None
        with refused(Problem.HOUSE_THINKS, user=CABAL):
            time_acts.nudge_player(thinking, ADA, NOW + 99 * 24 * HOUR)


def test_a_lone_human_reads_one_line_about_the_only_running_clock() -> None:
    alone, together = sat("camelot", "easy", pace=Pace.FAST), live(pace=Pace.FAST)
    assert [len(clock_lines("en", match, NOW, NO_PEOPLE)) for match in (alone, together)] == [1, 2]


def test_moves_are_taken_back_at_once() -> None:
    match = move(move(sat("camelot", "easy")))
    assert match.to_move == ADA
    (undone,) = offers.ask_takeback(match, ADA, NOW)
    assert undone.kind is EventKind.UNDONE
    assert followed(match, [undone]).ply == 0
    asked = offers.ask_takeback(move(move(sat("tri-camelot", "easy", guests=(BO,)))), ADA, NOW)
    assert [event.kind for event in asked] == [EventKind.TAKEBACK_ASKED]  # Bo has a say


def test_a_draw_is_answered_at_once() -> None:
    match = sat("camelot", "easy")
    with refused(Problem.HOUSE_PLAYS_ON, user=CABAL):
        offers.offer_draw(match, ADA, NOW)
    quiet = shuffled(match)
    drawn = followed(quiet, offers.offer_draw(quiet, ADA, NOW))
    assert drawn.outcome is not None
    assert (drawn.outcome.cause, drawn.winners) == (Cause.AGREEMENT, ())
    told = collect_news(1, offers.offer_draw(quiet, ADA, NOW), quiet.seq, since=quiet)
    assert [(item.kind, item.calls) for item in told] == [(EventKind.DRAW_ACCEPTED, (ADA,))]


def shuffled(match: Match) -> Match:
    """Returns the match after both have moved a piece back and forth until a draw can be claimed."""
    for to_and_fro in ("C6-C7", "C11-C10", "C7-C6", "C10-C11") * 2:
        assert match.to_move is not None
        match = followed(match, play_typed(match, match.to_move, to_and_fro, NOW))
    return match


def test_the_last_person_to_leave_ends_the_game() -> None:
    match = sat("tri-camelot", "easy", "easy")
    kinds = [event.kind for event in leaving.resign(match, ADA, NOW)]
    assert kinds == [EventKind.RESIGNED, EventKind.ENDED]
    assert followed(match, leaving.resign(match, ADA, NOW)).winners == (CABAL, LAMREI)
    two = sat("tri-camelot", "easy", guests=(BO,))
    vacant = followed(two, leaving.resign(two, BO, NOW))
    assert vacant.vacancy is not None  # Ada may wait for a substitute, and decides alone
    voting = followed(vacant, leaving.advance_vacancy(vacant, vacant.vacancy.until))
    decided = followed(voting, leaving.cast_vote(voting, ADA, Ballot.DRAW, NOW))
    assert decided.outcome is not None
    assert decided.outcome.cause is Cause.AGREEMENT


def test_a_game_begun_with_the_house_is_rated_for_nobody() -> None:
    match = sat("camelot", "easy")
    for ply in range(10):
        match = move(match, ply)
    over = followed(match, leaving.resign(match, ADA, NOW + 1))
    told = FinishedGame(1, GUILD, "camelot", NOW, (ADA, CABAL), (ADA,), moves=60, casual=True)
    assert over.casual
    assert told.users_concerned == (ADA,)
    assert RatingBook().rate_next(told) == {}


def test_a_house_player_who_filled_in_is_no_measure_for_the_others() -> None:
    left = Leaver(CY, 2, NOW, Cause.RESIGNATION.value)
    over = FinishedGame(1, GUILD, "tri-camelot", NOW, (ADA, BO, TWRCH), (ADA,), 60, (left,), (TWRCH,))
    changes = RatingBook().rate_next(over)
    assert set(changes) == {ADA, BO, CY}
    assert changes[ADA].points_gained > 0 > changes[BO].points_gained
    assert changes[CY].points_gained < 0
    beaten = RatingBook().rate_next(replace(over, winners=(TWRCH,)))
    assert beaten[ADA].points_gained == beaten[BO].points_gained == 0


def test_the_houses_reply_is_announced_and_mentions_exactly_the_next_person() -> None:
    match = sat("tri-camelot", "easy", "easy")
    events = list[Event]()
    after = match
    for number in range(3):
        assert after.to_move is not None
        made = play_typed(after, after.to_move, random_move(after, random.Random(number)), NOW + number)
        events += made
        after = followed(after, made)
        told = hold_for_house_answer(collect_news(1, events, match.seq, since=match), NOW + number)
        assert [(one.kind, one.calls, len(one.told_together)) for one in told] == (
            [(EventKind.MOVED, (ADA,), 3)] if number == 2 else []
        )
    (late,) = hold_for_house_answer(collect_news(1, events[:1], match.seq, since=match), NOW + HOUSE_ANSWER_WAIT_S)
    assert (late.calls, len(late.told_together)) == ((), 1)  # it thinks for long, or not at all
    assert [
        len(one.told_together) for one in collect_news(1, events[1:], events[0].seq, since=followed(match, events[:1]))
    ] == [2]


def test_people_are_thanked_for_the_game_and_the_program_is_not() -> None:
    match = move(sat("camelot", "easy"))
    (told,) = collect_news(1, leaving.resign(match, ADA, NOW), match.seq, since=match)
    assert text("en", "end.thanks", players=mention_user(ADA, "en")) in turn_text("en", told, "", None)


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
        assert match.to_move is not None
        made = play_typed(match, match.to_move, random_move(match, chance), NOW + match.ply)
        match, events = followed(match, made), [*events, *made]
    (told,) = collect_news(1, events, since.seq, since=since)
    assert (len(told.told_together), told.calls) == (2, (ADA,))
    assert turn_view(told).bottom == match.seat_of(ADA)
