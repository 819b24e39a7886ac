"""House players in the service and at work: who may have them, which game comes next, and what they play."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core import leaving, offers
from bot.core.clock import HOUR, Pace
from bot.core.events import Ballot, EventKind, Seating
from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.core.timings import DEFAULT_TIMINGS
from bot.discordkit.reply import now
from bot.features import make_service
from bot.house.fair_queue import FairQueue
from bot.house.players import HousePlayers
from bot.house.rows import WaitingGame
from bot.house.service import House
from bot.play.announcing.announcer import Announcer
from bot.play.background import BackgroundTasks
from bot.play.engine import EngineAway, EngineStuck
from bot.play.service import Service
from bot.profile.service import Profiles
from bot.store import Reader, Writer
from rules import Cause, Move, Position, legal_moves
from tests.bot import acts
from tests.bot.planning import plan
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, random_move, refused

CABAL = 101


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


async def test_a_person_has_limited_house_games_and_a_server_may_forbid_them(service: Service) -> None:
    for _ in range(3):
        match = await against(service)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await against(service)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    await against(service)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, house=False))
    with refused(Problem.HOUSE_OFF):
        await against(service)


async def test_a_table_awaiting_the_house_counts_towards_the_limit_of_house_games(service: Service) -> None:
    tables = [
        await service.open_table(GUILD, CHANNEL, ADA, "camelot", [], Seating.RANDOM, False, NOW) for _ in range(4)
    ]
    for match in tables[:3]:
        await service.part(House).promise_house(match.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await service.part(House).promise_house(tables[3].id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await service.part(House).promise_house(
        tables[0].id, GUILD, ADA, "hard", NOW + 2 * HOUR, NOW
    )  # which is no other game
    await service.part(House).seat_house_players(tables[1].id, GUILD, ADA, "easy", 1, NOW)
    with refused(Problem.TOO_MANY_HOUSE, most=3):
        await against(service)
    await service.part(House).promise_house(tables[0].id, GUILD, ADA, "hard", None, NOW)
    await against(service)


async def test_a_promised_house_seat_lapses_when_the_server_forbids_the_house(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.RANDOM, False, NOW)
    await service.part(House).promise_house(match.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, house=False))
    await service.upkeep.tick(NOW + HOUR)
    match = await service.current_match(match.id, GUILD)
    assert (match.phase, match.house_promise) == (Phase.OPEN, None)


async def test_nor_does_the_house_sit_by_hand_at_a_promised_table(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [], Seating.RANDOM, False, NOW)
    await service.part(House).promise_house(match.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, house=False))
    with refused(Problem.HOUSE_OFF):
        await service.part(House).seat_house_players(match.id, GUILD, ADA, "easy", 1, NOW)
    assert (await service.part(House).promise_house(match.id, GUILD, ADA, "easy", None, NOW)).house_promise is None


async def test_a_house_player_takes_no_vacant_seat_where_the_server_forbids_it(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", [BO, CY], Seating.JOIN_ORDER, False, NOW)
    for guest in (BO, CY):
        await service.join_table(match.id, GUILD, guest, NOW)
    await acts.resign(service, match.id, GUILD, CY, NOW)
    ((match),) = await service.upkeep.tick(NOW + leaving.VOTE_DURATION_S)
    assert match.vacancy is not None
    assert match.vacancy.house is not None
    await acts.vote(service, match.id, GUILD, ADA, Ballot.HOUSE, NOW)
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, house=False))
    with refused(Problem.HOUSE_OFF):
        await acts.vote(service, match.id, GUILD, BO, Ballot.HOUSE, NOW)
    assert (await acts.vote(service, match.id, GUILD, BO, Ballot.DRAW, NOW)).is_live


async def test_the_house_moves_once_on_a_board_and_never_on_another(service: Service) -> None:
    match = await against(service)
    assert await service.part(House).games_awaiting_house() == []
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert [(one.match, one.person) for one in await service.part(House).games_awaiting_house()] == [(match.id, ADA)]
    assert service.house_awaited.is_set()
    text = random_move(match, random.Random(1))
    await service.act_on_match(match.id, GUILD, lambda match, _: offers.ask_takeback(match, ADA, NOW))
    assert await acts.house_move(service, match.id, CABAL, match.board_version, text, NOW) is None
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert await acts.house_move(service, match.id, CABAL, match.board_version, text, NOW) is not None
    assert await acts.house_move(service, match.id, CABAL, match.board_version, text, NOW) is None
    assert (await service.current_match(match.id, GUILD)).ply == 2


async def test_nobody_asks_the_house_about_their_own_game_against_a_person(service: Service) -> None:
    service.opening_plies = 0
    rated = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.JOIN_ORDER, False, NOW)
    await service.join_table(rated.id, GUILD, BO, NOW)
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
    rated = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.JOIN_ORDER, False, NOW)
    await service.join_table(rated.id, GUILD, BO, NOW)
    asked = await against(service)
    await plan(service, asked, ADA, "F7-F8 C11-C10* C6-C7")
    for user, move in ((ADA, "F7-F8"), (BO, "C11-C10"), (ADA, "C6-C7")):
        await acts.move(service, rated.id, GUILD, user, move, NOW)
    await acts.move(service, asked.id, GUILD, ADA, "F7-F8", NOW)
    await acts.house_move(service, asked.id, CABAL, 1, "C11-C10", NOW)
    assert (await service.current_match(asked.id, GUILD)).ply == 2
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await acts.move(service, asked.id, GUILD, ADA, "C6-C7", NOW)


async def test_nobody_asks_the_house_about_a_mirrored_game_against_a_person(service: Service) -> None:
    service.opening_plies = 0
    rated = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.JOIN_ORDER, False, NOW)
    await service.join_table(rated.id, GUILD, BO, NOW)
    match = await against(service)
    await acts.move(service, rated.id, GUILD, ADA, "F7-F8", NOW)
    with refused(Problem.PLAYED_NOW, number=rated.id):
        await acts.move(service, match.id, GUILD, ADA, "G7-G8", NOW)
    await acts.move(service, match.id, GUILD, ADA, "F7-G8", NOW)


async def test_a_first_move_that_one_likes_may_be_played_in_every_game(service: Service) -> None:
    rated = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.JOIN_ORDER, False, NOW)
    await service.join_table(rated.id, GUILD, BO, NOW)
    for match in (rated, await against(service)):
        assert (await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)).ply == 1


async def test_profiles_count_games_against_the_house_apart(service: Service) -> None:
    match = await against(service)
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    await acts.house_move(service, match.id, CABAL, match.board_version, random_move(match, random.Random(1)), NOW)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    (profile,) = await service.part(Profiles).profiles_of(GUILD, ADA)
    assert (profile.won, profile.lost, profile.against_house) == (0, 0, (0, 0, 1))
    assert await service.part(Profiles).profiles_of(GUILD, CABAL) == ()
    assert not (await service.results.rebuild_all(write=False)).differing
    games, _ = await service.history.find_games(GUILD, ADA)
    assert [game.match for game in games] == [match.id]


def test_each_server_and_in_it_each_person_has_a_turn() -> None:
    def game(number: int, guild: int, person: int) -> WaitingGame:
        return WaitingGame(number, guild, person, NOW + number)

    waiting, turns_of = [game(1, 7, ADA), game(2, 7, ADA), game(3, 7, BO), game(4, 8, CY)], FairQueue()
    order = []
    while waiting:
        one = turns_of.take_next(waiting)
        waiting.remove(one)
        order.append(one.match)
    assert order == [1, 4, 3, 2]


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


def at_work(service: Service, engine: Thinking, told: list[int]) -> HousePlayers:
    async def announce(match_id: int) -> None:
        told.append(match_id)

    desk: Any = SimpleNamespace(service=service, background=BackgroundTasks(), timings=DEFAULT_TIMINGS)
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
        assert await service.current_match(match.id, GUILD) == match
    assert await house.play_one()
    assert (await service.current_match(match.id, GUILD)).started_game.moves[-1] == answer
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
    assert (await service.current_match(match.id, GUILD)).to_move == ADA


async def test_a_thought_that_was_cut_short_is_thought_once_more(service: Service) -> None:
    match = await against(service, "easy")
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    answer = legal_moves(match.started_game.position)[3]
    engine = Thinking(EngineStuck("too long"), answer)
    assert await at_work(service, engine, []).play_one()
    assert engine.asked == ["easy", "easy"]
    assert (await service.current_match(match.id, GUILD)).started_game.moves[-1] == answer


async def test_a_game_that_cannot_be_read_keeps_no_other_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = await against(service), await against(service)
    for match in (broken, whole):
        match = await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    load = service.current_match

    async def match_of(match_id: int, guild: int) -> Match:
        if match_id == broken.id:
            raise ValueError(match_id)
        return await load(match_id, guild)

    monkeypatch.setattr(service, "current_match", match_of)
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
    over = await service.current_match(match.id, GUILD)
    assert over.outcome is not None
    assert over.outcome.cause is Cause.REPETITION


async def test_in_a_placeless_game_the_mover_hears_that_nobody_can_be_told(service: Service) -> None:
    parts: Any = SimpleNamespace(service=service, background=BackgroundTasks(), timings=DEFAULT_TIMINGS)
    announcer = Announcer(parts, parts)
    match = await against(service)
    await service.mark_announced(match.id, match.seq)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", now())
    assert not await announcer.load_due(match.id)  # it is announced with the answer
    await acts.set_homeless(service, match.id, now())
    assert [item.kind for item in await announcer.load_due(match.id)] == [EventKind.MOVED]


async def test_no_move_waits_for_other_games_to_be_read(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    rated = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [BO], Seating.JOIN_ORDER, False, NOW)
    await service.join_table(rated.id, GUILD, BO, NOW)
    first, second = await against(service), await against(service)
    started_anew, read = make_service(service.store), list[tuple[int, bool]]()
    load = started_anew.load_match

    async def watched(reader: Reader, match_id: int, *rest: Any, **named: Any) -> Match:
        read.append((match_id, isinstance(reader, Writer)))
        return await load(reader, match_id, *rest, **named)

    monkeypatch.setattr(started_anew, "load_match", watched)
    await acts.move(started_anew, first.id, GUILD, ADA, "F7-F8", NOW)
    started_anew.opening_plies = 0
    await acts.move(started_anew, second.id, GUILD, ADA, "F7-F8", NOW)
    assert rated.id not in {match_id for match_id, _ in read}
