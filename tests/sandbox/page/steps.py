"""What people do on the page again and again."""

from __future__ import annotations

from playwright.async_api import FloatRect, Locator, Page, expect


def composer(page: Page) -> Locator:
    return page.locator("#words")


def last_message(page: Page) -> Locator:
    return page.locator(".message").last


async def box_of(element: Locator) -> FloatRect:
    """Returns where the element is, which must be shown."""
    box = await element.bounding_box()
    assert box is not None
    return box


async def type_command(page: Page, text: str) -> None:
    """Types as a person does, a slash first."""
    await composer(page).click()
    await page.keyboard.type(text, delay=5)


async def run_command(page: Page, text: str, presses: int = 2) -> None:
    """Types a command and presses Enter; once more where the first press takes what is suggested."""
    await type_command(page, text)
    for _ in range(presses):
        await page.keyboard.press("Enter")


async def begin_anew(page: Page) -> None:
    """Loads the page again: what was said is there, what was being typed is not."""
    await page.reload()
    await expect(page.locator(".log-list > *").first).to_be_attached()
    await composer(page).fill("")


async def greet(page: Page, whom: str) -> Locator:
    """Runs /greet; the answer with its buttons."""
    await run_command(page, f"/greet {whom}")
    answer = page.locator(".message", has_text="Hello").last
    await expect(answer).to_be_visible()
    return answer


async def call_to_board(page: Page, whom: str) -> Locator:
    """Runs /turn; the message with the board."""
    boards = page.locator(".message", has_text="it is your turn")
    before = await boards.count()
    await run_command(page, f"/turn {whom}")
    await expect(boards).to_have_count(before + 1)
    return boards.last


async def write(page: Page, words: str) -> None:
    """Sends a plain message."""
    await composer(page).fill(words)
    await page.keyboard.press("Enter")


async def chat(page: Page, *lines: str) -> None:
    """Writes plain messages."""
    for line in lines:
        await write(page, line)
        await expect(page.get_by_text(line.replace("`", ""), exact=True)).to_be_attached()
