"""Whole games through the composer on the chat page, in a real browser: by buttons and menus, as on a phone."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Locator, Page, expect
from playwright.async_api import TimeoutError as PageTimeoutError

from bot.core.draft import Draft
from bot.texts.i18n import Language, text
from rules import Game, Move, format_move, parse_move
from tests.e2e.house import House
from tests.e2e.judging import moves_of, read_record
from tests.e2e.room import open_table
from tests.sandbox.page.conftest import PHONE, Visitors
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

PEOPLE = ("Ada", "Cleo", "Dag")


async def set_table(house: House, variant: str, names: tuple[str, ...]) -> None:
    """A game in #round-table that has begun, with these people in turn order."""
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(await house.join(name)) for name in names]
        table = await open_table(people[0], "#round-table", variant=variant, seats="join-order")
        for person in people[1:]:
            await person.click(table, "Join")
        await people[0].wait_for("#round-table", lambda said: part("turn.begins") in said.text)


async def pick_option(opener: Locator, option: Locator) -> None:
    """Opens a menu and chooses an option. A message that changes while its menu is open closes it: then once more."""
    await opener.click()
    try:
        await option.click(timeout=10_000)
    except PageTimeoutError:
        await opener.click()
        await option.click()


async def choose(panel: Locator, menu: str, cell: str, locale: Language = "en") -> None:
    """Presses the button of that cell, or chooses it from the menu. No list in these games has a second page."""
    opener, option = panel.get_by_role("combobox", name=menu), panel.get_by_role("option")
    button = panel.get_by_role("button", name=re.compile(rf"^\d+ · {cell}(?!\d)"))
    await expect(button.or_(opener).first).to_be_visible()
    if await button.count():
        # A cell that the next leg reaches and that the whole move ends on has two buttons: the leg comes first.
        await (button.last if menu == text(locale, "composer.menu.end") else button.first).click()
        return
    await pick_option(opener, option.filter(has_text=re.compile(rf"^\d+\. {cell}(?!\d)")))


async def compose(page: Page, game: Game, move: Move, *, straight: bool, locale: Language = "en") -> None:
    """Plays the move on the page by the composer: leg by leg, or straight to its destination where that is offered."""
    board = game.variant.board
    title = text(locale, "turn.title", variant=text(locale, f"variant.{game.variant.key}"), id=0, number="").split(
        " · "
    )[-1]
    turn = page.locator(".message.calls-me", has_text=f"{title}{len(game.moves) + 1}\n").last
    await turn.get_by_role("button", name=label("compose", locale), exact=True).click()
    panel = page.locator(".message.private").last
    await choose(panel, text(locale, "composer.menu.piece"), board.names[move.start], locale)
    ways = Draft.from_path(game.position, [move.start]).find_ends().by_cell[move.end]
    if straight and len(ways) == 1 and len(move.path) > 2:
        await choose(panel, text(locale, "composer.menu.end"), board.names[move.end], locale)
    else:
        for last in range(1, len(move.path)):
            await choose(panel, text(locale, "composer.menu.leg"), board.names[move.path[last]], locale)
            turned = Draft.from_path(game.position, move.path[: last + 1]).turn
            assert turned is not None
            await expect(panel).to_contain_text(f"{format_move(turned.move, board)} …")
    await expect(panel.locator("img")).to_have_js_property("complete", value=True)
    await panel.get_by_role("button", name=label("commit", locale)).click()
    sure = panel.get_by_role("button", name=label("sure", locale))
    done = panel.get_by_text(part("move.done", locale).strip("` "))
    await expect(sure.or_(done)).to_be_visible()
    if await sure.is_visible():
        await sure.click()
    await expect(done).to_be_visible()
    await panel.get_by_role("button", name=re.compile("^(Dismiss|Fjern)$")).click()


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["cam-3d-castle", "cam-3d-routes", "camelot-capture", "chivalry-capture", "tri-camelot-castle"]
)
@pytest.mark.whole
async def test_a_whole_game_is_composed_on_the_page_with_a_restart_between(
    own_house: House, visitors: Visitors, name: str
) -> None:
    moves = moves_of(name)
    game = Game.start(read_record(name).origin.variant)
    names = PEOPLE[: len(game.variant.seats)]
    pages = [await visitors.join(person) for person in names]
    for page in pages:
        await page.set_viewport_size(PHONE)
    await set_table(own_house, game.variant.key, names)
    for number, notation in enumerate(moves):
        if number == len(moves) // 2:
            await own_house.kill_bot()
            await own_house.start_bot()
        move = parse_move(game.position, notation)
        await compose(pages[game.position.turn], game, move, straight=number % 2 == 1)
        game = game.play(notation)
    for page in pages:
        await expect(page.locator(".message").last).to_contain_text("is over")
