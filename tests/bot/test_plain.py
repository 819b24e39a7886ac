"""Typed texts and names, escaped for use in our sentences."""

from __future__ import annotations

import json
import re
import unicodedata

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discordkit.gateway import use_tolerant_gateway
from bot.texts.markup import MAX_NAME_LENGTH, cut_text, escape_markup, one_line, whole_text
from rules.plain_text import clean_text
from tests.e2e.answer_checks import NASTY

SILENT = re.compile(r"@(?!\u200b)|<(?<!\\<)|(?<!\\)[*_~`|>#\[\]()]|://|(?i:discord(?:app)?\.\w+/)")
"""Text that pings somebody, links somewhere, or formats text."""


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("Åse Bjørnsdóttir", "Åse Bjørnsdóttir"),
        ("  Ada\n\n# result: White won\u2028x ", "Ada # result: White won x"),
        ("\u202eeslaf si sihT\u202c", "eslaf si sihT"),
        ("A\u200bd\u2060a\ufeff", "Ada"),
        ("Z" + "\u0351\u0489" * 300 + "o", "Z\u0351\u0489\u0351o"),
        ("Nguyễn", "Nguyễn"),
        ("नमस्ते", "नमस्ते"),
        ("👩‍👧", "👩‍👧"),
        ("\u3164", "…"),
        ("\u200d", "…"),
        ("", "…"),
        ("\x00\x1b[31m", "[31m"),
        ("x" * 2000, "x" * (MAX_NAME_LENGTH - 1) + "…"),
    ],
)
def test_a_line_keeps_what_can_be_read(typed: str, line: str) -> None:
    assert one_line(typed) == line


def test_everything_from_discord_is_cleaned_where_it_comes_in() -> None:
    use_tolerant_gateway()
    read = getattr(discord.utils, "_from_json")  # noqa: B009 - the one reader of events and answers; not in the stubs
    typed = {"name": "A\x1b[2J\u202eda\ud800", "options": [{"value": "one\r\ntwo\0"}, {"value": 7}], "❤️": "👩‍👩‍👧 é"}
    clean = {"name": "A[2Jda", "options": [{"value": "one\ntwo"}, {"value": 7}], "❤️": "👩‍👩‍👧 é"}
    assert read(json.dumps(typed)) == clean
    assert read(json.dumps(clean, ensure_ascii=False)) == clean
    for sign in map(chr, range(0x3000)):
        for ascii_only in (True, False):
            assert read(json.dumps([sign], ensure_ascii=ascii_only)) == [clean_text(sign)], hex(ord(sign))


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("@everyone", "@\u200beveryone"),
        ("<@123> <@&5> <#7> <t:0:R> </move:1> <:x:1>", None),
        ("[free](https://evil.example)", "\\[free\\]\\(https:\u200b//evil.example\\)"),
        ("discord.gg/abc", "discord\u200b.gg/abc"),
        ("Join DISCORD.com/invite/abc", "Join DISCORD\u200b.com/invite/abc"),
        ("discordapp . com/invite/a", "discordapp\u200b . com/invite/a"),
        ("St. John 3.5 a/b", "St. John 3.5 a/b"),
        ("**b** _i_ ~~s~~ ||h|| `c`", "\\*\\*b\\*\\* \\_i\\_ \\~\\~s\\~\\~ \\|\\|h\\|\\| \\`c\\`"),
    ],
)
def test_markup_links_and_mentions_are_shown_as_typed(typed: str, shown: str | None) -> None:
    assert not SILENT.search(escape_markup(typed))
    assert shown is None or escape_markup(typed) == shown


@given(st.text() | st.sampled_from(NASTY))
def test_whatever_is_typed_neither_calls_nor_forges_nor_hides_anything(typed: str) -> None:
    shown = escape_markup(typed)
    assert not SILENT.search(shown)
    assert len(shown.splitlines()) == 1
    assert len(one_line(typed)) <= MAX_NAME_LENGTH
    assert one_line(one_line(typed)) == one_line(typed)
    assert not {unicodedata.category(char) for char in one_line(typed)} & {"Cc", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("**Be kind.**\n\n- Move  within a week.", "**Be kind.**\n\n- Move  within a week."),
        ("```\ncode", "```\ncode\n```"),
        ("\u202eeb\u2028kind" + "\u0489" * 99, "eb\nkind" + "\u0489" * 3),
        ("", ""),
    ],
)
def test_a_whole_text_keeps_its_lines_and_its_markup(typed: str, shown: str) -> None:
    assert whole_text(typed) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("word " * 20, "word word word word word word word…"),
        ("```\n" + "word " * 20, "```\nword word word word word word…\n```"),
        ("你好" * 50, "你好" * 17 + "你…"),
        ("word word word<@1234567890123456789> word", "word word word…"),  # the bug: half a mention
        (r"\<3 " + "b" * 40, r"\<3 " + "b" * 31 + "…"),  # no mention
    ],
)
def test_a_long_post_ends_after_a_word_and_closes_its_code(said: str, shown: str) -> None:
    assert cut_text(said, 40) == shown


@given(st.text(alphabet="ab <>@1[]()`*\\|_~\n", max_size=80), st.integers(1, 60))
def test_what_is_cut_always_fits(said: str, longest: int) -> None:
    assert len(cut_text(said, longest)) <= longest
    assert cut_text(said, 80) == said
