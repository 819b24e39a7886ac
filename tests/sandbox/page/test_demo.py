"""Round Table's extension of the page: who is to move, and what a newcomer can do next."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from bot.demo import SANDBOX_PROFILE
from sandbox import BotProfile

from .conftest import DESK, LOOP, PHONE, Visitors
from .steps import call_to_board, chat, greet, last_message, type_command
from .words import said, said_by_demo

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)


@pytest.fixture
def profile() -> BotProfile:
    return SANDBOX_PROFILE


async def seat(page: Page, name: str) -> None:
    """Sits down as somebody else."""
    await page.get_by_role("link", name=re.compile(name)).click()
    await expect(page.locator(".table-top")).to_contain_text(name)


@pytest.mark.long
async def test_the_face_of_the_player_to_move_is_marked_until_then(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await expect(page.locator(".crown")).to_have_count(0)
    await call_to_board(page, "Cleo", 1)
    await expect(page.get_by_role("link", name="Cleo").locator(".crown")).to_contain_text(
        said_by_demo("toMove", name="Cleo")
    )
    await expect(page.locator(".turn")).to_have_accessible_name(said_by_demo("toMove", name="Cleo"))
    await chat(page, "Take your time")
    await page.reload()
    await expect(page.locator(".turn")).to_have_accessible_name(said_by_demo("toMove", name="Cleo"))
    await call_to_board(page, "Ada", 2)
    await expect(page.locator(".crown")).to_have_count(1)
    await expect(page.locator(".turn")).to_have_accessible_name("Your turn")
    await page.locator(".place", has_text="lobby").click()
    await expect(page.locator(".crown")).to_have_count(0)
    await expect(page.locator(".turn")).to_be_hidden()


@pytest.mark.long
async def test_the_sign_of_whose_turn_it_is_leads_back_to_the_board(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    board = await call_to_board(page, "Cleo")
    await chat(page, *(f"line {number}" for number in range(25)))
    await expect(board).not_to_be_in_viewport()
    await page.locator(".turn").click()
    await expect(board.locator("img")).to_be_in_viewport()
    await expect(board).to_be_focused()


@pytest.mark.long
async def test_the_first_steps_follow_what_happens(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.locator(".guide")
    await expect(guide).to_contain_text(said_by_demo("guideStart"))
    await type_command(page, "/table")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await expect(guide).to_contain_text(said_by_demo("guideSit", button="Fill seats with bots"))
    await guide.get_by_role("button", name=said_by_demo("guideSitDo", name="Bjørn")).click()
    await expect(guide).to_contain_text(said_by_demo("guideJoin", "NO", button="Join"))
    await seat(page, "Ada")
    await call_to_board(page, "Ada", 1)
    await expect(guide).to_contain_text(said_by_demo("guideMove", button="Move"))
    await page.reload()
    await expect(guide).to_contain_text(said_by_demo("guideMove", button="Move"))
    await call_to_board(page, "Cleo", 2)
    await expect(guide).to_contain_text(said_by_demo("guideDone"))
    await page.reload()
    await expect(guide).to_contain_text(said_by_demo("guideWait", name="Cleo"))
    await guide.get_by_role("button", name=said_by_demo("guideSitDo", name="Cleo")).click()
    await expect(guide).to_contain_text(said_by_demo("guideMove", button="Move"))


async def test_first_steps_make_room_for_a_private_board_naming_next_moves(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.locator(".guide")
    answer = await greet(page, "Cleo")
    await answer.get_by_role("button", name="Whisper").click()
    await expect(last_message(page)).to_contain_text("Between you and me.")
    await expect(guide).to_be_hidden()
    await last_message(page).get_by_role("button", name=said("dismiss")).click()
    await expect(guide).to_be_visible()
    for ply, player in enumerate(["Ada", "Cleo", "Ada"], start=1):  # as against the house, which answers at once
        await call_to_board(page, player, ply)
    await expect(guide).to_contain_text(
        said_by_demo("guideMove", button="Move"), timeout=4_000
    )  # praise stays for eight


@pytest.mark.long
async def test_a_refused_move_leaves_the_first_steps_where_they_are(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.locator(".guide")
    await call_to_board(page, "Ada", 1)
    await type_command(page, "/move a1-a9")
    await page.keyboard.press("Enter")
    await expect(page.locator(".message", has_text="moved a1-a9")).to_be_visible()
    await expect(guide).to_contain_text(said_by_demo("guideMove", button="Move"))


@pytest.mark.long
async def test_the_first_steps_lead_to_where_one_is_called(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo", guide=True)
    await cleo.locator(".place", has_text="lobby").click()
    guide = cleo.get_by_role("region", name=said("guide"))
    await expect(guide).to_contain_text(said_by_demo("guideStart"))
    await type_command(cleo, "/table")
    await cleo.keyboard.press("Enter")
    await cleo.keyboard.press("Enter")
    await expect(guide).to_contain_text(said_by_demo("guideSit", button="Fill seats with bots"))
    await call_to_board(ada, "Cleo")
    await expect(guide).to_contain_text(said_by_demo("guideTurnIn", channel="round-table"))
    await guide.get_by_role("button", name=said_by_demo("guideCalledDo")).click()
    await expect(guide).to_contain_text(said_by_demo("guideMove", button="Move"))


# Who may join a table of Ada's to which Bjørn (2) is invited and Cleo has come; Dag is a stranger.
TABLES = {
    "1. Ada, the host\n2. *free*": ["Bjørn", "Cleo", "Dag"],
    "1. Ada, verten\n2. Cleo\n3. *ledig*": ["Bjørn", "Dag"],
    "Ada invites <@2>.\n1. Ada, the host\n2. Cleo\n3. <@2>, invited": ["Bjørn"],
    "Ada invites Bjørn.\n1. Ada, the host\n2. Cleo\n3. Bjørn, invited": ["Bjørn"],
    "1. Ada, the host\n2. Cleo\n3. Bjørn": [],
    "1. <@1>, the host\n2. <@!2>\n3. *free*": ["Cleo", "Dag"],
}


async def test_a_table_says_for_whom_it_has_a_seat(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    found = await page.evaluate(
        """async (tables) => {
            const { mayJoin } = await import("/extension/standing.js");
            const people = ["Ada", "Bjørn", "Cleo", "Dag"].map((name, before) => ({ id: `${before + 1}`, name }));
            const joining = (content) => people.filter((person) => mayJoin({ content }, person));
            return tables.map((content) => joining(content).map(({ name }) => name));
        }""",
        list(TABLES),
    )
    assert dict(zip(TABLES, found, strict=True)) == TABLES


@pytest.mark.long
async def test_the_guide_leads_on_step_by_step_and_can_be_dismissed(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.get_by_role("region", name=said("guide"))
    await expect(guide).to_contain_text(said_by_demo("guideStart"))
    await guide.get_by_role("button", name=said("guideHide")).click()
    await expect(guide).to_be_hidden()
    await page.get_by_role("button", name=said("tour")).click()
    for step in ("tourPeople", "tourCommands", "tourButtons"):
        await expect(guide).to_contain_text(said(step, name="Ada"))
        await guide.get_by_role("button", name=said("tourNext")).click()
    await expect(guide).to_contain_text(said("tourPlaces"))
    await guide.get_by_role("button", name=said("tourDone")).click()
    await expect(guide).to_contain_text(said_by_demo("guideStart"))
    await page.reload()
    await expect(guide).to_be_visible()


async def test_a_turns_words_and_its_board_fit_on_one_screen(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    for size in (DESK, PHONE):
        await page.set_viewport_size(size)
        board = await call_to_board(page, "Ada")
        await expect(board.locator(".prose")).to_be_in_viewport(ratio=1)
        await expect(board.locator("img")).to_be_in_viewport(ratio=1)
        await expect(board.get_by_role("button", name="Moves")).to_be_in_viewport(ratio=1)
