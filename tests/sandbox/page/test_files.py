"""What can be said about the page's files without a browser: words, colours, and nothing that could run a message."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from .words import BOT, DEMO, PAGE, catalogue

PAGES = [PAGE, DEMO]
SCRIPTS = sorted(path for page in PAGES for path in page.glob("*.js"))
STYLES = sorted(PAGE.glob("*.css"))

# Text on ground, by the names of the custom properties in style.css.
PAIRS = [
    *(
        (ink, ground)
        for ink in ("ink", "soft", "link")
        for ground in ("page", "paper", "side", "raised", "private", "quiet", "code")
    ),
    *((ink, "call") for ink in ("ink", "soft", "link")),
    *(("danger-text", ground) for ground in ("paper", "raised", "private")),
    ("oak-ink", "oak"),
    ("link", "pill"),
    ("ink", "call-pill"),
    ("paper", "ink"),
    ("oak", "paper"),
]
WHITE_ON = ["success", "danger"]


def colours(scheme: str) -> dict[str, str]:
    """The custom properties of style.css that are colours, in the light or the dark scheme."""
    light, dark = re.findall(r":root {(.*?)}", (PAGE / "style.css").read_text("utf-8"), re.S)
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    if scheme == "dark":
        found.update(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark))
    return found


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two #rrggbb colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_have_the_same_words_with_the_same_places(page: Path) -> None:
    english, norwegian = catalogue("EN", page), catalogue("NO", page)
    assert english.keys() == norwegian.keys()
    assert len(english) > 10
    for key, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", norwegian[key])), key


@pytest.mark.parametrize("page", PAGES)
def test_the_words_stand_in_order_so_that_a_missing_one_is_seen(page: Path) -> None:
    for name in ("EN", "NO"):
        keys = [key.lower() for key in catalogue(name, page)]
        assert all(one < other for one, other in pairwise(keys)), name


@pytest.mark.parametrize("page", PAGES)
def test_every_word_asked_for_exists_and_every_word_is_asked_for(page: Path) -> None:
    known = set(catalogue("EN", page))
    if page is DEMO:
        known -= set(catalogue("EN"))  # which it replaces
    sources = {path.name: path.read_text("utf-8") for path in page.glob("*.js")}
    asked = {key for source in sources.values() for key in re.findall(r'\bt\("(\w+)"', source)}
    assert asked <= known
    elsewhere = "\n".join(source for name, source in sources.items() if name != "words.js")
    unused = {key for key in known if not key.startswith("error_") and f'"{key}"' not in elsewhere}
    assert not unused


@pytest.mark.parametrize("language", ["en", "no"])
def test_the_guide_calls_the_bots_buttons_what_the_bot_calls_them(language: str) -> None:
    source = (DEMO / "words.js").read_text("utf-8")
    (named,) = re.findall(
        rf'(?m)^  {language}: {{ house: "(.+)", join: "(.+)", move: "(.+)", rematch: "(.+)", review: "(.+)" }},$',
        source,
    )
    texts = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in BOT.rglob(f"locales/{language}/*.toml")}
    buttons = {name: table.get("button", {}) for name, table in texts.items()}
    labels = [("house", "house"), ("messages", "join"), ("composer", "compose"), ("messages", "rematch")]
    assert named == tuple(buttons[room][label] for room, label in [*labels, ("review", "review")])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_turns_text_into_markup_or_code(path: Path) -> None:
    source = path.read_text("utf-8")
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"):
        assert danger not in source, danger


def test_the_page_needs_nothing_from_elsewhere_and_nothing_inline() -> None:
    html = (PAGE / "index.html").read_text("utf-8")
    assert not re.search(r"(?:src|href)=\"(?!/page/)", html)
    assert not re.search(r"<style|style=|<script[^>]*>[^<]|\son\w+=", html)
    for path in STYLES:
        style = path.read_text("utf-8")
        assert "@import" not in style, path.name
        for target in re.findall(r"url\((.*?)\)", style):
            assert re.fullmatch(r'"[\w-]+\.\w+"', target), f"{path.name}: {target}"
            assert (PAGE / target.strip('"')).is_file(), f"{path.name}: {target}"
    for path in SCRIPTS:
        for target in re.findall(r"^import .* from \"(.*)\";$", path.read_text("utf-8"), re.M):
            there = PAGE / target.removeprefix("/page/") if target.startswith("/page/") else path.parent / target
            assert there.is_file(), f"{path.name}: {target}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground_as_wcag_aa_asks(scheme: str) -> None:
    known = colours(scheme)
    weak = {(ink, ground): contrast(known[ink], known[ground]) for ink, ground in PAIRS}
    weak |= {("white", ground): contrast("#ffffff", known[ground]) for ground in WHITE_ON}
    assert {pair: round(ratio, 2) for pair, ratio in weak.items() if ratio < 4.5} == {}


def test_initials_stand_out_from_every_face() -> None:
    faces = re.findall(r'"(#[0-9a-f]{6})"', (PAGE / "avatar.js").read_text("utf-8"))
    assert len(faces) == 8
    assert all(contrast("#ffffff", face) >= 4.5 for face in faces)
