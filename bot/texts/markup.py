"""Typed text, names and instants in Discord's markup: made harmless, kept in one line, cut to a length. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rules.plain_text import clean_text

MAX_ALT_TEXT_LENGTH = 1024
"""Characters of the alt text of a picture in Discord."""

MAX_NAME_LENGTH = 60
"""The most characters of a name, or of typed text, that a sentence repeats."""

MAX_ACCENTS = 3
"""The most accents on one letter, as many as any language needs. Spam has hundreds, which cover the lines around."""

_ACCENT_CATEGORIES = ("Mn", "Me")
_UNSEEN_CATEGORIES = ("Cc", "Cf", "Cs")
"""Unicode's control and format characters, including those of no width and those that reverse the writing direction."""

_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters that are invisible."""

_EMOJI_JOINER = "\u200d"
"""Joins several emoji into one."""

_LINK_BREAKS = re.compile(r"(?<=\w)(?=\s*\.\s*\w+\s*/)|(?<=:)(?=//)")
"""Where addresses are broken: Discord previews invites for "discord.gg/…" alone, and links all text with "://"."""

_CODE_BLOCK = "```"

_TORN_MARKUP = re.compile(r"(?<!\\)<[^<>\n]{,80}\Z")
"""The start of a mention or of a time, whose end is cut off."""

_MAX_STEP_BACK = 20
"""How many characters a cut goes back to the end of a word; some scripts have no blanks."""


def clean_payload(payload: object) -> object:
    """The JSON with every text in it cleaned by `clean_text`. Typed text is cleaned here only, when it comes in."""
    if isinstance(payload, str):
        return clean_text(payload)
    if isinstance(payload, dict):
        return {key: clean_payload(value) for key, value in payload.items()}
    return [clean_payload(value) for value in payload] if isinstance(payload, list) else payload


def one_line(typed: str, longest: int = MAX_NAME_LENGTH) -> str:
    """A name or typed text on one short line: without invisible characters, reversed writing, or piles of accents."""
    line = " ".join("".join(_visible_characters(" ".join(typed.split()))).split())
    if not line.strip(_EMOJI_JOINER):
        return "…"
    return line if len(line) <= longest else line[: longest - 1] + "…"


def whole_text(typed: str) -> str:
    """A text of several lines that may contain markup: cleaned like `one_line`, and with an open code block closed."""
    return _close_code("\n".join("".join(_visible_characters(line)).rstrip() for line in typed.splitlines()))


def cut_plain(words: str, longest: int) -> str:
    """The words without markup in at most `longest` characters, the last of which is "…" if something is cut."""
    return words if len(words) <= longest else words[: max(longest - 1, 0)] + "…"


def cut_text(said: str, longest: int) -> str:
    """The text in at most `longest` characters, at least one: cut after a word if one ends nearby, never within a
    mention, and with an open code block closed.
    """
    if len(said) <= longest:
        return said
    end = max(longest - len(f"…\n{_CODE_BLOCK}"), 0)
    blank = max(said.rfind(sign, max(end - _MAX_STEP_BACK, 0), end + 1) for sign in (" ", "\n"))
    return _close_code(f"{_TORN_MARKUP.sub('', said[: blank if blank > 0 else end]).rstrip()}…")


def _close_code(text: str) -> str:
    return f"{text}\n{_CODE_BLOCK}" if text.count(_CODE_BLOCK) % 2 else text


def _visible_characters(line: str) -> Iterator[str]:
    """The characters of a line that do not disturb their neighbours."""
    marks = 0
    for char in unicodedata.normalize("NFC", line):
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in _ACCENT_CATEGORIES else 0
        if (
            marks <= MAX_ACCENTS
            and char not in _BLANK_LETTERS
            and (kind not in _UNSEEN_CATEGORIES or char == _EMOJI_JOINER)
        ):
            yield char


def escape_markup(typed: str, longest: int = MAX_NAME_LENGTH) -> str:
    """The text made safe for a message: without markup, links and pings."""
    line = "".join(f"\\{char}" if char in "\\*_~`|<>#[]()" else char for char in break_links(one_line(typed, longest)))
    return line.replace("@", "@\u200b")


def break_links(line: str) -> str:
    """The line with every address broken: Discord neither links nor previews it."""
    return _LINK_BREAKS.sub("\u200b", line)


def absolute_time(at: int) -> str:
    """An instant that Discord shows in each reader's terms: "20 November 2026 14:30"."""
    return f"<t:{at}:f>"


def relative_time(at: int) -> str:
    """An instant that Discord shows in each reader's terms: "2 days ago", "in 3 hours"."""
    return f"<t:{at}:R>"
