"""The chat page in a real browser, with a real bot behind it: what a person does."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, ViewportSize, expect

from sandbox.discord_types import FORUM, PUBLIC_THREAD, Channel, Message
from tests.sandbox.scripted_bot import until

from . import small_bot
from .conftest import DESK, LOOP, PHONE, Court, Visitors
from .steps import (
    begin_anew,
    box_of,
    call_to_board,
    chat,
    composer,
    greet,
    last_message,
    run_command,
    type_command,
    write,
)
from .words import said

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)


async def test_a_command_is_found_filled_in_and_answered_with_a_picture(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await type_command(page, "/")
    await expect(page.locator("#suggestions li")).to_have_count(10)
    await page.keyboard.type("mo")
    await page.keyboard.press("Enter")
    await expect(page.locator(".command-head strong")).to_have_text("/move")
    await page.keyboard.type("d6", delay=30)
    await expect(page.locator("#suggestions li")).to_have_text(["D6-F8"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="+ loud").click()
    await page.keyboard.type("t")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    answer = last_message(page)
    await expect(answer).to_contain_text("Ada moved D6-F8!")
    await expect(answer.locator(".used")).to_have_text(f"Ada {said('used')} /move")
    image = answer.locator("img")
    await expect(image).to_have_attribute("alt", small_bot.ALT_TEXT)
    await expect(image).to_have_js_property("naturalWidth", 400)
    await expect(answer.locator(".caption")).to_be_hidden()
    sign = answer.get_by_role("button", name="ALT", exact=True)
    shown, above = await box_of(sign), await box_of(image)
    assert shown["y"] >= above["y"] + above["height"]  # it covers nothing of a board
    await sign.click()
    await expect(answer.locator(".caption")).to_have_text(small_bot.ALT_TEXT)
    await answer.locator(".picture").click()
    await expect(page.locator("dialog.viewer img")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.long
async def test_an_enlarged_picture_fills_the_window_and_can_be_zoomed_and_moved(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    board = await call_to_board(page, "Cleo")
    await page.set_viewport_size(PHONE)
    await board.get_by_role("button", name=said("enlarge")).click()
    image = page.locator("dialog.viewer img")

    async def box() -> tuple[float, float]:
        found = await box_of(image)
        return found["x"], found["width"]

    assert await box() == (0, PHONE["width"])
    await page.mouse.move(100, 300)
    await page.mouse.wheel(0, -400)
    left, width = await box()
    assert width > 2 * PHONE["width"]
    await page.mouse.down()
    await page.mouse.move(60, 300)
    await page.mouse.up()
    assert abs((await box())[0] - (left - 40)) < 2
    await page.keyboard.press("0")
    assert await box() == (0, PHONE["width"])
    await page.mouse.click(200, 20)  # beside the picture
    await expect(page.locator("dialog")).to_have_count(0)


async def a_button_pressed_while_a_list_is_open_stays_under_the_pointer(page: Page) -> None:
    await call_to_board(page, "Ada")
    answer = await greet(page, "Cleo")
    await type_command(page, "/move ")
    await expect(page.locator("#suggestions li")).to_have_count(5)
    await answer.get_by_role("button", name="Whisper").click(delay=150)
    await expect(last_message(page)).to_contain_text("Between you and me.")
    await expect(page.locator(".suggestions")).to_be_hidden()


@pytest.mark.long
async def test_the_list_of_moves_leaves_the_board_in_sight(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    for size in (DESK, PHONE):
        await page.set_viewport_size(size)
        board = await call_to_board(page, "Ada")
        await type_command(page, "/move ")
        await expect(page.locator("#suggestions li")).to_have_count(5)
        above, picture = await box_of(page.locator(".suggestions")), await box_of(board.locator("img"))
        assert picture["y"] + picture["height"] <= above["y"]
        assert above["height"] <= size["height"] * 0.4
        await begin_anew(page)


async def test_a_command_for_managers_is_offered_in_servers_that_one_manages(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    for place, found in (("general", ["/banish"]), ("elsewhere", [])):
        await page.locator(".place", has_text=place).first.click()
        await type_command(page, "/ban")
        await expect(page.locator("#suggestions .option-words > span:first-child")).to_have_text(found)


async def test_menus_offer_the_servers_channels_of_the_asked_types_and_its_roles(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await run_command(page, "/honour")
    menu = last_message(page)
    await menu.get_by_role("combobox").click()
    await expect(menu.get_by_role("option")).to_have_text(["@everyone", "@Steward", "@Bot", "@Lord"])
    await menu.get_by_role("option", name="Steward").click()
    await expect(menu).to_contain_text("They become Steward.")
    await run_command(page, "/meet")
    for menu, names in ((last_message(page), ["#news"]), (page.get_by_role("dialog"), ["#hall"])):
        await menu.get_by_role("combobox").click()
        await expect(menu.get_by_role("option")).to_have_text(names)
        await menu.get_by_role("option").click()


async def test_the_app_is_used_on_people_through_face_and_name_menus(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    menu = page.get_by_role("menu", name=said("personMenu", name="Cleo"))
    await page.locator(".seat", has_text="Cleo").click(button="right")
    await page.keyboard.press("Escape")
    await expect(menu).to_be_hidden()
    await greet(page, "Cleo")
    await last_message(page).locator(".pill", has_text="Cleo").click(button="right")
    await expect(menu.get_by_role("menuitem")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Ada salutes Cleo.")
    await expect(menu).to_be_hidden()


async def a_command_wakes_an_archived_thread(page: Page) -> None:
    await run_command(page, "/side_table")
    await page.locator(".place", has_text="Side table").click()
    await expect(page.locator(".channel-name")).to_contain_text("Side table")
    address, thread = page.url.split("?as=Ada#")
    await page.request.patch(f"{address}app/channels/{thread}", data={"archived": True})
    await expect(page.locator(".topline .tag")).to_have_text(said("threadArchived"))
    await run_command(page, "/move d6-f8", 1)
    await expect(last_message(page)).to_contain_text("Ada moved d6-f8.")
    await expect(page.locator(".topline .tag")).to_have_count(0)


async def a_form_is_checked_submitted_and_answered(page: Page) -> None:
    answer = await greet(page, "Cleo")
    await answer.get_by_role("button", name="Form").click()
    dialog = page.get_by_role("dialog", name="A remark")
    await expect(dialog.get_by_label("Your words")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog.locator(".problem")).to_have_text(said("optionMissing", option="Your words"))
    await page.keyboard.type("Well played")
    await expect(dialog.locator(".problem")).to_have_text("")
    await dialog.get_by_role("combobox", name="In which tone?").press("ArrowDown")
    await page.keyboard.press("Enter")
    await dialog.get_by_role("combobox", name="In which tone?").click()
    await dialog.get_by_role("button", name=said("submit")).click(delay=150)  # the open list moves nothing under it
    await expect(dialog).to_have_count(0)
    await expect(last_message(page)).to_contain_text("Kind: Well played")


async def test_a_few_keys_lead_to_messages_threads_and_the_message_field(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await run_command(page, "/side_table")
    thread = page.locator(".place", has_text="Side table")
    await chat(page, "Hail!", "Well met!")
    await page.reload()
    await expect(last_message(page)).to_be_visible()
    for keys, focused in (
        ("Tab", page.get_by_role("button", name=said("toNewest"))),
        ("Enter", last_message(page)),
        ("ArrowUp", page.locator(".message").first),
        ("Shift+Tab Shift+Tab Shift+Tab", page.locator(".topline").get_by_role("button", name="English")),
        ("Shift+Tab Shift+Tab Shift+Tab End", page.locator(".place").last),
        ("Home ArrowDown", thread),
        ("Shift+Tab Shift+Tab ArrowRight", page.locator(".seat").nth(1)),  # of all people only one is a stop
        ("Shift+Tab", page.get_by_role("button", name=said("skip"))),
        ("Enter", composer(page)),
    ):
        for key in keys.split():
            await page.keyboard.press(key)
        await expect(focused).to_be_focused()
    await thread.press("Enter")
    await expect(page.locator(".log :focus, .log:focus")).to_have_count(1)
    await page.keyboard.type("Hail")
    await expect(composer(page)).to_have_value("Hail")


async def a_menu_in_a_message_is_used_with_the_keyboard(page: Page) -> None:
    answer = await greet(page, "Cleo")
    await answer.get_by_role("combobox").focus()
    for key in ("Enter", "ArrowDown", "Enter"):
        await page.keyboard.press(key)
    await expect(page.locator(".message").last).to_contain_text("You chose Chivalry.")
    await expect(page.locator(".edited")).to_have_count(1)
    menu = page.locator(".message").last.get_by_role("combobox")
    await expect(menu).to_have_text("Chivalry")  # the edit has left the menu as it was
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url))
    for key in ("Enter", "Enter"):
        await menu.press(key)
    await expect(menu).to_have_attribute("aria-expanded", "false")
    assert not [url for url in sent if url.endswith("/components")]
    for key in ("Enter", "ArrowUp", "Enter"):
        await menu.press(key)
    await expect(page.locator(".message").last).to_contain_text("You chose Camelot.")


async def a_private_answer_is_gone_with_the_page(page: Page) -> None:
    answer = await greet(page, "Cleo")
    await answer.get_by_role("button", name="Whisper").click()
    whisper = page.locator(".message", has_text="Between you and me.")
    await expect(whisper).to_be_visible()
    await begin_anew(page)
    await expect(page.locator(".message", has_text="Hello").last).to_be_visible()
    await expect(whisper).to_have_count(0)


@pytest.mark.long
async def test_what_a_message_offers_is_used(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    for step in (
        a_menu_in_a_message_is_used_with_the_keyboard,
        a_private_answer_is_gone_with_the_page,
        a_form_is_checked_submitted_and_answered,
        a_button_pressed_while_a_list_is_open_stays_under_the_pointer,
        a_command_wakes_an_archived_thread,
    ):
        await step(page)
        await begin_anew(page)


@pytest.mark.long
async def test_the_seat_one_takes_decides_who_one_is(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.get_by_role("link", name="Bjørn").click()
    await expect(page.locator(".table-top")).to_contain_text("Bjørn")
    await expect(page).to_have_url(re.compile(r"\?as=Bj%C3%B8rn"))
    await expect(page.locator("html")).to_have_attribute("lang", "no")
    await write(page, "God kveld!")
    await expect(last_message(page).locator(".author")).to_have_text("Bjørn")
    await page.go_back()
    await expect(page.locator(".table-top")).to_contain_text("Ada")
    await page.goto(visitors.url)  # as whom one was last, without having chosen
    await page.get_by_role("link", name="Cleo").click()
    await expect(page.locator(".table-top")).to_contain_text("Cleo")
    await page.go_back()
    await expect(page.locator(".table-top")).to_contain_text("Bjørn")


async def test_a_crowd_and_many_unread_channels_do_not_make_the_page_longer(visitors: Visitors, court: Court) -> None:
    page = await visitors.join("Ada")
    world = court.server.world
    home = next(one for one in world.guilds.values() if one.name == "Test Server")
    cleo = next(one for one in world.people.values() if one.name == "Cleo")
    for number in range(60):
        assert (await page.request.post(f"{visitors.url}/app/people", data={"name": f"Guest {number}"})).ok
        channel = Channel(world.next_id(), home.id, f"hall-{number}")
        world.put(channel)
        world.put(Message(world.next_id(), channel.id, cleo.id, world.clock(), "Hello!"))
    await page.reload()
    await expect(page.locator(".seat")).to_have_count(64)
    await expect(page.locator(".unseen-text")).not_to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    await expect(page.locator(".place").first).to_be_in_viewport(ratio=1)


async def test_the_language_switch_speaks_for_the_page_and_for_the_commands(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.locator(".topline").get_by_role("button", name="Norsk").press("Enter")
    await expect(page.locator("html")).to_have_attribute("lang", "no")
    await expect(page.locator(".topline").get_by_role("button", name="Norsk")).to_be_focused()
    await expect(composer(page)).to_have_attribute("placeholder", said("writeBriefly", "NO"))
    await type_command(page, "/move")
    await expect(page.locator("#suggestions li")).to_contain_text(["Gjør trekket ditt"])
    await expect(page.locator(".server", has_text="Other Court").get_by_role("button", name="Norsk")).to_have_count(0)
    server = page.locator(".server", has_text="Test Server")
    await server.get_by_role("button", name="Norsk").click()
    await expect(server.get_by_role("button", name="Norsk")).to_have_attribute("aria-pressed", "true")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("lang", "no")


@pytest.mark.long
async def test_the_page_comes_back_by_itself_when_the_server_does(court: Court, visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await write(page, "Before the fall")
    await expect(last_message(page)).to_contain_text("Before the fall")
    await court.server.close()
    await expect(page.locator(".banner.lost")).to_be_visible()
    await court.start_again()
    await expect(page.locator(".banner.lost")).to_have_count(0)
    await expect(last_message(page)).to_contain_text("Before the fall")
    await write(page, "After it")
    await expect(last_message(page)).to_contain_text("After it")
    await until(lambda: court.server.gateway.online)  # or the bot would be closed in a handshake, which it leaves open
    # The browser itself writes each vain attempt to the console.
    visitors.complaints[:] = [text for text in visitors.complaints if "ERR_CONNECTION_REFUSED" not in text]


async def test_without_an_extension_there_is_a_tour_and_no_first_steps(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.locator(".guide")
    await expect(guide).to_be_hidden()
    await page.get_by_role("button", name=said("tour")).click()
    await expect(guide).to_contain_text(said("tourPeople", name="Ada"))
    await guide.get_by_role("button", name=said("tourNext")).press("Enter")
    for step in ("tourNext", "tourNext", "tourDone"):
        await expect(guide.get_by_role("button", name=said(step))).to_be_focused()
        await page.keyboard.press("Enter")
    await expect(guide).to_be_hidden()
    await expect(composer(page)).to_be_focused()


async def test_nothing_sticks_out_and_everything_that_can_be_pressed_has_a_name(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await greet(page, "Cleo")
    await run_command(page, "/move e6-e8", 1)
    await expect(last_message(page)).to_contain_text("moved")
    await run_command(page, "/rules", 1)
    await expect(last_message(page).locator(".container .picker")).to_be_visible()
    for size in (DESK, PHONE, ViewportSize(width=366, height=800)):
        await page.set_viewport_size(size)
        edges = "Array.from(document.querySelectorAll('main *'), e => e.getBoundingClientRect().right)"
        assert await page.evaluate(f"Math.max(...{edges})") <= size["width"] + 1
        assert await composer(page).evaluate("words => words.scrollHeight <= words.clientHeight")
        pressed = "[...document.querySelectorAll('button, a, input, textarea, select')]"
        nameless = "e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)"
        assert await page.evaluate(f"{pressed}.filter({nameless}).map(e => e.outerHTML)") == []


@pytest.mark.long
async def test_a_forum_lists_its_posts_and_opens_them(visitors: Visitors, court: Court) -> None:
    world = court.server.world
    forum = next(one for one in world.channels.values() if one.type == FORUM)
    number, tag = world.next_id(), int(forum.tags[0]["id"])
    world.put(Channel(number, forum.guild_id, "Camelot #1", PUBLIC_THREAD, forum.id, applied=(tag,)))
    world.put(Message(number, number, next(iter(world.people)), world.clock(), "The game begins"))
    page = await visitors.join("Ada")
    await page.locator(".place", has_text="forum").first.click()
    await expect(composer(page)).to_be_disabled()
    post = page.locator(".channel-start button", has_text="Camelot #1")
    await expect(post.locator(".tag")).to_have_text("question")
    await post.click()
    await expect(last_message(page)).to_contain_text("The game begins")
    await expect(page.locator("header .tag").first).to_have_text("question")


async def test_a_phones_table_drawer_cannot_be_entered_by_keyboard_while_shut(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.set_viewport_size(PHONE)
    for _ in range(2):
        await page.get_by_role("button", name=said("menu")).press("Enter")
        await expect(page.locator(".place[aria-current]")).to_be_focused()
        await page.get_by_role("link", name="Cleo").click()
        await expect(page.locator(".sidebar")).to_be_hidden()
        await expect(page.get_by_role("button", name=said("menu"))).to_be_focused()
    await expect(page.locator(".table-top")).to_contain_text("Cleo")
