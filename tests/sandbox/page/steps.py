"""What people do on the page again and again."""

from __future__ import annotations

from playwright.async_api import Locator, Page, expect


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
