"""Pictures of the chat page, as on a desktop and as on a phone, for people to look at."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Locator, Page, ViewportSize, expect

SIZES = {"desk": ViewportSize(width=1280, height=800), "phone": ViewportSize(width=390, height=844)}


async def shoot(page: Page, target: Locator, stem: Path) -> None:
    """Writes `STEM-desk.png` and `STEM-phone.png`, with the end of that message in view; leaves the desktop's size."""
    for size in ("phone", "desk"):
        await page.set_viewport_size(SIZES[size])
        await page.wait_for_timeout(500)  # the column of channels slides away on a phone
        await target.evaluate("message => message.scrollIntoView({block: 'end'})")
        images = target.locator("img")
        for at in range(await images.count()):
            await images.nth(at).evaluate("image => image.decode().catch(() => 0)")
        await page.screenshot(path=f"{stem}-{size}.png")


async def open_channel(page: Page, channel: str) -> None:
    """Shows that channel or thread."""
    await page.evaluate("channel => { location.hash = channel }", channel)
    await expect(page.locator(".channel-start")).to_be_attached()
