"""The words of the page and of Round Table's extension of it, read from their sources."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
BOT = ROOT / "bot"
PAGE = ROOT / "sandbox" / "page"
DEMO = BOT / "demo" / "page"


@cache
def catalogue(name: str, page: Path = PAGE) -> dict[str, str]:
    """Returns one language's words; the name is that of the table in words.js, EN or NO."""
    source = (page / "words.js").read_text("utf-8")
    body = re.search(rf"^const {name} = {{$(.*?)^}};$", source, re.M | re.S)
    assert body is not None
    return dict(re.findall(r'^  (\w+):\s+"(.*)",$', body[1], re.M))


def said(key: str, language: str = "EN", **places: str) -> str:
    """Returns a sentence of the page."""
    return catalogue(language)[key].format(**places)


def said_by_demo(key: str, language: str = "EN", **places: str) -> str:
    """Returns a sentence of Round Table's extension."""
    return catalogue(language, DEMO)[key].format(**places)
