"""Three people play Tri-Camelot in the browser, two of whom have planned four moves ahead."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.async_api import expect

from bot.texts.i18n import text
from rules import format_move, legal_moves
from tests.e2e.house import House
from tests.e2e.room import Room
from tests.sandbox.page.conftest import Visitors
from tests.sandbox.page.steps import last_message, type_command
from tests.sentences import label

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


async def test_three_people_look_at_what_two_of_them_have_planned(
    own_house: House, visitors: Visitors, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        ada, dag, cleo = [
            await stack.enter_async_context(await own_house.join(name)) for name in ("Ada", "Dag", "Cleo")
        ]
        room = Room(own_house, "page", await ada.find("#round-table"), stack)
        played = await room.start("tri-camelot", ada, dag, cleo)
        game, moves = played.game, list[str]()
        for _ in range(12):
            moves.append(format_move(legal_moves(game.position)[0], game.variant.board))
            game = game.play(moves[-1])
        page = await visitors.join("Dag")
        await type_command(page, "/plan ")
        await page.get_by_role("button", name="+ line").click()
        await page.keyboard.type(" ".join(moves[:11]))
        await page.keyboard.press("Enter")
        drawn = page.locator(".message.private").last
        await expect(drawn).to_contain_text(text("en", "plan.question", id=1, variant="").split("**")[1])
        await expect(drawn.locator("img").last).to_be_visible()
        for size, name in ((DESK, "desk"), (PHONE, "phone")):
            await page.set_viewport_size(size)  # type: ignore[arg-type]  # a dict of the right keys
            await drawn.scroll_into_view_if_needed()
            await page.screenshot(path=tmp_path / f"plan-{name}.png")
        await drawn.get_by_role("button", name=label("plan-confirm")).click()
        await expect(drawn).to_contain_text(text("en", "plan.done", id=1).split(".")[0])
        asked = await cleo.command(played.channel, "plan", line=" ".join(moves), game="1")
        await cleo.click(asked, label("plan-confirm"))
        await played.try_move(moves[0])
        seen = await visitors.join("Ada")
        await expect(seen.locator(".message.private")).to_have_count(0)  # nothing about the other players' plans
        turn = last_message(seen)
        await expect(turn).to_contain_text("planned")
        for move in moves[:3]:
            await expect(turn).to_contain_text(move)
        picture = turn.locator("img").last
        for size, name in ((DESK, "desk"), (PHONE, "phone")):
            await seen.set_viewport_size(size)  # type: ignore[arg-type]  # as above
            await turn.scroll_into_view_if_needed()
            assert await picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 900
            await seen.screenshot(path=tmp_path / f"chain-{name}.png")
