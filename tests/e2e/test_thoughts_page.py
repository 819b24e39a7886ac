"""Sealed thoughts, the annotated game and the openings on the chat page in a real browser, in both languages."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from bot.texts.i18n import Language, text
from rules import VARIANTS, Game, parse_move
from tests.e2e.house import House
from tests.e2e.judging import moves_of
from tests.e2e.opening_games import finish_games
from tests.e2e.page_composer import compose, pick_option
from tests.e2e.room import Room, open_table
from tests.e2e.shooting import open_channel, shoot
from tests.sandbox.page.conftest import Visitors
from tests.sandbox.page.steps import type_command
from tests.sentences import part

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

LOCALES: dict[Language, str] = {"en": "en-US", "no": "no"}
THOUGHTS = {
    1: "The Knight goes to the middle, where it can jump to either side.",
    3: "I stay away from both: they shall weaken each other first. `I14-G12` also threatens G10.",
    7: "Four captures, but now I am far from my castle. I did not see the answer **at all**.",
}


@dataclass
class Reading:
    """What the people on the page look at, in one language."""

    locale: Language
    folder: Path

    @property
    def sealed(self) -> str:
        """What confirms that a thought about the first game is sealed."""
        return part("thoughts.saved", self.locale, id=1).split("`")[0].strip()

    async def shoot(self, page: Page, target: Locator, name: str) -> None:
        """Takes pictures of that message."""
        await shoot(page, target, self.folder / f"{self.locale}-{name}")

    def button(self, place: Page | Locator, name: str, **values: object) -> Locator:
        """Returns the latest button of that name."""
        return place.get_by_role("button", name=text(self.locale, f"button.{name}", **values), exact=True).last

    async def fill_form(self, page: Page, words: str) -> None:
        """Writes these words into the form that is open, and sends it."""
        dialog = page.get_by_role("dialog")
        await dialog.locator("textarea").fill(words)
        await dialog.locator("button[type=submit]").click()
        await expect(dialog).to_have_count(0)


async def say_why(reading: Reading, page: Page, words: str) -> None:
    """Has the player write beside the board that they open to move."""
    await reading.button(page, "compose").click()
    await reading.button(page.locator(".message.private").last, "thoughts-say").click()
    await reading.fill_form(page, words)
    await expect(page.locator(".message.private").last).to_contain_text(reading.sealed)


@pytest.mark.parametrize("locale", LOCALES)
async def test_three_people_and_a_follower_read_an_annotated_game(
    own_house: House, visitors: Visitors, tmp_path: Path, locale: Language
) -> None:
    reading = Reading(locale, tmp_path)
    async with AsyncExitStack() as stack:
        room = await Room.found(own_house, f"thoughts-{locale}", stack)
        *crew, follower = await room.enter("Eve", "Fay", "Gus", "Hal", locale=LOCALES[locale])
        owner = await room.enter_owner()
        await owner.call("PATCH", f"/app/guilds/{room.guild}", {"locale": LOCALES[locale]})
        table = await open_table(crew[0], room.channel, variant="tri-camelot", seats="join-order")
        for person in crew[1:]:
            await person.click(table, "rt:join")
        pages = [await visitors.join(person.name) for person in (*crew, follower)]
        for page in pages:
            await open_channel(page, room.channel)
        game = Game.start(VARIANTS["tri-camelot"])
        for number, notation in enumerate(moves_of("tri-camelot-castle"), start=1):
            page = pages[game.position.turn]
            if number in THOUGHTS:
                await say_why(reading, page, THOUGHTS[number])
            await compose(page, game, parse_move(game.position, notation), straight=True, locale=locale)
            game = game.play(notation)
            if number == 2:
                await watch(reading, pages[3])
        await share_all(reading, pages)
        await read_annotated(reading, pages[3])


async def watch(reading: Reading, page: Page) -> None:
    """Has somebody who does not play follow the game, and write about the last move."""
    await reading.button(page, "follow").click()
    await expect(reading.button(page, "follow-every")).to_be_visible()
    await type_command(page, "/game thoughts ")
    await page.keyboard.press("Enter")
    panel = page.locator(".message.private").last
    await pick_option(panel.get_by_role("combobox"), panel.get_by_role("option").first)
    await reading.fill_form(page, "From outside this looks calm; it will not stay so.")
    await expect(panel).to_contain_text("it will not stay so")
    await reading.shoot(page, panel, "follower")


async def share_all(reading: Reading, pages: list[Page]) -> None:
    """Has everybody who wrote look at the preview, and share it."""
    for at, page in enumerate(pages):
        if at == 1:  # wrote nothing
            continue
        await reading.button(page, "thoughts-open").click()
        panel = page.locator(".message.private").last
        await expect(panel).to_contain_text(part("thoughts.ask", reading.locale).split("**")[-1].strip())
        if at == 0:
            await reading.shoot(page, panel, "preview")
        await reading.button(panel, "thoughts-share").click()
        await expect(panel).to_contain_text(part("thoughts.is-shared", reading.locale))
    await reading.shoot(pages[1], pages[1].locator(".message:not(.private)").last, "posted")


async def read_annotated(reading: Reading, page: Page) -> None:
    """Turns the annotated game's pages, and looks at what it can be saved as."""
    await reading.button(page, "review").click()
    reviewed = page.locator(".message.private").last
    await expect(reviewed).to_contain_text(part("review.title", reading.locale, id=1).split("**")[-1], timeout=180_000)
    pager = page.locator(".message:not(.private)", has=reading.button(page, "annotated-on")).last
    await reading.button(pager, "annotated-on").click()
    await expect(pager).to_contain_text(THOUGHTS[1])
    await reading.shoot(page, pager, "annotated")
    await reading.button(pager, "annotated-words").click()
    await reading.shoot(page, pager, "annotated-next")
    await reading.button(pager, "annotated-record").click()
    await expect(page.locator(".message.private").last).to_contain_text(text(reading.locale, "annotated.record"))
    await reading.shoot(page, page.locator(".message.private").last, "record")


@pytest.mark.parametrize("locale", LOCALES)
async def test_an_opening_of_ten_games_is_walked_on_the_page(
    own_house: House, visitors: Visitors, tmp_path: Path, locale: Language
) -> None:
    reading = Reading(locale, tmp_path)
    async with AsyncExitStack() as stack:
        room = await Room.found(own_house, f"openings-{locale}", stack)
        ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
        await finish_games(room, (ada, dee), bo)
        await cy.call("PATCH", f"/app/people/{cy.id}", {"locale": LOCALES[locale]})
        page = await visitors.join(cy.name)
        await open_channel(page, room.channel)
        await cy.command(room.channel, "game explore", position="camette")
        tree = page.locator(".message.private").last
        await expect(tree).to_contain_text("100")
        await reading.shoot(page, tree, "openings")
        await pick_option(tree.get_by_role("combobox").first, tree.get_by_role("option").first)
        await expect(tree).to_contain_text("1. C2-C4")
        await reading.shoot(page, tree, "openings-move")
        await reading.button(tree, "explore-tools").click()
        await reading.button(tree, "explore-games").click()
        await reading.shoot(page, page.locator(".message.private").last, "openings-games")
