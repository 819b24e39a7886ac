"""Whatever people and the bot are called or say, the page shows it as words: nothing of it runs, and nothing loads."""

from __future__ import annotations

import re

import aiohttp
import pytest
from playwright.async_api import expect

from .conftest import LOOP, Court, Visitors
from .steps import chat

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)

HOSTILE = (
    "<img src=x onerror='window.hacked=1'>",
    "<script>window.hacked=1</script>",
    '"><svg onload=window.hacked=1>',
    "</textarea></title><b>bold</b>",
    "javascript:window.hacked=1",
)


async def test_names_are_words(court: Court, visitors: Visitors) -> None:
    guild = next(one.id for one in court.server.world.guilds.values() if one.name == "Test Server")
    async with aiohttp.ClientSession(court.server.url) as http:
        for hostile in HOSTILE:
            async with http.post("/app/people", json={"name": hostile}) as made:
                assert made.status == 200
            async with http.post(f"/app/guilds/{guild}/channels", json={"name": hostile}) as made:
                assert made.status == 200
    page = await visitors.join("Ada")
    for hostile in HOSTILE:
        await expect(page.get_by_text(hostile, exact=False).first).to_be_attached()
    assert await page.evaluate("window.hacked") is None
    assert await page.locator("img[src='x'], svg[onload], main b, aside b").count() == 0


async def test_messages_are_words_and_only_the_web_is_linked(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    for hostile in (*HOSTILE, "[click](javascript:window.hacked=1)", "[click](data:text/html,<script>1</script>)"):
        await chat(page, hostile)
        await expect(page.locator(".message").last).to_contain_text(re.compile("hacked|bold|script"))
    assert await page.evaluate("window.hacked") is None
    addresses = await page.locator(".message a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert [one for one in addresses if not one.startswith(("http://", "https://"))] == []
