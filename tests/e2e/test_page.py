"""A newcomer's first game, played on the chat page in a real browser with the real bot behind it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.sandbox.page.conftest import Visitors
from tests.sandbox.page.steps import last_message, run_command, type_command
from tests.sentences import confirmed

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_two_people_start_a_game_and_play_on_the_page(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await run_command(ada, "/play variant:camelot seats:join-order", 1)
    await last_message(cleo).get_by_role("button", name="Join").click()
    await expect(ada.locator(".message.calls-me")).to_contain_text("it is your turn")
    await type_command(ada, "/move ")
    options = ada.locator("#suggestions li")
    await expect(options.filter(has_text="D6")).to_be_visible()
    await ada.keyboard.type("d6", delay=20)
    await options.filter(has_text="D6-F8").click()
    await ada.keyboard.press("Enter")
    await expect(ada.locator(".message.private").last).to_contain_text(confirmed("D6-F8", 1).replace("`", ""))
    await expect(cleo.locator(".message.calls-me")).to_have_count(2)  # the start pings everybody, too
    turn = cleo.locator(".message.calls-me").last
    await expect(turn).to_contain_text(re.compile(r"White (.*)?canters D6-F8\..*@Cleo, it is your turn\."))
    picture = turn.locator("img")
    await expect(picture).to_have_attribute("alt", re.compile("White cantered D6-F8. Black is to move."))
    assert await picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 900

    await run_command(cleo, "/move", 1)  # from here on with keys alone, and without looking
    private = cleo.locator(".message.private")
    first = private.locator("[data-custom-id]:enabled").first
    await expect(first).to_be_focused()
    await private.get_by_role("button", name="Type it").press("Enter")
    await cleo.get_by_role("dialog").get_by_role("textbox").fill("F10-F6")
    await cleo.keyboard.press("Enter")
    await expect(private).to_contain_text("F10 and F6 are too far apart")
    await expect(private.get_by_role("button", name="Type it")).to_be_focused()
    await first.focus()
    for _ in range(3):
        await expect(first).to_be_focused()
        await cleo.keyboard.press("Enter")
    heard = cleo.locator("[aria-live=polite] p")
    for said in ("You played I10-J9 in game #1.", re.compile(r"Black (.*)?moves I10-J9")):
        await expect(heard.filter(has_text=said)).to_have_count(1)  # the bug: only the last was read aloud
