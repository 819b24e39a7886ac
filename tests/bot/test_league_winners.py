"""The winners of seasons: who has a place, and the trophies that stay."""

from __future__ import annotations

from bot.core.clock import DAY
from bot.leagues import role_rows, rows
from bot.leagues.groups import Movement
from bot.leagues.service import Leagues
from bot.leagues.words import end_text, progress_text
from bot.play.service import Service
from bot.texts.i18n import text
from tests.bot.playing import GUILD
from tests.bot.seasons import BEGIN, CAMETTE, TRI, groups, move, opened, resign, sign_up_again, tick

LONG = CAMETTE._replace(weeks=8)


async def test_a_season_in_which_nobody_moves_has_no_winner(service: Service) -> None:
    league = await opened(service, TRI, range(1, 5))
    async with service.store.write_transaction() as tx:
        await rows.set_role(tx, league.id, 99)
    await tick(service, BEGIN)
    await tick(service, BEGIN + 14 * DAY)
    assert await service.part(Leagues).winners_of(league) == {}
    assert not await service.part(Leagues).trophies_of(GUILD, 1)
    assert not await role_rows.due_holders(service.store.reader, BEGIN + 15 * DAY)
    played = await groups(service, league)
    assert {seat.movement for group in played for seat in group.seats} == {Movement.STAYS}
    assert text("en", "league.no-winner") in end_text("en", league, 1, played, None)


async def test_who_waits_for_a_ghost_wins_and_ghosts_win_nothing(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    for game in group.games:
        if group.users_of(game)[0] == 1 and game.match:
            await move(service, game.match, BEGIN + 1)
    await tick(service, BEGIN + 14 * DAY)
    (group,) = await groups(service, league)
    assert {seat.user: seat.place for seat in group.seats} == {1: 1, 2: None, 3: None}
    assert {group.users[row.entry]: row.points for row in group.standings}[1] == 24


async def test_missing_games_alone_win_nothing(service: Service) -> None:
    league = await opened(service, TRI, range(1, 6))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    assert any(row.credit for row in group.standings), "in groups of five, two people never meet"
    assert "<@" not in progress_text("en", group), "nobody leads yet"
    await tick(service, BEGIN + 14 * DAY)
    assert await service.part(Leagues).winners_of(league) == {}


async def test_trophies_come_by_the_end_of_their_seasons(service: Service) -> None:
    short, long = await opened(service, CAMETTE, range(1, 4)), await opened(service, LONG, range(1, 4))
    ends = [BEGIN + 14 * DAY, BEGIN + 35 * DAY, BEGIN + 56 * DAY]
    for at in (BEGIN, ends[0], ends[0] + 7 * DAY, ends[1], ends[2]):
        await tick(service, at)
        for league in (short, long):
            await sign_up_again(service, league, at)
        for league, season in ((short, 1), (short, 2), (long, 1)):
            for group in await groups(service, league, season):
                for game in group.unfinished_games:
                    if game.match and 3 in group.users_of(game):
                        await resign(service, game.match, 3, at + 1)
    trophies = await service.part(Leagues).trophies_of(GUILD, 1)
    assert [(one.league, one.season) for one in trophies] == [(long.id, 1), (short.id, 2), (short.id, 1)]
