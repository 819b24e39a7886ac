"""The glossary names what exists in the code, and no class or constant shares its name with another."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pkgutil import resolve_name

import pytest

from bot.texts.i18n import load_catalogue, read_page
from rules import VARIANTS
from tests.repository import modules, read

MAX_WORDS = 70
ROW = re.compile(r"\| ([^|]+) \| [^|]+ \| `([\w.]+)` \|")
PACKAGES = ("rules", "render", "engine", "bot")
OTHER_WORDS = {
    "en": "house (players?|plays|finds|proves|sees)|the house|`house:?`|claims? the game",
    "no": "remis|parti(referat|list)\\w*|innbytter\\w*|robot\\w*|hus(et|spiller\\w*)|klokka|nevner deg|forseglet|posten"
    "|krev(er|d|e)? parti(et)?|springer (?=`)|tellende parti\\w*|avsluttede partier|merknad\\w*|sovende|nevnes",
}
"""What each language does not say, because it has another word for the same idea, or because no native would."""


def glossary() -> dict[str, str]:
    """Returns each word of the glossary with the name in the code that embodies it."""
    rows = [ROW.fullmatch(line) for line in read("docs/glossary.md").splitlines()]
    return {row[1]: row[2] for row in rows if row}


def defined_names(tree: ast.Module) -> Iterator[str]:
    """Yields the classes of a module and its constants; type variables of one letter are nobody's constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and target.id.isupper() and len(target.id) > 1:
                yield target.id


def test_glossary_is_short_and_names_exist() -> None:
    words = glossary()
    lines = [line for line in read("docs/glossary.md").splitlines() if line.startswith("| ")]
    headings = sum(line.startswith("| Word ") for line in lines)
    assert len(lines) - headings == len(words) <= MAX_WORDS
    for name in words.values():
        assert resolve_name(name) is not None


def test_no_class_or_constant_name_means_two_things() -> None:
    places = defaultdict(list)
    for package in PACKAGES:
        for path, tree in modules(package):
            for name in defined_names(tree):
                places[name].append(path)
    assert not {name: paths for name, paths in places.items() if len(paths) > 1}


@pytest.mark.parametrize("language", OTHER_WORDS)
def test_people_read_one_word_for_one_idea(language: str) -> None:
    texts = load_catalogue(language) | {key: read_page(language, f"rules/{key}.md") for key in VARIANTS}
    assert [key for key, said in texts.items() if re.search(rf"\b({OTHER_WORDS[language]})", said, re.IGNORECASE)] == []
