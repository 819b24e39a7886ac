"""The log follows the newest message, lets a reader look back in peace, and brings them what is meant for them."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Page, Route, ViewportSize, expect

from sandbox import TOKEN
from sandbox.discord_types import Message
from sandbox.world import BOT_ID

from .conftest import DESK, LOOP, PHONE, Court, Visitors
from .steps import box_of, call_to_board, chat, greet, last_message, run_command, write
from .words import said

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)


async def gap(page: Page) -> float:
    """How far the end of the log is below what one sees, in pixels."""
    return float(await page.locator(".log").evaluate("log => log.scrollHeight - log.scrollTop - log.clientHeight"))


async def look_back(page: Page) -> None:
    """Scrolls up as a reader does."""
    await page.locator(".log").hover()
    await page.mouse.wheel(0, -900)
    await expect(page.locator(".newest")).to_be_visible()


async def late(route: Route) -> None:
    """Pictures that come after everything else, as they do over a slow line."""
    await asyncio.sleep(0.3)
    await route.continue_()


@pytest.mark.long
async def test_the_end_stays_in_view_whenever_a_picture_comes(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.route("**/attachments/**", late)
    for _ in range(3):
        board = await call_to_board(page, "Cleo")
        await expect(board.locator("img")).to_have_js_property("complete", True)
        await expect(board.get_by_role("button", name="Moves")).to_be_in_viewport()
        assert await gap(page) < 5
        await expect(page.locator(".newest")).to_be_hidden()


async def test_a_message_link_leads_there_within_the_page_however_far_up(visitors: Visitors, court: Court) -> None:
    world = court.server.world
    places = {one.name: one for one in world.channels.values()}
    far = Message(world.next_id(), places["lobby"].id, BOT_ID, 0.0, "Far up")
    later = (Message(world.next_id(), far.channel_id, BOT_ID, 0.0, f"line {number}") for number in range(120))
    for message in (far, *later):
        world.put(message)
    page = await visitors.join("Ada")
    address = f"https://discord.com/channels/{places['lobby'].guild_id}/{far.channel_id}"
    for number, found in ((far.id, "Far up"), (far.id - 1, "line 119")):
        await page.locator(".place", has_text="general").first.click()
        await write(page, f"[To {found}]({address}/{number})")
        await page.get_by_role("link", name=f"To {found}").click()
        await expect(page.locator(".channel-name")).to_contain_text("lobby")
        await expect(page.locator(".message", has_text=found)).to_be_in_viewport()
        await expect(page).to_have_url(re.compile(rf"#{far.channel_id}$"))
    assert len(page.context.pages) == 1


@pytest.mark.long
async def test_a_picture_has_its_room_before_it_is_there(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.route("**/attachments/**", lambda route: route.abort())
    board = await call_to_board(page, "Cleo")
    for size, least, most in ((DESK, 350, 350), (PHONE, 330, 400)):
        await page.set_viewport_size(size)
        box = await box_of(board.locator("img"))
        assert abs(box["height"] - box["width"]) < 2
        assert least <= round(box["height"]) <= most, "as large as Discord shows it"
    visitors.complaints[:] = [text for text in visitors.complaints if "ERR_FAILED" not in text]


@pytest.mark.long
async def test_a_reader_who_looks_back_is_told_of_news_and_not_moved(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await chat(ada, *(f"line {number}" for number in range(40)))
    await look_back(cleo)
    before = await cleo.locator(".log").evaluate("log => log.scrollTop")
    await chat(ada, "Hear, hear")
    await expect(cleo.locator(".newest")).to_have_text(said("newMessages"))
    assert await cleo.locator(".log").evaluate("log => log.scrollTop") == before
    await cleo.set_viewport_size(PHONE)
    log, pill = [await box_of(cleo.locator(one)) for one in (".log", ".newest")]
    assert pill["y"] + pill["height"] < log["y"] + 60, "it covers no button, and takes no room from the messages"
    await cleo.locator(".newest").click()
    await expect(cleo.get_by_text("Hear, hear", exact=True)).to_be_in_viewport()
    await expect(cleo.locator(".newest")).to_be_hidden()


@pytest.mark.long
async def test_a_message_that_grows_moves_only_a_reader_at_the_end(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await chat(ada, *(f"line {number}" for number in range(20)))
    answer = await greet(ada, "Bjørn")
    await look_back(cleo)
    before = await cleo.locator(".log").evaluate("log => log.scrollTop")
    place, number = ada.url.split("#")[1], await answer.get_attribute("data-id")
    address = f"{visitors.url}/api/v10/channels/{place}/messages/{number}"
    for lines in (9, 60):  # the bugs: 60 were shown from the top, and again after a press on a button at their end
        words = {"content": "\n".join(f"grown {line + 1}" for line in range(lines))}
        await ada.request.patch(address, headers={"Authorization": f"Bot {TOKEN}"}, data=words)
        await expect(last_message(ada)).to_contain_text(f"grown {lines}")
        assert await gap(ada) < 5
    await last_message(ada).get_by_role("button", name="Silence").click()
    await expect(last_message(ada).get_by_role("button", name="Silence")).to_be_disabled()
    assert await gap(ada) < 5
    assert await cleo.locator(".log").evaluate("log => log.scrollTop") == before


@pytest.mark.long
async def test_a_message_taller_than_the_screen_is_read_undisturbed_from_its_top(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await chat(cleo, "Before")
    await write(ada, "\n".join(f"line {number}" for number in range(60)))
    await expect(last_message(cleo).locator("header")).to_be_in_viewport(ratio=1)
    await cleo.locator(".message", has_text="Before").evaluate("message => { message.style.display = 'none'; }")
    await expect(last_message(cleo).locator("header")).to_be_in_viewport(ratio=1)
    top = await cleo.locator(".log").evaluate("log => log.scrollTop")
    await chat(ada, "And now?")
    await expect(cleo.locator(".newest")).to_have_text(said("newMessages"))
    assert await cleo.locator(".log").evaluate("log => log.scrollTop") == top
    await greet(ada, "Cleo")
    await expect(last_message(cleo)).to_be_in_viewport()
    await cleo.set_viewport_size(ViewportSize(width=1280, height=320))
    await run_command(cleo, "/rules", 1)
    await expect(last_message(cleo)).to_contain_text("The rules")
    await expect(last_message(cleo).locator("header")).to_be_in_viewport(ratio=1)


@pytest.mark.long
async def test_ones_own_answer_and_a_ping_come_into_view_wherever_one_reads(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await chat(ada, *(f"line {number}" for number in range(40)))
    await look_back(ada)
    await look_back(cleo)
    await greet(ada, "Cleo")
    for page in (ada, cleo):
        await expect(last_message(page)).to_be_in_viewport()
        assert await gap(page) < 5
