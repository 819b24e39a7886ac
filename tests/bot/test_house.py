"""House players: seats that are the program's, which nobody calls, waits for, or asks."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.kit.engine import EngineAway, EngineStuck
from bot.ladder.ratings import Book
from bot.match import offers, table, timing, turns, vacancy
from bot.match.events import Ballot, Event, EventKind, Opening, Seating
from bot.match.match import Match, Phase
from bot.match.news import news, settled
from bot.match.parts import Leaver
from bot.match.results import Finished
from bot.people.clock import HOUR, Pace
from bot.people.house import HOUSE, LEVELS, house_players, is_house, is_person, level_of
from bot.people.problems import Problem
from bot.posting.desk import Errands
from bot.posting.house import HousePlayers
from bot.service import Service
from bot.service.house import Turns
from bot.store.house import Waiting
from bot.texts.sentences import house_name, mention
from rules import VARIANTS, Cause, Move, Position, legal_moves
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, followed, random_move, refused, unshuffled

CABAL, LAMREI, TWRCH = 101, 102, 301


def sat(
    key: str = "camelot",
    *house: str,
    guests: tuple[int, ...] = (),
    pace: Pace = Pace.NONE,
    order: tuple[int, ...] = (),
) -> Match:
    """Ada's table, at which house players of those levels and those guests have sat down."""
    seating = Seating.CHOSEN if order else Seating.JOIN_ORDER
    opening = Opening(GUILD, CHANNEL, VARIANTS[key], seating, True, guests, pace, order=order)
    match = Match.replay(1, table.open_table(opening, ADA, NOW))
    for level in house:
        match = followed(match, table.let_house_sit(match, ADA, level, 1, NOW, unshuffled))
    for guest in guests:
        match = followed(match, table.join(match, guest, NOW, unshuffled))
    return match


def move(match: Match, seed: int = 0, now: int = NOW) -> Match:
    assert match.to_move is not None
    return followed(match, turns.move(match, match.to_move, random_move(match, random.Random(seed)), now))


def test_each_level_has_two_with_numbers_that_are_nobodys_in_discord() -> None:
    for level in LEVELS:
        first, second = house_players(level, 2)
        assert level_of(first) == level_of(second) == level
        assert house_players(level, 2, taken=[first]) == (second,)
    assert len({(player.name, player.face) for player in HOUSE.values()}) == len(HOUSE) == 6
    assert all(is_house(user) and not is_person(user) for user in HOUSE)
    assert not is_house(ADA)
    assert not is_house(-3)


def test_it_is_called_by_its_name_and_level_and_never_mentioned() -> None:
    assert mention(CABAL, "en") == house_name(CABAL, "en") == "🐕 Cabal · easy bot"
    assert mention(CABAL, "no") == "🐕 Cabal · lett bot"
    assert "," not in house_name(TWRCH, "en")  # a comma parts the players in the header of a record


def test_the_game_begins_as_soon_as_the_house_has_the_last_seat() -> None:
    assert sat("camelot", "easy").players == (ADA, CABAL)
    assert sat("tri-camelot", "easy", "easy").players == (ADA, CABAL, LAMREI)
    assert sat("tri-camelot", "hard", guests=(BO,)).players == (ADA, TWRCH, BO)
    assert sat("tri-camelot", "hard").phase is Phase.OPEN


def test_the_host_may_choose_any_seat() -> None:
    assert sat("tri-camelot", "easy", "hard", order=(0, ADA, 0)).players == (CABAL, ADA, TWRCH)
    assert sat("tri-camelot", "hard", guests=(BO,), order=(0, 0, ADA)).players == (TWRCH, BO, ADA)


def test_only_the_host_seats_the_house_and_only_where_a_seat_is_free() -> None:
    match = sat("tri-camelot")
    with refused(Problem.NOT_HOST, host=ADA):
        table.let_house_sit(match, BO, "easy", 1, NOW, unshuffled)
    full = sat("camelot")
    full = Match.replay(
        1, table.open_table(Opening(GUILD, CHANNEL, full.variant, Seating.RANDOM, True, (BO,)), ADA, NOW)
    )
    with refused(Problem.TABLE_FULL, reserved=(BO,)):
        table.let_house_sit(full, ADA, "easy", 1, NOW, unshuffled)


def test_by_the_hosts_wish_it_takes_every_empty_seat_after_a_while() -> None:
    opening = Opening(GUILD, CHANNEL, VARIANTS["tri-camelot"], Seating.JOIN_ORDER, True, (BO,))
    match = Match.replay(1, table.open_table(opening, ADA, NOW))
    match = followed(match, table.promise_house(match, ADA, "hard", NOW + HOUR, NOW))
    assert timing.wake(match) == NOW + HOUR
    assert table.keep_promise(match, NOW + HOUR - 1, unshuffled) == ()
    begun = followed(match, table.keep_promise(match, NOW + HOUR, unshuffled))
    assert begun.players == (ADA, *house_players("hard", 2))
    kept = followed(match, table.promise_house(match, ADA, "hard", None, NOW))
    assert kept.promised is None
    assert timing.wake(kept) == kept.expires


def test_its_clock_stands_and_nothing_falls_due_while_it_thinks() -> None:
    for pace in (Pace.STANDARD, Pace.NONE):
        match = sat("camelot", "easy", pace=pace)
        assert timing.wake(match) is not None
        thinking = move(match)
        assert thinking.house_to_move
        assert (thinking.running, timing.wake(thinking), timing.flag(thinking)) == (None, None, None)
        late = move(thinking, now=NOW + 99 * 24 * HOUR)
        assert late.banks[1:] == match.banks[1:]  # it has used nothing of its bank
        assert timing.wake(late) is not None
        with refused(Problem.HOUSE_THINKS, user=CABAL):
            timing.nudge(thinking, ADA, NOW + 99 * 24 * HOUR)


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
    told = news(1, offers.offer_draw(quiet, ADA, NOW), quiet.seq, since=quiet)
    assert [(item.kind, item.ping) for item in told] == [(EventKind.DRAW_ACCEPTED, (ADA,))]


def shuffled(match: Match) -> Match:
    """The match after both have moved a piece to and fro, until a draw may be claimed."""
    for text in ("C6-C7", "C11-C10", "C7-C6", "C10-C11") * 2:
        assert match.to_move is not None
        match = followed(match, turns.move(match, match.to_move, text, NOW))
    return match


def test_the_last_person_to_leave_ends_the_game() -> None:
    match = sat("tri-camelot", "easy", "easy")
    kinds = [event.kind for event in turns.resign(match, ADA, NOW)]
    assert kinds == [EventKind.RESIGNED, EventKind.ENDED]
    assert followed(match, turns.resign(match, ADA, NOW)).winners == (CABAL, LAMREI)
    two = sat("tri-camelot", "easy", guests=(BO,))
    vacant = followed(two, turns.resign(two, BO, NOW))
    assert vacant.vacancy is not None  # Ada may wait for a substitute, and decides alone
    voting = followed(vacant, vacancy.wait_for_nobody(vacant, vacant.vacancy.until))
    decided = followed(voting, vacancy.vote(voting, ADA, Ballot.DRAW, NOW))
    assert decided.outcome is not None
    assert decided.outcome.cause is Cause.AGREEMENT


def test_a_game_that_began_with_the_house_concerns_people_only_and_is_rated_for_nobody() -> None:
    match = sat("camelot", "easy")
    for ply in range(10):
        match = move(match, ply)
    over = followed(match, turns.resign(match, ADA, NOW + 1))
    told = Finished(1, GUILD, "camelot", NOW, (ADA, CABAL), (ADA,), moves=60, casual=True)
    assert over.casual
    assert told.users == (ADA,)
    assert Book().add(told) == {}


def test_a_house_player_who_came_for_somebody_is_no_measure_for_the_others() -> None:
    left = Leaver(CY, 2, NOW, Cause.RESIGNATION.value)
    over = Finished(1, GUILD, "tri-camelot", NOW, (ADA, BO, TWRCH), (ADA,), 60, (left,), (TWRCH,))
    changes = Book().add(over)
    assert set(changes) == {ADA, BO, CY}
    assert changes[ADA].points > 0 > changes[BO].points
    assert changes[CY].points < 0
    beaten = Book().add(replace(over, winners=(TWRCH,)))
    assert beaten[ADA].points == beaten[BO].points == 0


def test_a_chain_of_the_house_is_told_at_once_and_calls_exactly_the_next_person() -> None:
    match = sat("tri-camelot", "easy", "easy")
    events = list[Event]()
    after = match
    for number in range(3):
        assert after.to_move is not None
        made = turns.move(after, after.to_move, random_move(after, random.Random(number)), NOW + number)
        events += made
        after = followed(after, made)
        told = settled(news(1, events, match.seq, since=match))
        assert [(one.kind, one.ping, len(one.chain)) for one in told] == [
            (EventKind.MOVED, (), 1),  # Ada's own, whoever thinks
            *([(EventKind.MOVED, (ADA,), 2)] if number == 2 else []),
        ]


# Through the service


async def against(service: Service, level: str = "easy", key: str = "camelot", **how: Any) -> Match:
    return await service.open_table(
        GUILD, CHANNEL, ADA, key, [], Seating.JOIN_ORDER, False, NOW, pace=Pace.NONE, house=level, **how
    )


async def test_the_seat_that_the_person_wants_and_none_that_there_is_not(service: Service) -> None:
    for key, seat in (("camelot", 1), ("tri-camelot", 2)):
        match = await service.open_table(
            *(GUILD, CHANNEL, ADA, key, [], Seating.CHOSEN, False, NOW), house="easy", seat=seat
        )
        assert match.is_live
        assert match.players[seat] == ADA
    with refused(Problem.NO_SUCH_SEAT, most=2):
        await service.open_table(
            *(GUILD, CHANNEL, ADA, "camelot", [], Seating.CHOSEN, False, NOW), house="easy", seat=2
        )


async def test_one_person_has_so_many_games_with_the_house_and_a_server_may_want_none(service: Service) -> None:
    for _ in range(3):
        match = await against(service)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await against(service)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    await against(service)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, most_house=0))
    with refused(Problem.HOUSE_OFF):
        await against(service)


async def test_a_table_at_which_the_house_will_sit_is_one_of_so_many_games(service: Service) -> None:
    tables = [
        await service.open_table(GUILD, CHANNEL, ADA, "camelot", [], Seating.RANDOM, False, NOW) for _ in range(4)
    ]
    for match in tables[:3]:
        await service.house.promise(match.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await service.house.promise(tables[3].id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await service.house.promise(tables[0].id, GUILD, ADA, "hard", NOW + 2 * HOUR, NOW)  # which is no other game
    await service.house.let_sit(tables[1].id, GUILD, ADA, "easy", 1, NOW)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await against(service)
    await service.house.promise(tables[0].id, GUILD, ADA, "hard", None, NOW)
    await against(service)


async def test_a_promise_is_not_kept_where_the_server_wants_the_house_no_longer(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.RANDOM, False, NOW)
    await service.house.promise(match.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, most_house=0))
    await service.upkeep.tick(NOW + HOUR)
    match = await service.match(match.id, GUILD)
    assert (match.phase, match.promised) == (Phase.OPEN, None)


async def test_a_house_player_takes_no_vacant_seat_where_the_server_wants_none_any_more(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", [BO, CY], Seating.JOIN_ORDER, False, NOW)
    for guest in (BO, CY):
        await service.join(match.id, GUILD, guest, NOW)
    await acts.resign(service, match.id, GUILD, CY, NOW)
    ((match),) = await service.upkeep.tick(NOW + vacancy.VOTE)
    assert match.vacancy is not None
    assert match.vacancy.house is not None
    await acts.vote(service, match.id, GUILD, ADA, Ballot.HOUSE, NOW)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, most_house=0))
    with refused(Problem.HOUSE_OFF):
        await acts.vote(service, match.id, GUILD, BO, Ballot.HOUSE, NOW)
    assert (await acts.vote(service, match.id, GUILD, BO, Ballot.DRAW, NOW)).is_live


async def test_the_house_moves_once_on_a_board_and_never_on_another(service: Service) -> None:
    match = await against(service)
    assert await service.house.waiting() == []
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert [(one.match, one.person) for one in await service.house.waiting()] == [(match.id, ADA)]
    assert service.house_awaited.is_set()
    text = random_move(match, random.Random(1))
    await service.act(match.id, GUILD, lambda match, _: offers.ask_takeback(match, ADA, NOW))
    assert await service.house.play(match.id, CABAL, match.board_version, text, NOW) is None
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert await service.house.play(match.id, CABAL, match.board_version, text, NOW) is not None
    assert await service.house.play(match.id, CABAL, match.board_version, text, NOW) is None
    assert (await service.match(match.id, GUILD)).ply == 2


async def test_nobody_asks_the_house_how_a_game_goes_on_that_they_play_against_somebody(service: Service) -> None:
    rated = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.JOIN_ORDER, False, NOW)
    await service.join(rated.id, GUILD, BO, NOW)
    first, second = await against(service), await against(service)
    for match in (first, rated):  # all games have the start in common
        await service.move(match.id, GUILD, ADA, "F7-F8", NOW)
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await service.move(second.id, GUILD, ADA, "F7-F8", NOW)
    await service.move(second.id, GUILD, ADA, "C6-C7", NOW)
    await service.house.play(second.id, CABAL, 1, "C11-C10", NOW)
    await service.move(rated.id, GUILD, BO, "C11-C10", NOW)
    await service.house.play(first.id, CABAL, 1, "C11-C10", NOW)
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await service.move(first.id, GUILD, ADA, "C6-C7", NOW)
    await service.move(second.id, GUILD, ADA, "F7-F8", NOW)


async def test_profiles_count_games_against_the_house_apart(service: Service) -> None:
    match = await against(service)
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    await service.house.play(match.id, CABAL, match.board_version, random_move(match, random.Random(1)), NOW)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    (profile,) = await service.profiles.profile(GUILD, ADA)
    assert (profile.won, profile.lost, profile.against_house) == (0, 0, (0, 0, 1))
    assert await service.profiles.profile(GUILD, CABAL) == ()
    assert not (await service.results.rebuild(write=False)).differing
    games, _ = await service.profiles.find_history(GUILD, ADA)
    assert [game.match for game in games] == [match.id]


def test_each_server_and_in_it_each_person_has_a_turn() -> None:
    def game(number: int, guild: int, person: int) -> Waiting:
        return Waiting(number, guild, person, NOW + number)

    waiting, turns_of = [game(1, 7, ADA), game(2, 7, ADA), game(3, 7, BO), game(4, 8, CY)], Turns()
    order = []
    while waiting:
        one = turns_of.next(waiting)
        waiting.remove(one)
        order.append(one.match)
    assert order == [1, 4, 3, 2]


# At work


class Thinking:
    """An engine that says what it is told to."""

    def __init__(self, *answers: Move | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def ask(self, name: str, position: Position, level: str, *_: object, **__: object) -> Move:
        assert name == "choose"
        self.asked.append(level)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def at_work(service: Service, engine: Thinking, told: list[int]) -> HousePlayers:
    async def announce(match_id: int) -> None:
        told.append(match_id)

    desk: Any = SimpleNamespace(service=service, errands=Errands())
    unlike: Any = engine
    return HousePlayers(desk, unlike, announce, lambda: True)


async def test_with_the_engine_away_nothing_happens_and_later_the_move_comes(service: Service) -> None:
    match = await against(service, "hard")
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    answer, told = legal_moves(match.started_game.position)[3], list[int]()
    engine = Thinking(EngineAway("dead"), EngineAway("dead"), answer)
    house = at_work(service, engine, told)
    for _ in range(2):
        with pytest.raises(EngineAway):
            await house.play_one()
        assert await service.match(match.id, GUILD) == match
    assert await house.play_one()
    assert (await service.match(match.id, GUILD)).started_game.moves[-1] == answer
    assert engine.asked == ["hard"] * 3
    assert not await house.play_one()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert told == [match.id]


async def test_whatever_the_engine_does_with_a_position_the_house_has_a_move(service: Service) -> None:
    match = await against(service, "medium")
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    engine = Thinking(EngineStuck("too long"), EngineStuck("too long"))
    assert await at_work(service, engine, []).play_one()
    assert engine.asked == ["medium", "easy"]
    assert (await service.match(match.id, GUILD)).to_move == ADA


async def test_a_game_that_cannot_be_read_keeps_no_other_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = await against(service), await against(service)
    for match in (broken, whole):
        match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    load = service.match

    async def match_of(match_id: int, guild: int) -> Match:
        if match_id == broken.id:
            raise ValueError(match_id)
        return await load(match_id, guild)

    monkeypatch.setattr(service, "match", match_of)
    house = at_work(service, Thinking(legal_moves(match.started_game.position)[0]), [])
    while await house.play_one():
        pass
    assert (await load(whole.id, GUILD)).ply == 2
    assert (await load(broken.id, GUILD)).ply == 1


async def test_it_claims_the_draw_that_it_would_agree_to(service: Service) -> None:
    match = await against(service, "hard")
    for text in ("C6-C7", "C11-C10", "C7-C6", "C10-C11") * 2:
        assert match.to_move is not None
        match = await acts.move(service, match.id, GUILD, match.to_move, text, NOW)
    match = await acts.move(service, match.id, GUILD, ADA, "C6-C7", NOW)
    assert match.house_to_move
    assert await at_work(service, Thinking(), []).play_one()
    over = await service.match(match.id, GUILD)
    assert over.outcome is not None
    assert over.outcome.cause is Cause.REPETITION
