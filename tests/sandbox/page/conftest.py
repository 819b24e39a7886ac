"""A world, a small bot in it, and people with the page open in headless Chromium."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from discord.gateway import DiscordWebSocket
from discord.http import Route
from playwright.async_api import Browser, ConsoleMessage, Page, ViewportSize, async_playwright, expect

from sandbox import BotProfile, Sandbox, point_discord_at

from ..conftest import CALM
from . import small_bot

DESK = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=400, height=800)
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

expect.set_options(timeout=30_000)  # on a busy machine everything takes its time

# Starting a browser takes longer than a test: one, and so one event loop, serves all tests of a process.
LOOP: Final = "session"


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A running browser; without one on this machine, the test is skipped."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


class Visitors:
    """People with the page open, each in a browser of their own. Any error in a console fails the test."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self.url = url
        self.complaints: list[str] = []

    async def join(self, name: str, *, guide: bool = False) -> Page:
        """The page as the person sees it, in the first channel; without the newcomer's guide unless asked for."""
        context = await self._browser.new_context(viewport=DESK)
        if not guide:
            await context.add_init_script("localStorage.setItem('sandbox-guide', 'hidden')")
        page = await context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        await page.goto(f"{self.url}/?as={name}")
        await page.locator(".place").first.click()
        await expect(page.locator(".channel-start")).to_be_attached()
        return page

    def _heard(self, line: ConsoleMessage) -> None:
        if line.type == "error":
            self.complaints.append(line.text)


class Court:
    """A world with the small bot in it, which can go down and come up again at the same address."""

    def __init__(self, folder: Path, server: Sandbox) -> None:
        self._folder = folder
        self.server = server

    async def start_again(self) -> None:
        """Returns a new server on the old port. Call `server.close` before."""
        port = int(self.server.url.rsplit(":", 1)[1])
        self.server = await Sandbox.start(self._folder, port=port, hardness=CALM)


@pytest.fixture
def profile() -> BotProfile:
    """The bot's names and what it adds to the page; a module of tests may have its own."""
    return BotProfile()


@pytest_asyncio.fixture(loop_scope=LOOP)
async def court(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: BotProfile) -> AsyncIterator[Court]:
    """A new world."""
    monkeypatch.setattr(Route, "BASE", Route.BASE)  # puts back afterwards what point_discord_at changes
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    there = Court(tmp_path, await Sandbox.start(tmp_path, hardness=CALM, profile=profile))
    point_discord_at(there.server.url)
    try:
        async with small_bot.at_work():
            yield there
    finally:
        await there.server.close()


@pytest_asyncio.fixture(scope=LOOP, loop_scope=LOOP)
async def browser() -> AsyncIterator[Browser]:
    """Chromium."""
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope=LOOP)
async def visitors(browser: Browser, court: Court) -> AsyncIterator[Visitors]:
    """Whom to let in; in the end nobody's console may have complained."""
    people = Visitors(browser, court.server.url)
    yield people
    for context in browser.contexts:
        await context.close()
    assert people.complaints == []
