"""Typed text, names and instants in Discord's markup: made harmless, kept in one line, cut to a length. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

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

_PAIRED = ("```", "`", "**", "__", "~~", "||")
"""The marks around code, and bold, underlined, struck and hidden words. A single * or _ may be a plain sign."""

_CLOSING = 13
"""Characters reserved for "…" and the closing marks: a code block's within four others."""

_MAX_STEP_BACK = 20
"""How many characters a cut goes back to the end of a word; some scripts have no blanks."""

_MARKUP = re.compile(
    r"\\.|```|`|\*\*|__|~~|\|\|"
    r"|<(?:@[!&]?\d+|#\d+|t:-?\d+(?::\w)?|/[^<>\n]{1,150}:\d+|a?:\w{1,32}:\d+|id:\w+|https?://[^<>\s]{1,500})>"
    r"|\[(?:\\.|[^\[\]\\\n]){1,200}\]\([^()\s]{1,500}\)"
    r"|https?://[^\s<>()*|`]{1,500}",
    re.DOTALL,
)
"""Matches what a cut may not tear: an escaped sign, a mark, a mention, a timestamp, a link or an address."""


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
    text = "\n".join("".join(_visible_characters(line)).rstrip() for line in typed.splitlines())
    return f"{text}\n```" if text.count("```") % 2 else text


def cut_plain(words: str, longest: int) -> str:
    """The words without markup in at most `longest` characters, the last of which is "…" if something is cut."""
    return words if len(words) <= longest else words[: max(longest - 1, 0)] + "…"


def cut_text(said: str, longest: int) -> str:
    """The text in at most `longest` characters, at least one: cut after a word if one ends nearby.

    Tears no markup, and closes code, and bold, underlined, struck and hidden words that are closed after the cut.
    """
    if len(said) <= longest:
        return said
    marks = list(_MARKUP.finditer(said))
    end = _before_markup(marks, max(longest - _CLOSING, 0))
    if not said[end].isspace():
        first = max(end - _MAX_STEP_BACK, 0)
        blank = max(said.rfind(" ", first, end), said.rfind("\n", first, end))
        end = _before_markup(marks, blank) if blank > 0 else end
    closing = ("\n```" if mark == "```" else mark for mark in reversed(_open_marks(marks, end)))
    return f"{said[:end].rstrip()}…{''.join(closing)}"


def _before_markup(marks: Sequence[re.Match[str]], end: int) -> int:
    """Returns where to cut instead of at `end`: before the markup that it would tear, if any."""
    return next((mark.start() for mark in marks if mark.start() < end < mark.end()), end)


def _open_marks(marks: Sequence[re.Match[str]], end: int) -> list[str]:
    """Returns the paired marks that are open there, the last one opened last. One without a partner is a plain sign."""
    last = {mark[0]: mark.start() for mark in marks}
    opened: list[str] = []
    for mark in marks:
        if mark.start() >= end:
            break
        sign = mark[0]
        if sign not in _PAIRED or (opened and "`" in opened[-1] and sign != opened[-1]):  # in code all signs are plain
            continue
        if sign in opened:
            opened.remove(sign)
        elif last[sign] > mark.start():
            opened.append(sign)
    return opened


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
