"""The rules pages: the same book in every language, within Discord's limits, and no move in it that is illegal."""

from __future__ import annotations

import re

import pytest

from bot.texts.i18n import LANGUAGES, Language, text
from bot.texts.rulebook import rulebook_pages
from bot.texts.sentences import move_kind
from render import View
from rules import VARIANTS, Game, Position, legal_moves, parse_move
from rules.position import Variant
from tests.sentences import LONGEST_TEXT

LONGEST_ALT_TEXT = 1024

WORDS = {
    "en": ("Knight", "Man", "plain move", "canter", "jump", "Knight's charge", "castle", "house ruling"),
    "no": ("ridder", "bonde", "enkelt trekk", "hopp", "sprang", "ridderens angrep", "borg", "husregel"),
}
"""What the seeds call things, in each language; every book explains them."""

CODE = re.compile(r"`([^`]+)`")
MOVE = re.compile(r"\d?[a-n]\d+([-x ]\d?[a-n]\d+)+", re.IGNORECASE)

every_book = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


def views(locale: Language, variant: Variant) -> list[View]:
    """The illustrations of a book in order."""
    return [page.illustration.view for page in rulebook_pages(locale, variant.key) if page.illustration]


def fits(position: Position, move: str) -> bool:
    """Whether that is a legal move there."""
    try:
        parse_move(position, move)
    except ValueError:
        return False
    return True


@every_book
def test_every_page_has_a_title_and_fits_a_phone(locale: Language, variant: Variant) -> None:
    for page in rulebook_pages(locale, variant.key):
        assert re.match(r"# \S", page.text)
        assert len(page.text) <= LONGEST_TEXT
        assert "](" not in page.text, "one illustration a page, no links"
        assert page.illustration is None or 0 < len(page.illustration.words) <= LONGEST_ALT_TEXT


@every_book
def test_the_books_of_all_languages_have_the_same_pages_and_illustrations(variant: Variant) -> None:
    drawn = {
        locale: [page.illustration and page.illustration.view for page in rulebook_pages(locale, variant.key)]
        for locale in LANGUAGES
    }
    assert all(pages == drawn["en"] for pages in drawn.values())
    shown = {locale: [CODE.findall(page.text) for page in rulebook_pages(locale, variant.key)] for locale in LANGUAGES}
    assert all(codes == shown["en"] for codes in shown.values())


@every_book
def test_every_alt_text_is_in_the_language_of_its_book(variant: Variant) -> None:
    said = [
        {page.illustration.words for page in rulebook_pages(locale, variant.key) if page.illustration}
        for locale in LANGUAGES
    ]
    assert not set.intersection(*said)


@every_book
def test_the_start_and_every_kind_of_move_are_illustrated(locale: Language, variant: Variant) -> None:
    start, *others = views(locale, variant)
    assert start == View(variant.start_position, bottom=variant.start_position.turn)
    kinds, ends = set(), set()
    for view in others:
        assert view.before is not None
        assert view.last_move is not None
        kinds.add(move_kind(view.before, view.last_move))
        army = variant.armies[view.before.turn]
        ends |= {name for name in ("castle", "goal") if view.last_move.end in getattr(army, name)}
    assert {"step", "canter", "jump", "charge"} <= kinds
    assert ("castle" in kinds) == bool(variant.castle_moves)
    assert ends == {"castle", "goal"}, "a jump into the own castle, and how a castle is taken"


@every_book
def test_a_small_diagram_shows_the_whole_of_its_move(variant: Variant) -> None:
    vectors = variant.board.vectors
    high = 6 if len(variant.armies) == 3 else 3  # hexagons stand on doubled ranks
    for view in views("en", variant)[1:]:
        if len(vectors[0]) == 2:
            assert view.zoom is not None
        if view.zoom is not None and view.last_move:
            for cell in (*view.last_move.path, *view.last_move.captures):
                (file, rank), (middle, height) = vectors[cell], vectors[view.zoom]
                assert abs(file - middle) <= 3
                assert abs(rank - height) <= high


@every_book
def test_every_move_shown_is_legal_where_it_is_shown(locale: Language, variant: Variant) -> None:
    """On the page's own picture, or where the page has none on one of the book's pictures or at the start."""
    book = rulebook_pages(locale, variant.key)
    befores = [view.before or variant.start_position for view in views(locale, variant)]
    for page in book:
        here = [page.illustration.view.before] if page.illustration and page.illustration.view.before else befores
        for code in CODE.findall(page.text):
            if MOVE.fullmatch(code):
                assert any(fits(position, code) for position in here), f"{page.text.splitlines()[0]}: {code}"
            elif code.startswith("1. "):
                game = Game.start(variant)
                for move in code.split()[1:]:
                    game = game.play(move)


@every_book
def test_every_illustrated_move_is_written_beside_its_picture(locale: Language, variant: Variant) -> None:
    board = variant.board
    for page in rulebook_pages(locale, variant.key):
        move = page.illustration.view.last_move if page.illustration else None
        if move:
            shown = [code for code in CODE.findall(page.text) if MOVE.fullmatch(code)]
            assert any(tuple(map(board.find_cell, re.split("[-x]", code))) == move.path for code in shown)


@every_book
def test_every_book_uses_the_rules_words_and_marks_the_house_rulings(locale: Language, variant: Variant) -> None:
    said = "\n".join(page.text for page in rulebook_pages(locale, variant.key)).lower()
    for word in WORDS[locale]:
        assert word.lower() in said
    for army in variant.armies:
        assert text(locale, f"colour.{army.colour}").lower() in said
        for cell in army.castle:
            assert variant.board.names[cell].lower() in said


def test_camette_warns_of_all_first_moves_that_lose_at_once(locale: Language) -> None:
    start = Game.start(VARIANTS["camette"]).position
    first = [start.after_move(move) for move in legal_moves(start)]
    losing = [
        after for after in first if any(start.variant.ending(after.after_move(move)) for move in legal_moves(after))
    ]
    (page,) = (
        page for page in rulebook_pages(locale, "camette") if "**Beware:**" in page.text or "**Pass på:**" in page.text
    )
    warned = [start.after_move(parse_move(start, f"C3-{cell}")) for cell in re.findall(r"\bC3-(B4|C4|D4)\b", page.text)]
    assert sorted(after.cells for after in warned) == sorted(after.cells for after in losing)


def test_the_first_moves_that_cam_3d_calls_safe_are_safe(locale: Language) -> None:
    start = Game.start(VARIANTS["cam-3d"]).position
    (page,) = (page for page in rulebook_pages(locale, "cam-3d") if page.text.count("2D2-3D2"))
    safe = [code for code in CODE.findall(page.text) if MOVE.fullmatch(code)]
    assert len(safe) == 3
    for code in safe:
        after = start.after_move(parse_move(start, code))
        assert not any(start.variant.ending(after.after_move(reply)) for reply in legal_moves(after)), code
