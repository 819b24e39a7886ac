"""What those rely on who do not see the page: where the focus is, and what is read aloud."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from .conftest import LOOP, Court, Visitors
from .steps import chat, last_message, run_command, write
from .words import said

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)


async def test_the_focus_stays_where_it_is_while_others_write(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await cleo.locator(".place", has_text="lobby").click()
    server = ada.locator(".server", has=ada.get_by_role("heading", name="Test Server", exact=True))
    for number, control in enumerate(
        (
            ada.locator(".topline").get_by_role("button", name=said("stranger")),
            ada.locator(".topline").get_by_role("button", name="Norsk"),
            server.get_by_role("button", name="Norsk"),
            ada.locator(".place", has_text="Test Bot"),
        )
    ):
        for place in ("lobby", "general"):
            await ada.locator(".place", has_text=place).first.click()  # so that each line brings a dot to the lobby
        await expect(ada.locator(".place.unread")).to_have_count(0)
        await control.focus()
        await chat(cleo, f"line {number}")
        await expect(ada.locator(".place.unread", has_text="lobby")).to_be_visible()
        await expect(control).to_be_focused()


async def test_the_menu_on_a_person_shuts_where_nothing_had_the_focus(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    menu = page.get_by_role("menu", name=said("personMenu", name="Cleo"))
    for key in ("Escape", "Enter"):
        await page.evaluate("document.activeElement.blur()")
        await page.locator(".seat", has_text="Cleo").dispatch_event("contextmenu")  # as a long press on a phone does
        await expect(menu.get_by_role("menuitem")).to_be_focused()
        await page.keyboard.press(key)
        await expect(menu).to_be_hidden()
    await expect(last_message(page)).to_contain_text("Ada salutes Cleo.")


async def test_a_message_is_read_aloud_as_shown_and_not_as_written(visitors: Visitors, court: Court) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    lobby = next(one for one in court.server.world.channels.values() if one.name == "lobby")
    await write(
        cleo, f"**Camelot** in <#{lobby.id}>\n- [over](https://x.example) </play:9> ||secret||\n```\nw . b\n```"
    )
    shown = f"Cleo: Camelot in #lobby over /play {said('spoiler')}"
    await expect(ada.locator("[aria-live=polite]")).to_have_text(shown)  # a block of code is read where it stands
    await run_command(ada, "/rules", 1)  # the bug: nothing was read of the second generation's components
    await expect(ada.locator("[aria-live=polite] p").last).to_have_text("Test Bot: The rules In short. Read them all")
