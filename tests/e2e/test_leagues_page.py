"""Whole seasons on the chat page in a real browser, by clicks: from the panel over sign-up and games to the podium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.core.clock import DAY
from bot.texts.i18n import Language, text
from rules import VARIANTS, Game, parse_move
from tests.e2e.clock import ClockHouse
from tests.e2e.judging import moves_of
from tests.e2e.page_composer import compose, pick_option
from tests.e2e.room import Room
from tests.e2e.seasons import begun, games
from tests.e2e.shooting import open_channel, shoot
from tests.sandbox.page.conftest import Visitors, chromium
from tests.sandbox.page.steps import type_command
from tests.sentences import label, part

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

CREW = ("Eve", "Fay", "Gus", "Hal", "Ivy", "Jan")


@pytest_asyncio.fixture(loop_scope="session", name="house")
async def house_of_seasons(tmp_path: Path) -> AsyncIterator[ClockHouse]:
    async with ClockHouse.at(tmp_path, datetime(2026, 3, 2, 18, tzinfo=UTC)) as house:
        yield house


@pytest_asyncio.fixture(loop_scope="session", name="visitors")
async def visitors_of_house(house: ClockHouse) -> AsyncIterator[Visitors]:
    async with chromium() as browser:
        people = Visitors(browser, house.url)
        yield people
    assert people.complaints == []


@dataclass
class Season:
    """The pages of a manager and of those who play, in one language."""

    house: ClockHouse
    locale: Language
    channel: str
    folder: Path
    manager: Page
    players: dict[int, Page]
    """The pages of those who play, by their user ids."""

    async def shoot(self, page: Page, target: Locator, name: str) -> None:
        """Takes pictures of that message."""
        await shoot(page, target, self.folder / f"{self.locale}-{name}")

    def find_post(self, page: Page) -> Locator:
        """Returns the latest post of the league that has its buttons."""
        button = page.get_by_role("button", name=label("league-games", self.locale), exact=True)
        return page.locator(".message:not(.private)", has=button).last

    async def open_game(self, user: int, match: int) -> Page:
        """Has that player open the thread of that game."""
        [(thread,)] = self.house.bot.query("SELECT thread FROM matches WHERE id = ?", match)
        page = self.players[user]
        await open_channel(page, str(thread))
        return page

    async def play(self, match: int, users: list[int], moves: Sequence[str]) -> None:
        """Has the players make these moves of that game by the composer."""
        [(variant,)] = self.house.bot.query("SELECT variant FROM matches WHERE id = ?", match)
        game = Game.start(VARIANTS[str(variant)])
        for notation in moves:
            page = await self.open_game(users[game.position.turn], match)
            await compose(page, game, parse_move(game.position, notation), straight=True, locale=self.locale)
            game = game.play(notation)

    async def resign(self, match: int, user: int) -> None:
        """Has that player resign that game."""
        page = await self.open_game(user, match)
        await type_command(page, "/game resign ")
        await page.keyboard.press("Enter")
        yes = page.locator(".message.private").get_by_role("button", name=label("resign", self.locale), exact=True).last
        await yes.click()
        await expect(yes).to_have_count(0)


async def open_by_clicks(season: Season, variant: str) -> None:
    """Has the manager open a league of that game in the panel, and everybody sign up by the button of its post."""
    page, locale = season.manager, season.locale
    await type_command(page, "/server league ")
    await page.keyboard.press("Enter")
    panel = page.locator(".message.private").last
    for menu, choice in enumerate((f"variant.{variant}", "choice.pace.fast")):
        option = panel.get_by_role("option", name=text(locale, choice), exact=True)
        await pick_option(panel.get_by_role("combobox").nth(menu), option)
        await expect(panel.get_by_role("combobox").nth(menu)).to_contain_text(text(locale, choice))
    option = panel.get_by_role("option", name=text(locale, "league.group-of", least=3, most=4), exact=True)
    await pick_option(panel.get_by_role("combobox").nth(3), option)
    await expect(panel).to_contain_text(text(locale, "league.group-of", least=3, most=4))
    await season.shoot(page, panel, "panel")
    await panel.get_by_role("button", name=label("league-open", locale)).click()
    for player in season.players.values():
        await open_channel(player, season.channel)
        await player.get_by_role("button", name=label("league-join", locale)).last.click()
        await expect(player.locator(".message.private").last).to_contain_text(part("league.joined", locale))
    await season.shoot(page, page.locator(".message", has_text=label("league-join", locale)).last, "sign-up")


async def look_at_start(season: Season, player: int) -> None:
    """Looks at the table of a season that has just begun, at a game, and at one's own games."""
    page = season.players[player]
    await open_channel(page, season.channel)
    post = season.find_post(page)
    await season.shoot(page, post, "begun")
    await post.get_by_role("button", name=label("league-games", season.locale), exact=True).click()
    await season.shoot(page, page.locator(".message.private").last, "games")
    await type_command(page, "/games ")
    await page.keyboard.press("Enter")
    await season.shoot(page, page.locator(".message.private").last, "own-games")


async def look_at_end(season: Season, player: int) -> Locator:
    """Waits for the podium, then looks at it, at the hall of fame, and at the rules; returns the podium."""
    page = season.players[player]
    await open_channel(page, season.channel)
    podium = page.locator(".message:not(.private)", has_text="🥇").last
    await expect(podium).to_be_visible()
    await season.shoot(page, podium, "end")
    history = page.get_by_role("button", name=label("league-history", season.locale), exact=True).last
    await history.click()
    fame = page.locator(".message.private").last
    await expect(fame).to_contain_text("🥇")
    await season.shoot(page, fame, "history")
    await page.get_by_role("button", name=label("league-rules", season.locale), exact=True).last.click()
    await season.shoot(page, page.locator(".message.private").last, "rules")
    return podium


async def sit_down(
    house: ClockHouse, visitors: Visitors, stack: AsyncExitStack, locale: Language, folder: Path, people: int
) -> Season:
    """Returns the pages of the server's owner and of that many people in a channel of their own."""
    room = await Room.found(house, f"league-{locale}", stack)
    spoken = {"en": "en-US", "no": "no"}[locale]
    crew = await room.enter(*CREW[:people], locale=spoken)
    owner = await room.enter_owner()
    await owner.call("PATCH", f"/app/guilds/{room.guild}", {"locale": spoken})
    await owner.call("PATCH", f"/app/people/{owner.id}", {"locale": spoken})
    pages = {int(person.id): await visitors.join(person.name) for person in crew}
    manager = await visitors.join("Ada")
    await open_channel(manager, room.channel)
    return Season(house, locale, room.channel, folder, manager, pages)


async def test_a_season_of_camette_by_clicks(house: ClockHouse, visitors: Visitors, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        season = await sit_down(house, visitors, stack, "en", tmp_path, 6)
        await open_by_clicks(season, "camette")
        await begun(house, 6)
        played = games(house)
        await look_at_start(season, played[0][1][0])
        await season.play(*played[0], moves_of("camette-castle"))
        await season.play(*played[1], moves_of("camette-castle")[:4])
        for match, users in played[2:5]:
            await season.resign(match, users[0])
        await house.move_clock(700)
        for days in (7, 5, 14):
            await house.move_clock(days * DAY)
        for _ in range(3):
            await house.move_clock(14 * DAY)
        podium = await look_at_end(season, played[0][1][0])
        await expect(podium).to_contain_text(text("en", "league.moves-up", players=""))


async def test_a_season_of_tri_camelot_by_clicks(house: ClockHouse, visitors: Visitors, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        season = await sit_down(house, visitors, stack, "no", tmp_path, 4)
        await open_by_clicks(season, "tri-camelot")
        await begun(house, 4)
        played = games(house)
        await look_at_start(season, played[0][1][0])
        await season.play(*played[0], moves_of("tri-camelot-castle")[:6])
        for match, users in played[1:3]:
            await season.resign(match, users[0])
            await season.resign(match, users[1])
        await house.move_clock(700)
        page = season.players[played[0][1][0]]
        await open_channel(page, season.channel)
        table = season.find_post(page)
        await expect(table).to_contain_text("2/4")
        await season.shoot(page, table, "table")
        for days in (7, 7, 14, 14, 14):
            await house.move_clock(days * DAY)
        await look_at_end(season, played[0][1][0])
        [(thread,)] = house.bot.query("SELECT thread FROM league_seasons ORDER BY season LIMIT 1")
        await open_channel(page, str(thread))
        await season.shoot(page, page.locator(".message").last, "thread")
