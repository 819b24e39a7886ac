"""The chat page in a real browser, with a real bot behind it: what a person sees and does."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from bot.sandbox import Sandbox, point_discord_at
from tests.sandbox import page_bot

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 400, "height": 800}

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine"),
    pytest.mark.asyncio(loop_scope="module"),  # starting a browser takes longer than a test: one serves them all
]


class Visitors:
    """People with the page open, each in a browser of his own. Any error in a console fails the test."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self.complaints: list[str] = []

    async def join(self, name: str, *, size: dict[str, int] = DESK, scheme: str = "light", guide: bool = False) -> Page:
        """The page as the person sees it, in #round-table; without the newcomer's guide unless asked for."""
        context = await self._browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]  # plain dicts do
        if not guide:
            await context.add_init_script("localStorage.setItem('round-table-guide', '9')")
        page = await context.new_page()
        page.on("console", lambda line: line.type == "error" and self.complaints.append(line.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        await page.goto(f"{self._url}/?as={name}")
        await page.locator(".place", has_text="round-table").first.click()
        await expect(page.locator(".channel-start")).to_be_attached()
        return page


class Court:
    """A world with the small bot in it, which can go down and come up again at the same address."""

    def __init__(self, folder: Path, server: Sandbox) -> None:
        self._folder = folder
        self.server = server

    async def start_again(self) -> None:
        """The server anew on its old port. Call `server.close` before."""
        port = int(self.server.url.rsplit(":", 1)[1])
        self.server = await Sandbox.start(self._folder, port=port)


@pytest_asyncio.fixture(loop_scope="module")
async def court(tmp_path: Path) -> AsyncIterator[Court]:
    """A new world."""
    there = Court(tmp_path, await Sandbox.start(tmp_path))
    point_discord_at(there.server.url)
    try:
        async with page_bot.at_work():
            yield there
    finally:
        await there.server.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Chromium."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        await chromium.close()


@pytest_asyncio.fixture(loop_scope="module")
async def visitors(browser: Browser, court: Court) -> AsyncIterator[Visitors]:
    """Whom to let in; in the end nobody's console may have complained."""
    people = Visitors(browser, court.server.url)
    yield people
    for context in browser.contexts:
        await context.close()
    assert people.complaints == []


def composer(page: Page) -> Locator:
    return page.locator("#words")


def last_message(page: Page) -> Locator:
    return page.locator(".message").last


async def type_command(page: Page, text: str) -> None:
    """Types as a person does, a slash first."""
    await composer(page).click()
    await page.keyboard.type(text, delay=5)


async def greet(page: Page, whom: str) -> Locator:
    """Runs /greet; the answer with its buttons."""
    await type_command(page, f"/greet {whom}")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    answer = page.locator(".message", has_text="Hello").last
    await expect(answer).to_be_visible()
    return answer


async def test_a_command_is_found_filled_in_and_answered_with_a_picture(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await type_command(page, "/")
    await expect(page.locator("#suggestions li")).to_have_count(4)
    await page.keyboard.type("mo")
    await page.keyboard.press("Enter")
    await expect(page.locator(".command-head strong")).to_have_text("/move")
    await page.keyboard.type("d6", delay=30)
    await expect(page.locator("#suggestions li")).to_have_text(["D6-F8"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="+ loud").click()
    await page.keyboard.type("y")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    answer = last_message(page)
    await expect(answer).to_contain_text("Ada moved D6-F8!")
    await expect(answer.locator(".used")).to_have_text("Ada used /move")
    image = answer.locator("img")
    await expect(image).to_have_attribute("alt", page_bot.ALT_TEXT)
    await expect(image).to_have_js_property("naturalWidth", 400)
    await expect(answer.locator("figcaption")).to_be_hidden()
    await answer.get_by_role("button", name="ALT", exact=True).click()
    await expect(answer.locator("figcaption")).to_have_text(page_bot.ALT_TEXT)
    await answer.locator(".picture").click()
    await expect(page.locator("dialog.viewer img")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog")).to_have_count(0)


async def test_a_late_suggestion_never_replaces_a_newer_one_and_free_text_is_sent_as_typed(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await type_command(page, "/move e")
    await asyncio.sleep(0.3)  # the question for "e" is asked, its answer takes longer than the next one's
    await page.keyboard.type("6-f")
    options = page.locator("#suggestions li")
    await expect(options).to_have_text(["E6-F8"])
    await asyncio.sleep(0.7)
    await expect(options).to_have_text(["E6-F8"])
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Ada moved e6-f.")


async def test_a_missing_option_is_named_and_nothing_is_sent(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await type_command(page, "/move ")
    await expect(page.locator("#suggestions li")).to_have_count(4)
    await page.keyboard.press("Enter")
    await expect(page.locator(".command-form .problem")).to_have_text("move: please fill this in.")
    await page.keyboard.press("Escape")  # shuts the list
    await page.keyboard.press("Escape")  # leaves the command
    await expect(composer(page)).to_be_focused()
    await expect(page.locator(".message")).to_have_count(0)


async def test_a_private_answer_is_seen_by_its_reader_only_and_can_be_dismissed(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await greet(ada, "Cleo")
    await cleo.get_by_role("button", name="Whisper").click()
    private = cleo.locator(".message.private")
    await expect(private).to_contain_text("Between you and me.")
    await expect(private).to_contain_text("Only you can see this")
    await expect(ada.locator(".message", has_text="Between")).to_have_count(0)
    await private.get_by_role("button", name="Dismiss").click()
    await expect(private).to_have_count(0)


async def test_a_ping_is_counted_where_one_is_not_looking(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await cleo.locator(".place", has_text="lobby").click()
    await expect(cleo.locator(".channel-name")).to_contain_text("lobby")
    await greet(ada, "Cleo")
    place = cleo.locator(".place", has_text="round-table").first
    await expect(place.locator(".badge")).to_contain_text("1")
    await expect(cleo).to_have_title(re.compile(r"^\(1\) "))
    await place.click()
    await expect(place.locator(".badge")).to_have_count(0)
    await expect(cleo.locator(".message.calls-me")).to_contain_text("@Cleo")
    await expect(cleo.locator(".divider.news")).to_be_visible()


async def test_a_form_is_checked_submitted_and_answered(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    answer = await greet(page, "Cleo")
    await answer.get_by_role("button", name="Form").click()
    dialog = page.get_by_role("dialog", name="A remark")
    await expect(dialog.get_by_label("Your words")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog.locator(".problem")).to_have_text("Your words: please fill this in.")
    await page.keyboard.type("Well played")
    await dialog.get_by_role("combobox", name="In which tone?").press("ArrowDown")
    await page.keyboard.press("Enter")
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog).to_have_count(0)
    await expect(last_message(page)).to_contain_text("Kind: Well played")


async def test_a_menu_in_a_message_is_used_with_the_keyboard(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    answer = await greet(page, "Cleo")
    await answer.get_by_role("combobox").focus()
    for key in ("Enter", "ArrowDown", "Enter"):
        await page.keyboard.press(key)
    await expect(page.locator(".message").last).to_contain_text("You chose Chivalry.")
    await expect(page.locator(".edited")).to_have_count(1)


async def test_an_interaction_without_an_answer_is_said_to_have_failed(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    answer = await greet(page, "Cleo")
    await answer.get_by_role("button", name="Silence").click()
    await expect(answer.get_by_role("button", name="Silence")).to_be_disabled()
    await expect(page.locator(".failed")).to_have_text("This interaction failed", timeout=6_000)
    await expect(answer.get_by_role("button", name="Silence")).to_be_enabled()


async def test_a_deferred_answer_thinks_first(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await type_command(page, "/think")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await expect(page.locator(".thinking")).to_contain_text("is thinking…")
    await expect(last_message(page)).to_contain_text("Thought about it.")
    await expect(page.locator(".thinking")).to_have_count(0)


async def test_components_of_the_second_generation_are_laid_out(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await type_command(page, "/rules")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    container = last_message(page).locator(".container")
    await expect(container.get_by_role("heading", name="The rules")).to_be_visible()
    await expect(container.locator("hr")).to_have_count(1)
    await expect(container.locator(".section").get_by_role("button", name="Open")).to_be_visible()


async def test_what_people_write_is_never_markup(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    nasty = (
        "<script>document.title='gone'</script> <img src=x onerror=alert(1)> [go](javascript:alert(2)) "
        "**bold *both*** `<b>` https://example.com/a_b_c \\*plain\\* ||<i>dark</i>||"
    )
    await composer(page).fill(nasty)
    await page.keyboard.press("Enter")
    prose = last_message(page).locator(".prose")
    await expect(prose).to_contain_text("<script>document.title='gone'</script> <img src=x onerror=alert(1)>")
    await expect(prose).to_contain_text("[go](javascript:alert(2))")
    await expect(prose.locator("script, img, i")).to_have_count(0)
    await expect(prose.locator("strong em")).to_have_text("both")
    await expect(prose.locator("code")).to_have_text("<b>")
    await expect(prose.locator("a")).to_have_attribute("href", "https://example.com/a_b_c")
    await expect(prose).to_contain_text("*plain*")
    await expect(page).not_to_have_title("gone")


async def test_older_messages_come_when_one_scrolls_up_and_the_reader_keeps_his_place(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.evaluate(
        """async () => {
            const people = (await (await fetch("/app/people")).json()).people;
            const path = `/app/people/${people[0].id}/channels/${location.hash.slice(1)}/messages`;
            for (let number = 1; number <= 120; number += 1) {
                const body = JSON.stringify({ content: `message ${number}` });
                await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
            }
        }"""
    )
    await page.reload()
    await expect(page.locator(".message")).to_have_count(50)
    await expect(last_message(page)).to_be_in_viewport()
    await page.locator(".log").evaluate("log => { log.scrollTop = 0 }")
    await expect(page.locator(".message")).to_have_count(100)
    await expect(page.get_by_text("message 71", exact=True)).to_be_in_viewport()
    await page.locator(".log").evaluate("log => { log.scrollTop = 0 }")
    await expect(page.locator(".message")).to_have_count(120)
    await expect(page.locator(".channel-start")).to_be_attached()


async def test_the_seat_one_takes_decides_who_one_is(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.get_by_role("link", name="Bjørn").click()
    await expect(page.locator(".table-top")).to_contain_text("Bjørn")
    await expect(page).to_have_url(re.compile(r"\?as=Bj%C3%B8rn"))
    await expect(page.locator("html")).to_have_attribute("lang", "no")
    await composer(page).fill("God kveld!")
    await page.keyboard.press("Enter")
    await expect(last_message(page).locator(".author")).to_have_text("Bjørn")
    await page.go_back()
    await expect(page.locator(".table-top")).to_contain_text("Ada")


async def test_the_language_switch_speaks_for_the_page_and_for_the_commands(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.locator(".topline").get_by_role("button", name="Norsk").click()
    await expect(page.locator("html")).to_have_attribute("lang", "no")
    await expect(composer(page)).to_have_attribute("placeholder", "Skriv, eller / for en kommando")
    await type_command(page, "/move")
    await expect(page.locator("#suggestions li")).to_contain_text(["Gjør trekket ditt"])
    server = page.locator(".server", has_text="Other Court")
    await server.get_by_role("button", name="Norsk").click()
    await expect(server.get_by_role("button", name="Norsk")).to_have_attribute("aria-pressed", "true")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("lang", "no")


async def test_the_page_comes_back_by_itself_when_the_server_does(court: Court, visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await composer(page).fill("Before the fall")
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("Before the fall")
    await court.server.close()
    await expect(page.locator(".banner.lost")).to_be_visible()
    await court.start_again()
    await expect(page.locator(".banner.lost")).to_have_count(0, timeout=10_000)
    await expect(last_message(page)).to_contain_text("Before the fall")
    await composer(page).fill("After it")
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("After it")
    # The browser itself writes each vain attempt to the console.
    visitors.complaints[:] = [text for text in visitors.complaints if "ERR_CONNECTION_REFUSED" not in text]


async def test_the_guide_leads_on_from_step_to_step_and_can_be_sent_away(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.get_by_role("region", name="First steps")
    await expect(guide).to_contain_text("/play")
    await guide.get_by_role("button", name="Hide the first steps").click()
    await expect(guide).to_be_hidden()
    await page.get_by_role("button", name="First steps").click()
    await expect(guide).to_be_visible()
    await page.reload()
    await expect(guide).to_be_visible()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
async def test_nothing_sticks_out_and_everything_that_can_be_pressed_has_a_name(
    visitors: Visitors, size: dict[str, int]
) -> None:
    page = await visitors.join("Ada")
    await greet(page, "Cleo")
    await type_command(page, "/move e6-e8")
    await page.keyboard.press("Enter")
    await expect(last_message(page)).to_contain_text("moved")
    await page.set_viewport_size({"width": size["width"], "height": size["height"]})
    width = await page.evaluate(
        "Math.max(...[...document.querySelectorAll('main *')].map(e => e.getBoundingClientRect().right))"
    )
    assert width <= size["width"] + 1
    nameless = await page.evaluate(
        """[...document.querySelectorAll('button, a, input, textarea, select')]
            .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
            .map(e => e.outerHTML)"""
    )
    assert nameless == []


async def test_on_a_phone_the_table_is_in_a_drawer_that_the_keyboard_cannot_enter_while_it_is_shut(
    visitors: Visitors,
) -> None:
    page = await visitors.join("Ada")
    await page.set_viewport_size({"width": 400, "height": 800})
    await expect(page.locator(".sidebar")).to_be_hidden()
    menu = page.get_by_role("button", name="People and channels")
    await menu.click()
    await page.get_by_role("link", name="Cleo").click()
    await expect(page.locator(".sidebar")).to_be_hidden()
    await menu.click()
    await expect(page.locator(".table-top")).to_contain_text("Cleo")
