"""A command is typed in a real browser: in full, letter by letter, and from the lists that help."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from playwright.async_api import Page, expect

from .conftest import DESK, LOOP, PHONE, Visitors
from .steps import begin_anew, composer, last_message, type_command
from .words import said

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)


async def a_command_typed_in_full_stands_before_one_that_ends_in_its_name(page: Page) -> None:
    await type_command(page, "/rules")
    await expect(page.locator("#suggestions .option-words > span:first-child")).to_have_text(["/rules", "/learn rules"])
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("The rules")


async def a_late_suggestion_never_replaces_a_newer_one_and_free_text_is_sent_as_typed(page: Page) -> None:
    await type_command(page, "/move e")
    await asyncio.sleep(0.3)  # the question for "e" is asked, its answer takes longer than the next one's
    await page.keyboard.type("6-e8")
    options = page.locator("#suggestions li")
    await expect(options).to_have_text(["E6-E8", "E6-E8-E10"])
    await asyncio.sleep(0.7)
    await expect(options).to_have_text(["E6-E8", "E6-E8-E10"])
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Ada moved e6-e8.")


async def picking_the_beginning_of_a_move_shows_how_it_can_go_on(page: Page) -> None:
    await type_command(page, "/move e6-e")
    options = page.locator("#suggestions li")
    await expect(options).to_have_text(["E6-E8", "E6-E8-E10"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-option='move']")).to_have_value("E6-E8")
    await expect(options).to_have_text(["E6-E8", "E6-E8-E10"])
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Ada moved E6-E8.")


async def options_may_be_named_as_the_bot_writes_them(page: Page) -> None:
    words = "/move move:e6-e8 loud:True"
    for enter in (composer(page).fill, partial(type_command, page)):
        await enter(words)
        await expect(page.locator("[data-option='move']")).to_have_value("e6-e8")
        await expect(page.locator("[data-option='loud']")).to_have_value("True")
        before = await page.locator(".message").count()
        await page.keyboard.press("Enter")
        await expect(page.locator(".message")).to_have_count(before + 1)
        await expect(last_message(page)).to_contain_text("Ada moved e6-e8!")


async def a_missing_option_is_named_until_it_is_typed(page: Page) -> None:
    before = await page.locator(".message").count()
    await type_command(page, "/move ")
    await expect(page.locator("#suggestions li")).to_have_count(5)
    await page.keyboard.press("Escape")  # shuts the list
    await page.keyboard.press("Enter")
    problem = page.locator(".command-form .problem")
    await expect(problem).to_have_text(said("optionMissing", option="move"))
    await page.keyboard.type("d")
    await expect(problem).to_have_text("")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")  # leaves the command
    await expect(composer(page)).to_be_focused()
    await expect(page.locator(".message")).to_have_count(before)


async def enter_takes_the_first_row_of_an_empty_field_and_the_only_row_of_any(page: Page) -> None:
    move = page.locator("[data-option='move']")
    options = page.locator("#suggestions li")
    await type_command(page, "/move ")
    await expect(options.first).to_contain_text("C6-E8xG10")  # the moves, and no longer the commands
    await expect(options.first).to_have_class("active")
    await page.keyboard.press("Enter")
    await expect(move).to_have_value("C6-E8xG10")
    await move.fill("d")
    await expect(options).to_have_text(["D6-F8"])
    await page.keyboard.press("Enter")
    await expect(move).to_have_value("D6-F8")
    await move.fill("e6-f8")  # the only row, and already typed
    await expect(options).to_have_text(["E6-F8"])
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Ada moved e6-f8.")


async def tab_opens_a_command_that_enter_would_send(page: Page) -> None:
    await type_command(page, "/rules")
    await page.keyboard.press("Tab")
    await expect(page.locator(".command-head strong")).to_have_text("/rules")
    await expect(page.get_by_role("button", name=said("send"))).to_be_focused()


async def a_press_on_the_arrow_sends_a_command_without_options(page: Page) -> None:
    for size in (PHONE, DESK):
        await page.set_viewport_size(size)
        before = await page.locator(".message").count()
        await type_command(page, "/rules")
        await page.keyboard.press("Tab")
        arrow = page.get_by_role("button", name=said("send"))
        await arrow.click(position={"x": 8, "y": 8}, trial=True)  # fails where something covers it
        await arrow.click()
        await expect(page.locator(".message")).to_have_count(before + 1)


async def enter_on_the_last_choice_that_a_command_needs_sends_it(page: Page) -> None:
    await type_command(page, "/greet")
    await page.keyboard.press("Enter")
    await page.keyboard.type("cleo", delay=5)
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Hello @Cleo")


@pytest.mark.long
async def test_a_command_is_typed_as_one_likes(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    for step in (
        a_command_typed_in_full_stands_before_one_that_ends_in_its_name,
        a_late_suggestion_never_replaces_a_newer_one_and_free_text_is_sent_as_typed,
        picking_the_beginning_of_a_move_shows_how_it_can_go_on,
        options_may_be_named_as_the_bot_writes_them,
        a_missing_option_is_named_until_it_is_typed,
        enter_takes_the_first_row_of_an_empty_field_and_the_only_row_of_any,
        tab_opens_a_command_that_enter_would_send,
        a_press_on_the_arrow_sends_a_command_without_options,
        enter_on_the_last_choice_that_a_command_needs_sends_it,
    ):
        await step(page)
        await begin_anew(page)
