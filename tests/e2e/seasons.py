"""Leagues in the tests through the real process: opened by clicks, and moved to the start of a season."""

from __future__ import annotations

from collections.abc import Callable

from bot.core.clock import DAY
from bot.texts.i18n import text
from sandbox.people import Person, Reply, Said
from sandbox.shown_messages import as_typed
from tests.e2e.clock import ClockHouse
from tests.e2e.room import Room
from tests.sentences import label


async def open_league(room: Room, variant: str, weeks: str, *crew: Person, size: str = "3-4") -> Said:
    """Has a manager open a league by clicks in the panel, and these people sign up; returns its post."""
    async with await room.house.join("Ada") as ada:
        shown = await new_panel(ada, room.channel)
        for question, value in (("variant", variant), ("pace", "fast"), ("weeks", weeks), ("size", size)):
            shown = await ada.choose(shown, f"rt-league-new:{question}", [value])
        await ada.click(shown, label("league-open"))
        post = await ada.wait_for(room.channel, lambda said: label("league-join") in said.buttons)
    for person in crew:
        said = await person.click(post, label("league-join"))
        assert said.ephemeral
        assert "signed up" in said.text
    return post


def games(house: ClockHouse, season: int = 1) -> list[tuple[int, list[int]]]:
    """The matches of the latest league, each with its users in seat order."""
    rows = house.bot.query(
        "SELECT match FROM league_games WHERE match IS NOT NULL AND season = ?"
        " AND league = (SELECT max(id) FROM leagues) ORDER BY match",
        season,
    )
    return [
        (match, [user for (user,) in house.bot.query("SELECT user FROM players WHERE match = ? ORDER BY seat", match)])
        for (match,) in rows
    ]


async def begun(house: ClockHouse, count: int, season: int = 1) -> None:
    """Moves the clock to the start of a season, and waits for its games."""
    await house.move_clock(7 * DAY)
    await house.until(lambda: len(games(house, season)) == count, "games begun")


async def new_panel(manager: Person, channel: str) -> Reply:
    """Shows the panel in which a league is opened."""
    shown, another = await manager.command(channel, "server league"), label("league-another")
    return await manager.click(shown, another) if another in shown.buttons else shown


async def show_panel(manager: Person, room: Room) -> Reply:
    """Shows the panel of the latest league."""
    [(number,)] = room.house.bot.query("SELECT max(id) FROM leagues")
    return await manager.command(room.channel, "server league", league=number)


def tells(house: ClockHouse, key: str) -> Callable[[Said], bool]:
    """Returns whether a message says that about the latest league."""
    [(number,)] = house.bot.query("SELECT max(id) FROM leagues")
    words = text("en", f"league.{key}", league=f"Camette league {number}")
    return lambda said: said.text == as_typed(words)
