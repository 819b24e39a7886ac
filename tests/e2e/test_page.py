"""A newcomer's first game, played on the chat page in a real browser with the real bot behind it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bot.texts.i18n import text
from tests.sandbox.page.conftest import Visitors
from tests.sandbox.page.steps import last_message, run_command, type_command
from tests.sentences import confirmed

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def play_typing(page: Page, piece: str, towards: str) -> None:
    """`/move` as a newcomer does it: a piece from the list, then where it may go."""
    await type_command(page, "/move ")
    options = page.locator("#suggestions li")
    await expect(options.filter(has_text=piece)).to_be_visible()
    await page.keyboard.type(piece.lower(), delay=20)
    await expect(options.filter(has_text=towards)).to_have_count(1)
    await options.filter(has_text=towards).click()
    await page.keyboard.press("Enter")


async def test_two_people_start_a_game_and_play_on_the_page(visitors: Visitors, tmp_path: Path) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await type_command(ada, "/play ")
    await ada.get_by_role("button", name="+ variant").click()
    await ada.keyboard.type("Camelot", delay=10)
    await ada.locator("#suggestions li").get_by_text("Camelot", exact=True).click()
    await ada.get_by_role("button", name="+ seats").click()
    await ada.locator("#suggestions li", has_text=text("en", "choice.seats.join-order")).click()
    await ada.keyboard.press("Enter")
    table = last_message(cleo)
    await expect(table).to_contain_text("Camelot · game #1")
    await table.get_by_role("button", name="Join").click()
    await expect(ada.locator(".message.calls-me")).to_contain_text("it is your turn")
    await expect(cleo.locator(".message.calls-me")).to_have_count(1)  # the start pings everybody

    await play_typing(ada, "D6", "D6-F8")
    await expect(ada.locator(".message.private").last).to_contain_text(confirmed("D6-F8", 1).replace("`", ""))
    await expect(cleo.locator(".message.calls-me")).to_have_count(2)
    turn = cleo.locator(".message.calls-me").last
    await expect(turn).to_contain_text(re.compile(r"White (.*)?canters D6-F8\."))
    await expect(turn).to_contain_text("@Cleo, it is your turn.")
    await ada.screenshot(path=tmp_path / "ada.png")
    await cleo.screenshot(path=tmp_path / "cleo.png")
    picture = turn.locator("img")
    await expect(picture).to_have_attribute("alt", re.compile("White cantered D6-F8. Black is to move."))
    assert await picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 900
    before = await cleo.locator(".message").count()

    await run_command(cleo, "/move F10-F6", 1)
    private = cleo.locator(".message.private")
    await expect(private).to_contain_text("F10 and F6 are too far apart")
    assert await cleo.locator(".message").count() == before + 1
    await play_typing(cleo, "D11", "D11-F9")
    await expect(ada.locator(".message.calls-me").last).to_contain_text(re.compile(r"Black (.*)?canters D11-F9"))
    await cleo.screenshot(path=tmp_path / "cleo-later.png")
