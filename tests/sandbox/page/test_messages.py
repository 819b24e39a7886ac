"""The chat page in a real browser, with a real bot behind it: what a person sees."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from PIL import ImageFont
from playwright.async_api import Page, Route, expect

from sandbox import Hardness
from sandbox.discord_types import Message
from sandbox.world import BOT_ID

from .conftest import LOOP, PHONE, Court, Visitors
from .draw_signs import FONT, signs_in_use
from .small_bot import ALT_TEXT
from .steps import begin_anew, call_to_board, chat, composer, greet, last_message, run_command, write
from .words import said

pytestmark = pytest.mark.asyncio(loop_scope=LOOP)


async def test_a_private_answer_is_visible_to_its_reader_only_and_dismissible(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await greet(ada, "Cleo")
    await cleo.get_by_role("button", name="Whisper").click()
    private = cleo.locator(".message.private")
    await expect(private).to_contain_text("Between you and me.")
    await expect(private).to_contain_text(said("onlyYou"))
    await expect(ada.locator(".message", has_text="Between")).to_have_count(0)
    await private.get_by_role("button", name=said("dismiss")).click()
    await expect(private).to_have_count(0)


@pytest.mark.long
async def test_a_ping_is_counted_where_one_is_not_looking(visitors: Visitors) -> None:
    ada, cleo = await visitors.join("Ada"), await visitors.join("Cleo")
    await cleo.locator(".place", has_text="lobby").click()
    await expect(cleo.locator(".channel-name")).to_contain_text("lobby")
    await greet(ada, "Cleo")
    # The bug: "1 mentions: 1" was read aloud.
    await expect(ada.get_by_role("link", name=f"Cleo {said('pings', count='1')}", exact=True)).to_be_visible()
    place = cleo.locator(".place", has_text="general").first
    await expect(place.locator(".badge")).to_contain_text("1")
    await expect(cleo).to_have_title(re.compile(r"^\(1\) "))
    await place.click()
    await expect(place.locator(".badge")).to_have_count(0)
    await expect(cleo.locator(".message.calls-me")).to_contain_text("@Cleo")
    await expect(cleo.locator(".divider.news")).to_be_visible()
    await greet(ada, "Cleo")
    await expect(cleo.locator(".message.calls-me")).to_have_count(2)
    await expect(cleo.locator(".badge")).to_have_count(0)
    await expect(ada.get_by_role("link", name="Cleo").locator(".badge")).to_have_count(0)


@pytest.mark.long
async def test_a_reader_who_knows_nobody_sees_names_the_message_brought(visitors: Visitors, court: Court) -> None:
    cleo = await visitors.join("Cleo")
    people = {one.name: one for one in court.server.world.people.values()}
    place = next(one for one in court.server.world.channels.values() if one.name == "general")
    told = Message(court.server.world.next_id(), place.id, BOT_ID, 0.0, f"<@{people['Ada'].id}> <@{people['Dag'].id}>")
    court.server.world.put(replace(told, mentions=(people["Dag"].id,)))
    await cleo.reload()
    await expect(cleo.locator(".message .pill")).to_have_text(["@Ada", "@Dag"])
    switch = cleo.get_by_role("button", name=said("stranger"))
    await switch.click()
    await expect(cleo.locator(".message .pill")).to_have_text([f"@{said('unknownPerson')}", "@Dag"])
    await expect(switch).to_have_attribute("aria-pressed", "true")


async def an_interaction_without_an_answer_is_said_to_have_failed(page: Page) -> None:
    answer = await greet(page, "Cleo")
    await answer.get_by_role("button", name="Silence").click()
    await expect(answer.get_by_role("button", name="Silence")).to_be_disabled()
    await expect(page.locator(".failed")).to_have_text(said("interactionFailed"))
    await expect(answer.get_by_role("button", name="Silence")).to_be_enabled()


async def a_deferred_answer_thinks_first(page: Page) -> None:
    await run_command(page, "/think")
    await expect(page.locator(".thinking")).to_contain_text(said("thinking", name="Test Bot"))
    await expect(last_message(page)).to_contain_text("Thought about it.")
    await expect(page.locator(".thinking")).to_have_count(0)


async def components_of_the_second_generation_are_laid_out(page: Page) -> None:
    await run_command(page, "/rules")
    container = last_message(page).locator(".container")
    await expect(container.get_by_role("heading", name="The rules")).to_be_visible()
    await expect(container.locator(".section").get_by_role("button", name="Open")).to_be_visible()


# Discord's markdown and the elements it becomes; the names are those of the page the test opens.
MARKDOWN = {
    "plain": "<p>plain</p>",
    "one\ntwo": "<p>one<br>two</p>",
    "one\n\ntwo\n": '<p>one</p><div class="gap"></div><p>two</p>',
    "**a** *b* _c_ __d__ ~~e~~": "<p><strong>a</strong> <em>b</em> <em>c</em> <u>d</u> <s>e</s></p>",
    "***both*** snake_case_name": "<p><strong><em>both</em></strong> snake_case_name</p>",
    "2 * 3 * 4 and \\*not\\*": "<p>2 * 3 * 4 and *not*</p>",
    "`C6-E8xG10-E12xC14xA16-C16-E16-G16`": '<p><code class="long">C6-E8xG10-E12xC14xA16-C16-E16-G16</code></p>',
    "`**raw**` ``a`b``": "<p><code>**raw**</code> <code>a`b</code></p>",
    "# A\n## B\n### C\n-# small": '<h3 class="md-h1">A</h3><h4 class="md-h2">B</h4><h5 class="md-h3">C</h5>'
    '<p class="subtext">small</p>',
    "#no heading": "<p>#no heading</p>",
    "- a\n  - b\n- c\n1. d\n2. e": "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"
    '<ol start="1"><li>d</li><li>e</li></ol>',
    "> quoted\n> on\nafter": "<blockquote><p>quoted<br>on</p></blockquote><p>after</p>",
    "before\n```py\nx < y\n```after": '<p>before</p><pre tabindex="0"><code>x &lt; y</code></pre><p>after</p>',
    "<@1> <@!7>": '<p><span class="pill mine" data-person="1">@Ada</span> '
    '<span class="pill" data-person="7">@unknown-user</span></p>',
    "<#5> </play:9>": '<p><button type="button" class="pill">#lobby</button> '
    '<button type="button" class="pill">/play</button></p>',
    "[a](https://x.example/?q=1&r=2)": '<p><a href="https://x.example/?q=1&amp;r=2" target="_blank" '
    'rel="noopener noreferrer">a</a></p>',
    "[a](javascript:alert(1)) <b>": "<p>[a](javascript:alert(1)) &lt;b&gt;</p>",
    "See https://x.example/a_b_c.": '<p>See <a href="https://x.example/a_b_c" target="_blank" '
    'rel="noopener noreferrer">https://x.example/a_b_c</a>.</p>',
    "[a](https://discord.com/channels/2/5/7)": '<p><a href="#5">a</a></p>',
    "[a](https://discord.com/channels/2/6/7)": '<p><a href="https://discord.com/channels/2/6/7" target="_blank" '
    'rel="noopener noreferrer">a</a></p>',
    "**open *marks": "<p>**open *marks</p>",
    "<:knight:12345>": "<p>:knight:</p>",
}


async def test_markdown_becomes_what_discord_makes_of_it(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    made = await page.evaluate(
        """async (texts) => {
            const { markdown } = await import("/page/markdown.js");
            const names = { me: "1", person: (id) => ({ 1: "Ada" })[id], channel: (id) => ({ 5: "lobby" })[id] };
            return texts.map((text) => markdown(text, names).map((node) => node.outerHTML).join(""));
        }""",
        list(MARKDOWN),
    )
    assert dict(zip(MARKDOWN, made, strict=True)) == MARKDOWN


@pytest.mark.long
async def test_a_move_is_not_torn_at_its_hyphens(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    await page.set_viewport_size(PHONE)
    for words in range(1, 12):
        await chat(page, f"{'ab ' * words}`C6-E8xG10-E12-{words}`")
    lines = await page.locator(".prose code").evaluate_all("all => all.map(code => code.getClientRects().length)")
    assert lines == [1] * 11


@pytest.mark.parametrize("selector", ["", "\N{VARIATION SELECTOR-16}"], ids=["bare", "as an emoji"])
async def test_every_sign_of_the_texts_is_drawn_by_the_pages_font(visitors: Visitors, selector: str) -> None:
    font = ImageFont.truetype(FONT)  # of what it lacks, it draws an empty box: draw_signs.py makes it again
    assert not [sign for sign in signs_in_use() if bytes(font.getmask(sign)) == bytes(font.getmask("\uffff"))]
    page = await visitors.join("Ada")
    signs = [sign + selector for sign in signs_in_use()]
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("DOM.enable")
    await devtools.send("CSS.enable")
    await page.evaluate("signs => document.fonts.load('1em Signs', signs)", "".join(signs))
    for start, end, place in (("", "", "p"), ("`", "`", "code"), ("# ", "", "h3")):
        await write(page, start + "".join(signs) + end)
        await expect(page.locator(f".prose {place}").first).to_have_text("".join(signs))
        root = (await devtools.send("DOM.getDocument"))["root"]["nodeId"]
        shown = await devtools.send("DOM.querySelector", {"nodeId": root, "selector": f".prose {place}"})
        fonts = (await devtools.send("CSS.getPlatformFontsForNode", {"nodeId": shown["nodeId"]}))["fonts"]
        assert [(font["familyName"], font["glyphCount"]) for font in fonts] == [("Signs", len(signs))]


@pytest.mark.long
async def test_bot_words_carry_their_language_and_picture_words_appear_once(visitors: Visitors) -> None:
    page = await visitors.join("Bjørn")
    board = await call_to_board(page, "Cleo")
    await expect(page.locator("html")).to_have_attribute("lang", "no")
    await expect(board.locator("[lang]")).to_have_attribute("lang", "en-US")
    await expect(page.locator(".message.private [lang]")).to_have_attribute("lang", "no")
    await chat(page, "Hei")
    await expect(last_message(page).locator("[lang]")).to_have_count(0)
    assert (await board.aria_snapshot()).count(ALT_TEXT) == 1
    assert await board.locator(".pictured button:not([tabindex='-1'])").count() == 1


async def a_time_is_shown_in_the_readers_language(page: Page) -> None:
    await write(page, "<t:1000000000:D> and <t:1000000000:R>")
    await expect(last_message(page)).to_contain_text(re.compile(r"9 September 2001 and \d+ years ago"))
    await page.locator(".topline").get_by_role("button", name="Norsk").click()
    await expect(last_message(page)).to_contain_text(re.compile(r"9\. september 2001 and for \d+ år siden"))


@pytest.mark.long
async def test_messages_of_every_kind_are_shown(visitors: Visitors, court: Court) -> None:
    court.server.faults.hardness = Hardness()
    page = await visitors.join("Ada")
    for step in (
        an_interaction_without_an_answer_is_said_to_have_failed,
        a_deferred_answer_thinks_first,
        components_of_the_second_generation_are_laid_out,
        a_time_is_shown_in_the_readers_language,
    ):
        await step(page)
        await begin_anew(page)


@pytest.mark.long
async def test_scrolling_up_loads_older_messages_and_the_reader_keeps_their_place(
    visitors: Visitors, court: Court
) -> None:
    page = await visitors.join("Ada")
    world, place = court.server.world, int(page.url.split("#")[1])
    for number in range(120):
        world.put(Message(world.next_id(), place, BOT_ID, 0.0, f"message {number + 1}"))
    await page.reload()
    await expect(page.locator(".message")).to_have_count(50)
    await expect(last_message(page)).to_be_in_viewport()
    for count, kept in ((100, 71), (120, 21)):
        await page.locator(".log").evaluate("log => { log.scrollTop = 0 }")
        await expect(page.locator(".message")).to_have_count(count)
        await expect(page.get_by_text(f"message {kept}", exact=True)).to_be_in_viewport()
    await expect(page.locator(".channel-start")).to_be_attached()


@pytest.mark.long
async def test_text_typed_while_a_message_is_sent_is_neither_lost_nor_stale(visitors: Visitors) -> None:
    page = await visitors.join("Ada")
    slow = await _held_up(page)
    await write(page, "first")
    await write(page, "second")
    slow.set()
    await expect(page.locator(".message")).to_contain_text(["first", "second"])
    await expect(composer(page)).to_have_value("")
    slow.clear()
    await write(page, "third")
    await write(page, "fourth")
    await page.locator(".place", has_text="lobby").click()
    await composer(page).fill("not yet")
    slow.set()
    await asyncio.sleep(0.5)
    await expect(page.locator(".message")).to_have_count(0)
    await expect(composer(page)).to_have_value("not yet")


async def _held_up(page: Page) -> asyncio.Event:
    """Messages that the page sends are on their way until the event."""
    slow = asyncio.Event()

    async def late(route: Route) -> None:
        if route.request.method == "POST":
            await slow.wait()
        await route.continue_()

    await page.route("**/messages", late)
    return slow


# Whatever people and the bot are called or say is shown as words: nothing of it runs, and nothing loads


HOSTILE = (
    "<img src=x onerror='window.hacked=1'>",
    "<script>window.hacked=1</script>",
    '"><svg onload=window.hacked=1>',
    "</textarea></title><b>bold</b>",
    "javascript:window.hacked=1",
)


async def test_names_and_messages_are_words_and_only_the_web_is_linked(court: Court, visitors: Visitors) -> None:
    guild = next(one.id for one in court.server.world.guilds.values() if one.name == "Test Server")
    page = await visitors.join("Ada")
    for hostile in HOSTILE:
        for path in ("people", f"guilds/{guild}/channels"):
            assert (await page.request.post(f"{visitors.url}/app/{path}", data={"name": hostile})).ok
        await expect(page.get_by_text(hostile, exact=False).first).to_be_attached()
    for hostile in (*HOSTILE, "[click](javascript:window.hacked=1)", "[click](data:text/html,<script>1</script>)"):
        await write(page, hostile)
        await expect(last_message(page)).to_contain_text(hostile)
    assert await page.evaluate("window.hacked") is None
    assert await page.locator("img[src='x'], svg[onload], main b, aside b").count() == 0
    addresses = await page.locator(".message a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert [one for one in addresses if not one.startswith(("http://", "https://"))] == []
