"""Probes: each takes any text, hands it to one part of the program, and asserts that part's promises.

A probe returns whether the text meant anything. It lets through no exception but AssertionError: whatever else
escapes from one is a find.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from io import StringIO
from itertools import islice

from bot.core.draft import Draft, UnfitPathError, list_move_choices, parse_path
from bot.core.problems import MatchError
from bot.core.settings import find_zone, parse_sleep, zones_like
from bot.discordkit.components import parse_custom_id
from bot.features import FEATURES
from bot.learn.lessons import LESSONS
from bot.play import every_cog
from bot.play.composer.state import ComposerState
from bot.play.options import parse_game_number
from bot.play.refusals import problem_sentence
from bot.play.why import explain_refused_move
from bot.texts.i18n import LANGUAGES
from bot.texts.markup import escape_markup
from rules import (
    VARIANTS,
    Game,
    Position,
    RecordError,
    RulesError,
    find_entry,
    format_move,
    format_position,
    format_record,
    iter_moves,
    parse_move,
    parse_position,
    parse_record,
    suggest_move_texts,
)
from rules.collection import iter_records
from rules.terminal_words import mistake_in_words

LONGEST_ANSWER = 1900
"""The most characters of an answer about one text; the rest of a message is for the words around it."""

LOOKED_AT = 20
"""The most moves of a position that are read back."""


@cache
def boards() -> tuple[Position, ...]:
    """Returns positions of all variants to read texts at: starts, lessons, and some from random games."""
    found = [variant.start_position for variant in VARIANTS.values()]
    found += [one.position for lessons in LESSONS.values() for one in lessons]
    for variant in VARIANTS.values():
        choose, game = random.Random(variant.key).choice, Game.start(variant)
        for ply in range(40):
            if game.outcome:
                break
            game = game.apply(choose(list(islice(iter_moves(game.position), 200))))
            if ply % 10 == 9:
                found.append(game.position)
    return tuple(found)


def notation(text: str, position: Position) -> bool:
    """A move as typed: it is legal and prints as what is read back, or the refusal fits into an answer."""
    assert all(len(one) <= 100 for one in suggest_move_texts(position, text, 25, 100))
    try:
        move = parse_move(position, text)
    except RulesError as error:
        for locale in LANGUAGES:
            taught = explain_refused_move(locale, position, text, error)
            assert len(taught.words) <= LONGEST_ANSWER, len(taught.words)
            assert all(len(label) <= 80 for label, _ in taught.links)
            assert _harmless(taught.words), taught.words
        return False
    written = format_move(move, position.variant.board)
    assert parse_move(position, written) == move, written
    assert Draft.from_path(position).follow_move(move).is_complete
    return True


def position_text(text: str) -> bool:
    """A position: it prints as what is read back, and its moves can be played and written."""
    try:
        position = parse_position(text)
    except RulesError:
        return False
    assert parse_position(format_position(position)) == position
    Game.from_position(position)
    suggest_move_texts(position, "", 25, 100)
    find_entry(position)
    for move in islice(iter_moves(position), LOOKED_AT):
        assert parse_move(position, format_move(move, position.variant.board)).path[-1] == move.path[-1]
    return True


def record(text: str) -> bool:
    """A record: once it is replayed, it is written as what replays to the same position."""
    try:
        read = parse_record(text)
        game = read.replay()
        for _variation, _line in read.replay_variations():
            pass
    except RulesError:
        return False
    again = parse_record(format_record(game)).replay()
    assert again.position == game.position
    return True


def records(text: str) -> bool:
    """A file of records, as text or lines of JSON: every database takes each, or there is one line of reasons."""
    try:
        for found, single in iter_records(StringIO(text)):
            found.replay()
            assert "\0" not in single
            assert single.encode("utf-8").decode("utf-8") == single
            parse_record(single).replay()
    except RecordError as error:
        said = mistake_in_words(error)
        assert len(said.splitlines()) == 1
        assert len(said) < LONGEST_ANSWER
        return False
    return True


COGS = [*every_cog(FEATURES)]
"""Made so that every handler of a component is registered."""


def custom_id(text: str) -> bool:
    """The `custom_id` of a component or form: nobody's, or written as what is read back, and fit to be looked at."""
    found = parse_custom_id(text)
    if found is None:
        return False
    assert parse_custom_id(found.family.format_id(found.name, found.state)) == found
    if isinstance(found.state, ComposerState):
        _go_on(found.state)
    return True


def _go_on(place: ComposerState) -> None:
    """Opens the composer at that state on every board; each path fits or raises UnfitPathError."""
    if place.path.startswith("~"):
        return
    path = parse_path(place.path)
    for position in boards()[: len(VARIANTS)]:
        with suppress(UnfitPathError):
            Draft.from_path(position, path)
            list_move_choices(Game.from_position(position), path, castles=True)


def option(text: str) -> bool:
    """What is typed into any option of any command and means something to the program, or gets a sentence."""
    meant = False
    readers: tuple[Callable[[str], object], ...] = (parse_game_number, find_zone, parse_sleep)
    for read in readers:
        try:
            meant |= read(text) is not None
        except MatchError as error:
            for locale in LANGUAGES:
                said = problem_sentence(locale, error)
                assert len(said) <= LONGEST_ANSWER
                assert _harmless(said), said
    zones_like(text, 25)
    shown = escape_markup(text)
    assert shown
    assert _harmless(shown), shown
    assert "\n" not in shown
    assert len(shown) <= 2 * 2 * 60  # each character behind a backslash or before a blank of no width
    return meant


def _harmless(said: str) -> bool:
    """Returns True if that text, sent without limits to its mentions, would mention nobody."""
    return not re.search(r"@(everyone|here)|<@[!&]?\d+>", said)


def on_a_board(text: str) -> bool:
    """A move in the position that the first character chooses."""
    at = ord(text[0]) if text else 0
    return notation(text[1:], boards()[at % len(boards())])


PROBES: Mapping[str, Callable[[str], bool]] = {
    "notation": on_a_board,
    "position": position_text,
    "record": record,
    "records": records,
    "custom-id": custom_id,
    "option": option,
}
"""Every probe by the name of its hunt."""
