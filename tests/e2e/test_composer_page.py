"""Whole games through the composer on the chat page, in a real browser: by buttons and menus, as on a phone."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
from playwright.async_api import expect

from rules import Game, parse_move
from tests.e2e.house import House
from tests.e2e.judging import moves_of, read_record
from tests.e2e.page_composer import compose
from tests.e2e.room import open_table
from tests.sandbox.page.conftest import PHONE, Visitors
from tests.sentences import part

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
