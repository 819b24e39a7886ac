"""Leaving a league when the database fails in between: nothing is stored, or all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.leagues.league import LeagueError, LeagueTerms
from bot.leagues.season import SeatState
from bot.leagues.service import Leagues
from bot.play.service import Service
from bot.store import Fault, StoreError, Writer
from tests.bot.playing import GUILD
from tests.bot.seasons import BEGIN, CAMETTE, TRI, groups, now_of, opened, signed_up, tick


def fail_at(broken: pytest.MonkeyPatch, path: Path, failing: int) -> None:
    """Lets the database fail once, when events of a match are stored for that time."""
    done, append = 0, Writer.append_events

    async def fail_once(writer: Writer, *told: object, **more: object) -> None:
        nonlocal done
        done += 1
        if done == failing:
            raise StoreError(Fault.NO_ACCESS, path, "the plug was pulled")
        await append(writer, *told, **more)  # type: ignore[arg-type]  # whatever it gets

    broken.setattr(Writer, "append_events", fail_once)


@pytest.mark.parametrize("terms", [CAMETTE, TRI], ids=lambda terms: terms.variant)
@pytest.mark.parametrize("failing", [1, 2, 3])
async def test_who_leaves_keeps_no_game_when_the_database_fails(
    service: Service, path: Path, monkeypatch: pytest.MonkeyPatch, terms: LeagueTerms, failing: int
) -> None:
    leagues, league = service.part(Leagues), await opened(service, terms, range(1, 5))
    await tick(service, BEGIN)
    with monkeypatch.context() as broken:
        fail_at(broken, path, failing)
        with pytest.raises(StoreError):
            await leagues.leave_league(GUILD, league.id, 1, BEGIN + 1)
    await tick(service, BEGIN + 2)
    (group,) = await groups(service, league)
    (seat,) = (seat for seat in group.seats if seat.user == 1)
    own = [await service.current_match(game.match or 0, GUILD) for game in group.games if 1 in group.users_of(game)]
    assert len(own) == 3
    assert {1 in match.resigned_users for match in own} == {seat.state is not SeatState.IN}
    assert (1 in await signed_up(service, await now_of(service, league))) == (seat.state is SeatState.IN)
    if seat.state is SeatState.IN:  # they press the button again
        await leagues.leave_league(GUILD, league.id, 1, BEGIN + 3)
    own = [await service.current_match(match.id, GUILD) for match in own]
    assert all(1 in match.resigned_users for match in own)
    with pytest.raises(LeagueError):
        await leagues.check_leaving(GUILD, league.id, 1)


@pytest.mark.parametrize("failing", [1, 2, 3])
async def test_games_are_handed_over_later_when_the_database_fails(
    service: Service, path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    await leagues.join_league(GUILD, league.id, 9, BEGIN + 1, reserve=True)
    with monkeypatch.context() as broken:
        fail_at(broken, path, failing)
        await leagues.leave_league(GUILD, league.id, 1, BEGIN + 2)
    (group,) = await groups(service, league)
    handed_over = [9 in (await service.current_match(game.match or 0, GUILD)).players for game in group.games]
    assert handed_over.count(True) == failing - 1
    await tick(service, BEGIN + 3)
    (group,) = await groups(service, league)
    for game in group.games:
        assert (await service.current_match(game.match or 0, GUILD)).players == group.users_of(game)
    assert all(seat.former is None and seat.state is SeatState.IN for seat in group.seats)
