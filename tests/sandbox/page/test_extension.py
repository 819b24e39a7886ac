"""What a bot may add to the page, by a small extension of its own; and the page without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from sandbox import BotProfile

from .conftest import LOOP, Court, Visitors
from .steps import chat, greet
from .words import said

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)

EXTENSION = """
export const words = { en: { yourTurn: "They greet you" }, no: {} };

export const turns = (messages) =>
  messages.flatMap((message) => Object.keys(message.mentions).map((person) => ({ message, person }))).reverse();

export class FirstSteps {
  constructor(world, acts) {
    Object.assign(this, { world, acts });
  }
  advise(channel) {
    const said = this.world.log(channel.id).messages.length;
    if (said > 1) return null;
    const button = { label: "Type /greet", act: () => this.acts.useCommand("greet") };
    return said ? { words: "Go on" } : { words: "Say hello", button, progress: { step: 1, steps: 2 } };
  }
}
"""


@pytest.fixture
def profile(tmp_path: Path) -> BotProfile:
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "extension.js").write_text(EXTENSION, "utf-8")
    return BotProfile(bot="Greeter", server="Hall", channel="door", page=folder)


async def test_a_new_world_has_the_names_of_the_profile(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await expect(page.get_by_role("heading", name="Greeter", exact=True)).to_be_visible()
    await expect(page.locator(".server").first.get_by_role("heading")).to_have_text("Hall")
    await expect(page).to_have_title("door · Ada · Greeter")


async def test_the_advice_of_an_extension_changes_and_goes_with_the_messages(visitors: Visitors) -> None:
    page = await visitors.join("Ada", guide=True)
    guide = page.locator(".guide")
    await expect(guide).to_contain_text("Say hello")
    await expect(guide.get_by_role("img")).to_have_accessible_name(said("guideStep", step="1", steps="2"))
    await guide.get_by_role("button", name="Type /greet").click()
    await expect(page.locator(".command-form")).to_contain_text("/greet")
    await page.keyboard.press("Escape")
    await page.reload()
    await chat(page, "hello")
    await expect(guide).to_contain_text("Go on")
    await chat(page, "hello again")
    await expect(guide).to_be_hidden()


async def test_the_page_shows_whose_turn_it_is_in_the_extensions_words(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await expect(ada.locator(".turn")).to_be_hidden()
    await greet(ada, "Cleo")
    await expect(ada.get_by_role("link", name="Cleo").locator(".crown")).to_contain_text(said("toMove", name="Cleo"))
    await expect(ada.locator(".turn")).to_have_accessible_name(said("toMove", name="Cleo"))
    await expect(cleo.locator(".turn")).to_have_accessible_name("They greet you")


async def test_no_file_outside_of_the_extension_is_served(visitors: Visitors, court: Court, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    page = await visitors.join("Ada")
    for name in ("..%2Fsecret.txt", "%2e%2e/secret.txt", "missing.js"):
        assert (await page.request.get(f"{court.server.url}/extension/{name}")).status == 404, name
