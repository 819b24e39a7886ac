"""How many taps a first game, a move in each game and a resignation take on the page, in both languages."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from bot.texts.i18n import Language, text
from rules import VARIANTS, Game, iter_moves
from tests.e2e.house import House
from tests.e2e.room import Room, open_table
from tests.e2e.shooting import open_channel, shoot
from tests.sandbox.page.conftest import Visitors
from tests.sandbox.page.steps import type_command
from tests.sentences import label, part

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

LOCALES: dict[Language, str] = {"en": "en-US", "no": "no"}


@dataclass
class Tapper:
    """A person on the page, whose taps are counted."""

    page: Page
    locale: Language
    taps: int = 0

    async def tap(self, place: Locator, name: str | re.Pattern[str]) -> None:
        """Presses the last button of that name there."""
        await place.get_by_role("button", name=name, exact=isinstance(name, str)).last.click()
        self.taps += 1

    @property
    def panel(self) -> Locator:
        """The latest private message."""
        return self.page.locator(".message.private").last

    @property
    def board(self) -> Locator:
        """The latest public board."""
        return self.page.locator(".message:not(.private)", has=self.page.locator("img")).last

    def label(self, name: str) -> str:
        """Returns that button's label."""
        return label(name, self.locale)


@pytest.mark.parametrize("key", VARIANTS)
@pytest.mark.parametrize("locale", LOCALES)
async def test_a_move_takes_four_taps_and_a_resignation_three(
    own_house: House, visitors: Visitors, tmp_path: Path, locale: Language, key: str
) -> None:
    async with AsyncExitStack() as stack:
        room = await Room.found(own_house, f"{key}-{locale}", stack)
        people = await room.enter(*("Eve", "Fay", "Gus")[: len(VARIANTS[key].seats)], locale=LOCALES[locale])
        owner = await room.enter_owner()
        await owner.call("PATCH", f"/app/guilds/{room.guild}", {"locale": LOCALES[locale]})
        table = await open_table(people[0], room.channel, variant=key, seats="join-order")
        for person in people[1:]:
            await person.click(table, "rt:join")
        tapper = Tapper(await visitors.join(people[0].name), locale)
        await open_channel(tapper.page, room.channel)
        await shoot(tapper.page, tapper.board, tmp_path / "1-turn")
        board, move = VARIANTS[key].board, next(iter_moves(Game.start(VARIANTS[key]).position))
        await tapper.tap(tapper.board, tapper.label("compose"))
        await expect(tapper.panel.locator("img")).to_be_visible()
        await shoot(tapper.page, tapper.panel, tmp_path / "2-pieces")
        for number, cell in enumerate((move.start, move.end)):
            button = re.compile(rf"^\d+ · {board.names[cell]}(?!\d)")
            await expect(tapper.panel.get_by_role("button", name=button).first).to_be_visible()
            await tapper.tap(tapper.panel, button)
            await expect(tapper.panel).to_contain_text(board.names[cell])
            await shoot(tapper.page, tapper.panel, tmp_path / f"{3 + number}-cell")
        await tapper.tap(tapper.panel, tapper.label("commit"))
        await expect(tapper.panel).to_contain_text(part("move.done", locale).strip("` "))
        assert tapper.taps == 4
        await shoot(tapper.page, tapper.panel, tmp_path / "5-played")

        tapper.taps = 0
        await tapper.tap(tapper.board, tapper.label("more"))
        await expect(tapper.panel.get_by_role("button", name=tapper.label("resign-ask"), exact=True)).to_be_visible()
        await shoot(tapper.page, tapper.panel, tmp_path / "6-more")
        await tapper.tap(tapper.panel, tapper.label("resign-ask"))
        await tapper.tap(tapper.panel, tapper.label("resign"))
        await expect(tapper.panel).to_contain_text(text(locale, "resign.done", id=1))
        assert tapper.taps == 3
        await shoot(tapper.page, tapper.page.locator(".message:not(.private)").last, tmp_path / "7-resigned")


@pytest.mark.parametrize("locale", LOCALES)
async def test_a_first_game_takes_two_taps(
    own_house: House, visitors: Visitors, tmp_path: Path, locale: Language
) -> None:
    async with AsyncExitStack() as stack:
        room = await Room.found(own_house, f"first-{locale}", stack)
        (eve,) = await room.enter("Eve", locale=LOCALES[locale])
        owner = await room.enter_owner()
        await owner.call("PATCH", f"/app/guilds/{room.guild}", {"locale": LOCALES[locale]})
        page = await visitors.join(eve.name)
        await open_channel(page, room.channel)
        await type_command(page, "/play ")
        await page.keyboard.press("Enter")  # the first
        dialog = page.get_by_role("dialog")
        await expect(dialog).to_contain_text(text(locale, "table-form.title"))
        await page.screenshot(path=tmp_path / "form-desk.png")
        await dialog.locator("button[type=submit]").click()  # and the second
        table = page.locator(".message:not(.private)").last
        await expect(table.get_by_role("button", name=label("join", locale), exact=True)).to_be_visible()
        await shoot(page, table, tmp_path / "table")
