"""The page's own words, read from the module's source."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

BOT = Path(__file__).parents[3] / "bot"
PAGE = BOT / "sandbox" / "page"
WORDS = (PAGE / "words.js").read_text("utf-8")


@cache
def catalogue(name: str) -> dict[str, str]:
    """One language's words; the name is that of the table in words.js, EN or NO."""
    body = re.search(rf"^const {name} = {{$(.*?)^}};$", WORDS, re.M | re.S)
    assert body is not None
    return dict(re.findall(r'^  (\w+):\s+"(.*)",$', body[1], re.M))


def said(key: str, language: str = "EN", **places: str) -> str:
    """What the page says there."""
    return catalogue(language)[key].format(**places)
