"""The catalogues: every text in every language, and no text without a use."""

from __future__ import annotations

import ast
import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from pathlib import Path

import pytest
from babel import Locale

from bot.texts import i18n
from bot.texts.i18n import (
    DEFAULT_LANGUAGE,
    LANGUAGES,
    Language,
    format_number,
    join_list,
    know_commands,
    language_for,
    language_name,
    link_commands,
    load_catalogue,
    plural_text,
    read_page,
    text,
)
from rules import VARIANTS
from tests.sentences import LONGEST_TEXT, label

RULES = Path(__file__).parents[2] / "rules"
BOT = Path(__file__).parents[2] / "bot"


others = pytest.mark.parametrize("locale", [locale for locale in LANGUAGES if locale != DEFAULT_LANGUAGE])


def placeholders(sentence: str) -> set[str]:
    """The names in braces in the text."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


FORMS = (".zero", ".one", ".two", ".few", ".many", ".other")


@cache
def plurals() -> frozenset[str]:
    """The keys with a form for each plural."""
    return frozenset(key.removesuffix(".one") for key in load_catalogue(DEFAULT_LANGUAGE) if key.endswith(".one"))


def stem_of(key: str) -> str:
    """The key without the suffix of its plural form, if it has one."""
    stem, _, form = key.rpartition(".")
    return stem if stem in plurals() and f".{form}" in FORMS else key


@others
def test_every_language_has_every_key_and_no_other(locale: Language) -> None:
    assert {stem_of(key) for key in load_catalogue(locale)} == {
        stem_of(key) for key in load_catalogue(DEFAULT_LANGUAGE)
    }


@others
def test_every_sentence_has_the_same_placeholders_in_every_language(locale: Language) -> None:
    english = load_catalogue(DEFAULT_LANGUAGE)
    different = {
        key: (placeholders(sentence), placeholders(expected))
        for key, sentence in load_catalogue(locale).items()
        if placeholders(sentence)
        != placeholders(expected := english.get(key, english.get(f"{stem_of(key)}.other", "")))
    }
    assert not different


def test_no_sentence_is_empty_or_breaks_a_mention(locale: Language) -> None:
    for key, sentence in load_catalogue(locale).items():
        assert sentence, key
        assert "@everyone" not in sentence, key
        assert "@here" not in sentence, key


def test_every_button_has_words_that_can_be_read_aloud(locale: Language) -> None:
    labels = {key: said for key, said in load_catalogue(locale).items() if key.startswith("button.")}
    assert not [key for key, said in labels.items() if not re.search(r"[^\W\d_]{2}", said)]


def test_every_text_fits_a_phone(locale: Language) -> None:
    """Translators who need more room give a text further pages, as in the help and the rules of the ladders."""
    assert not [key for key, sentence in load_catalogue(locale).items() if len(sentence) > LONGEST_TEXT]


def test_every_plural_has_all_forms_of_its_language(locale: Language) -> None:
    forms = {
        stem: {key.rpartition(".")[2] for key in load_catalogue(locale) if stem_of(key) == stem} for stem in plurals()
    }
    assert forms
    customs = Locale.parse(locale, sep="-")
    needed = {customs.plural_form(count) for count in range(200)} | {"other"}
    assert {stem: found for stem, found in forms.items() if found != needed} == {}


MAYBE_ONE = frozenset({"count", "last", "left", "days", "games", "plies", "least"})
"""The placeholders of numbers that may be one. Others are constants greater than one, or no amounts."""
NOT_SEVERAL = {"composer.ways", "profile.curve"}
"""Texts only used for two or more, or that list numbers of games."""


def test_a_number_of_things_that_may_be_one_has_both_forms(locale: Language) -> None:
    things = re.compile(r"\{(\w+)\}\** [a-zåæø]+(s|er)\b")
    single = [
        (key, found[0])
        for key, sentence in load_catalogue(locale).items()
        for found in things.finditer(sentence)
        if found[1] in MAYBE_ONE and key not in NOT_SEVERAL and stem_of(key) == key
    ]
    assert single == []


STARTS = re.compile(r"[a-z\\-]+\\\.|\(\[\^\.]\*\)\\\.(?!\(\[)")
"""How the pattern of a composed key starts: with a word, or with anything before a word."""


@cache
def said_keys() -> tuple[frozenset[str], frozenset[str]]:
    """The strings and names of the program, and patterns of the keys that it composes of them, as `reason.{kind}`."""
    words, composed = set(), {r"command\..*"}  # of the names of commands
    for path in [*BOT.rglob("*.py"), *RULES.rglob("*.py")]:
        tree = ast.parse(path.read_text("utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        choices = {
            inner: found for function in functions if (found := choices_in(function)) for inner in ast.walk(function)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.update((node.value, *re.split("[-_]", node.value)))
            elif isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                words.update(name.lower().split("_"))
            elif isinstance(node, ast.JoinedStr):
                pattern = "".join(pattern_of(part, choices.get(node)) for part in node.values)
                composed |= {pattern} if STARTS.match(pattern) else set()
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "localized_choices":  # composes them
                assert isinstance(node.args[0], ast.Constant)
                composed.add(re.escape(node.args[0].value) + r"\.([^.]+)")
            elif isinstance(node, ast.Assign) and ast.unparse(node) in ("words = 'setting'", "words = 'server'"):
                composed.add(ast.literal_eval(node.value) + r"\.([^.]+).*")  # a panel of settings composes its keys
    return frozenset(words), frozenset(composed)


def pattern_of(part: ast.expr, choices: dict[str, str] | None = None) -> str:
    """A pattern for what a part of an f-string may become; `choices` are those for variables."""
    if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) and choices:
        return choices.get(part.value.id, "([^.]*)")
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else "([^.]*)"


def choices_in(function: ast.AST) -> dict[str, str]:
    """Patterns for the variables to which a function assigns nothing but strings of its own."""
    assigned = defaultdict[str, list[list[str]]](list)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned[node.targets[0].id].append(strings_of(node.value))
    stored = Counter(
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    own = {name: values for name, values in assigned.items() if all(values) and len(values) == stored[name]}
    return {name: f"({'|'.join(map(re.escape, chain(*values)))})" for name, values in own.items()}


def strings_of(value: ast.expr) -> list[str]:
    """The strings that an expression may be; none if it may be anything else."""
    if isinstance(value, ast.IfExp):
        one, other = strings_of(value.body), strings_of(value.orelse)
        return [*one, *other] if one and other else []
    return [value.value] if isinstance(value, ast.Constant) and isinstance(value.value, str) else []


def said(key: str) -> bool:
    """True if the program uses that key, whole or composed of its words."""
    words, composed = said_keys()
    forms = {key, stem_of(key), key.removesuffix("-won")}
    matches = (re.fullmatch(pattern, form) for pattern in composed for form in forms)
    return bool(forms & words) or any(
        match and {word for part in match.groups() for word in re.findall("[A-Za-z]+", part)} <= words
        for match in matches
    )


def test_the_program_says_every_key_of_the_catalogue() -> None:
    assert not [key for key in load_catalogue(DEFAULT_LANGUAGE) if not said(key)]


def test_a_key_that_nothing_says_is_seen_though_its_words_are_known() -> None:
    keys = ("league.leave.out", "league.remove.reserve", "league.leave.standing", "league.terms.out")
    assert [said(key) for key in keys] == [True, True, False, False]


def calls() -> Iterator[str]:
    """Every key that the program uses by its full name."""
    for path in BOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                for argument in node.args[:2]:
                    if not isinstance(argument, ast.Constant) or "." not in str(argument.value):
                        continue
                    if name in ("text", "sentence", "localized_text"):
                        yield str(argument.value)
                    elif name == "plural_text":
                        yield str(argument.value) + ".one"


def test_every_key_that_the_program_asks_for_is_there() -> None:
    asked = set(calls())
    assert len(asked) > 50
    assert not asked - load_catalogue(DEFAULT_LANGUAGE).keys()


def test_english_answers_whom_no_other_language_does() -> None:
    assert language_for("no") == "no"
    assert [language_for(code) for code in ("en-US", "en-GB", "de", "sv-SE", "", None)] == ["en"] * 6


def test_lists_and_numbers_are_put_in_words() -> None:
    assert join_list("en", ["A"]) == "A"
    assert join_list("en", ["A", "B", "C"]) == "A, B and C"
    assert join_list("no", ["A", "B"], "or") == "A eller B"
    assert plural_text("en", "turn.taken", 1, owners="") == ", capturing one piece"
    assert plural_text("no", "turn.taken", 3, owners="") == " (3 brikker)"


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert plural_text("en", "referee.hours", 12_345) == "12,345 hours"
    assert [format_number(locale, 1234) for locale in ("en", "no")] == ["1,234", "1\u00a0234"]


@pytest.fixture
def other_locales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of catalogues instead of ours."""
    monkeypatch.setattr(i18n, "load_catalogue", partial(load_catalogue, locales=tmp_path))
    return tmp_path


def test_a_language_with_three_plurals_is_added_by_a_folder(other_locales: Path) -> None:
    for code, words in (
        ("en", '[piece]\none = "{count} piece"\nother = "{count} pieces"\n'),
        ("pl", '[piece]\none = "{count} pionek"\nfew = "{count} pionki"\nmany = "{count} pionków"\nother = "?"\n'),
    ):
        (other_locales / code).mkdir()
        (other_locales / code / "messages.toml").write_text(words, "utf-8")
    assert i18n.list_languages(other_locales) == ("en", "pl")
    said = [plural_text("pl", "piece", count) for count in (1, 2, 4, 5, 12, 22, 25, 1002)]
    expected = "pionek pionki pionki pionków pionków pionki pionków pionki"
    assert [words.rpartition(" ")[2] for words in said] == expected.split(" ")
    assert said[-1] == "1\u00a0002 pionki"
    assert join_list("pl", ["A", "B", "C"]) == "A, B i C"
    assert join_list("pl", ["A", "B"], "or") == "A lub B"
    assert language_name("pl") == "polski"
    assert plural_text("en", "piece", 5) == "5 pieces"


def test_a_form_that_is_missing_is_that_of_other_numbers(other_locales: Path) -> None:
    (other_locales / "pl").mkdir()
    (other_locales / "pl" / "messages.toml").write_text('[piece]\none = "1"\nother = "{count} x"\n', "utf-8")
    assert plural_text("pl", "piece", 5) == "5 x"


@pytest.mark.parametrize(
    "parts",
    [
        ('[turn]\nnext = "A"\n', '[turn]\nnext = "B"\n'),
        ('"turn.next" = "A"\n[turn]\nnext = "B"\n',),
        ('[turn]\nnext = "A"\nnext = "B"\n',),
    ],
    ids=["in two files", "as a dotted key", "in one table"],
)
def test_two_texts_with_one_key_are_an_error(tmp_path: Path, parts: tuple[str, ...]) -> None:
    (tmp_path / "en").mkdir()
    for place, part in enumerate(parts):
        (tmp_path / "en" / f"{place}.toml").write_text(part, "utf-8")
    with pytest.raises(ValueError, match=r"^en/\d\.toml: .*(turn\.next|overwrite)"):
        load_catalogue("en", tmp_path)


@pytest.mark.parametrize("content", [b'[turn]\nnext = "A\n', b"next = \xff", b"next"])
def test_a_file_that_is_no_catalogue_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "no").mkdir()
    (tmp_path / "no" / "turn.toml").write_bytes(content)
    with pytest.raises(ValueError, match=r"^no/turn\.toml: "):
        load_catalogue("no", tmp_path)


def test_every_language_says_its_own_name() -> None:
    assert [language_name(code) for code in ("en", "no")] == ["English", "norsk"]


def test_a_missing_value_raises_an_error_instead_of_leaving_a_gap() -> None:
    with pytest.raises(KeyError):
        text("en", "problem.not-your-turn", number=1)
    with pytest.raises(KeyError):
        text("en", "no.such.key")


@pytest.mark.parametrize("key", VARIANTS)
def test_every_game_has_its_rules_in_every_language(locale: Language, key: str) -> None:
    assert read_page(locale, f"rules/{key}.md")
    folder = files("bot.texts").joinpath("locales", locale, "rules")
    assert {part.name for part in folder.iterdir()} == {f"{name}.md" for name in VARIANTS}


def test_private_texts_name_no_public_button_by_a_fixed_label(locale: Language) -> None:
    said = [words for key, words in load_catalogue(locale).items() if key.split(".")[0] in ("help", "problem", "games")]
    said += [read_page(locale, f"rules/{key}.md") for key in VARIANTS]
    names = [label(name, locale) for name in ("compose", "more", "join", "cancel", "rematch", "follow", "explore")]
    assert not [name for name in names for words in said if f"**{name}**" in words], "the server has its own language"


AMBIGUOUS_DUTY = {"no": re.compile(r"\bmå( \w+)? (aldri|ikke|ingen)\b|\bingen( som)? må\b", re.I)}
"""Words that a language uses both for "must not" and for "need not", so that a reader may learn the opposite rule."""


@pytest.mark.parametrize("locale", AMBIGUOUS_DUTY)
def test_no_text_mixes_up_forbidden_and_needless(locale: Language) -> None:
    # The bug: "Du må aldri angripe" taught that one must never charge.
    texts = load_catalogue(locale) | {key: read_page(locale, f"rules/{key}.md") for key in VARIANTS}
    assert [key for key, said in texts.items() if AMBIGUOUS_DUTY[locale].search(said)] == []


@pytest.mark.parametrize("key", ["draw", "takeback", "pause", "handover", "vote"])
def test_a_question_to_perhaps_one_person_asks_nobody_as_several(key: str) -> None:
    asked = "proposed" if key == "vote" else "asked"
    question = load_catalogue("no")[f"{key}.{asked}"].partition("{players}, ")[2].partition("?")[0]
    assert question
    assert "dere" not in question.split()


def test_a_command_becomes_a_link_once_its_number_is_known() -> None:
    words = "See `/games`, `/game move-here game:7` and `/nothing`; play `F7-F8`."
    assert link_commands(words) == words
    try:
        know_commands({"games": 5, "game move-here": 6})
        assert link_commands(words) == "See </games:5>, </game move-here:6> `game:7` and `/nothing`; play `F7-F8`."
        assert "</games:5>" in text("en", "problem.no-such-game")
        lost = text("en", "place.lost", id=12, players="", variant="", why="")
        assert "</game move-here:6> `game:12`" in lost
    finally:
        know_commands({})
    assert "`/games`" in text("en", "problem.no-such-game")


def test_menus_show_names_of_settings_without_markup(locale: Language) -> None:
    names = {
        key: name for key, name in load_catalogue(locale).items() if re.fullmatch(r"(server|setting)\.[^.]+\.name", key)
    }
    assert len(names) > 10
    assert not [name for name in names.values() if re.search(r"[`*_<]", name)]
