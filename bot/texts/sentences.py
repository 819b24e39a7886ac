"""What happened, in words: positions, moves, refusals and results. Pure; of Discord it knows only the markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from bot.match.events import is_former
from bot.match.results import Post
from bot.people.house import HOUSE, is_house, level_of
from bot.texts.i18n import Language, join, plural, text
from rules import (
    VARIANTS,
    AmbiguousMove,
    Cause,
    Game,
    IllegalMove,
    Move,
    PieceKind,
    Position,
    Reason,
    RulesError,
    Side,
    Variant,
    format_move,
)
from rules.board import LegKind
from rules.game import settle

EMBLEMS = {"White": "⚪", "Black": "⚫", "Blue": "🔵", "Red": "🔴", "Green": "🟢"}
"""A sign beside each colour's name, never instead of it."""

SHOWN_CANDIDATES = 8
"""How many moves a sentence lists before it says that there are more."""


LONGEST_NAME = 60
"""Characters of a name, or of what somebody typed, that a sentence repeats."""

MOST_MARKS = 3
"""Accents upon one letter: as many as any language needs. Storms of them have hundreds, and cover the lines around."""

_MARKS = ("Mn", "Me")
_UNSEEN = ("Cc", "Cf", "Cs")
"""Unicode's control and format characters: among them those of no width, and those that turn the writing round."""
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters that look like nothing."""
_JOINER = "\u200d"
"""Makes one emoji of several."""
_ADDRESS = re.compile(r"(?<=\w)(?=\s*\.\s*\w+\s*/)|(?<=:)(?=//)")
"""Where addresses are torn: Discord shows who is invited where for "discord.gg/…" alone, and links all that has "://"."""


def mention(user: int, locale: Language) -> str:
    """Discord's markup for a person, a word for one who is forgotten, and for a house player what it is called.

    Whether it pings is decided where it is sent.
    """
    return nameless(user, locale) or f"<@{user}>"


def nameless(user: int, locale: Language) -> str | None:
    """What is said for a number that is nobody's in Discord: of a house player, or of one who is forgotten."""
    if is_house(user):
        return house_name(user, locale)
    return text(locale, "former-player") if is_former(user) else None


def house_name(user: int, locale: Language) -> str:
    """What a house player is called, with its level: "🐕 Cabal · easy bot". Fit for headers of records, too."""
    face, name = (HOUSE[user].face, HOUSE[user].name) if user in HOUSE else ("🤖", str(user))
    return text(locale, "house-player", face=face, name=name, level=text(locale, f"level.{level_of(user)}"))


def mentions(locale: Language, users: Iterable[int]) -> list[str]:
    """Each of them as `mention` has it."""
    return [mention(user, locale) for user in users]


_MENTION = re.compile(r"<@(\d+)>")


def mentioned(said: str) -> list[int]:
    """Whom that mentions, each once."""
    return list(dict.fromkeys(int(number) for number in _MENTION.findall(said)))


def spelled(said: str, names: Mapping[int, str]) -> str:
    """What is said, with those names in the place of mentions."""
    return _MENTION.sub(lambda found: names.get(int(found[1]), found[0]), said)


def titled(locale: Language, variant: Variant, title: str | None) -> str:
    """The game's name, followed by the title that a referee has given it: "Camelot: Club final"."""
    name = variant_name(locale, variant)
    return text(locale, "variant-titled", variant=name, title=plain(title)) if title else name


def colour(locale: Language, variant: Variant, seat: int) -> str:
    """The name of that seat's colour."""
    return text(locale, f"colour.{variant.armies[seat].colour}")


def emblem(variant: Variant, seat: int) -> str:
    """The sign of that seat's colour."""
    return EMBLEMS[variant.armies[seat].colour]


def side(locale: Language, variant: Variant, seat: int) -> dict[str, str]:
    """The emblem and the colour of that seat, as sentences take them."""
    return {"emblem": emblem(variant, seat), "colour": colour(locale, variant, seat)}


def variant_called(locale: Language, key: str) -> str:
    """The name of the variant that is stored by that key, or the key where it is not known here."""
    return text(locale, f"variant.{key}") if key in VARIANTS else plain(key)


def variant_name(locale: Language, variant: Variant) -> str:
    """The game's name."""
    return text(locale, f"variant.{variant.key}")


def move_kind(before: Position, move: Move) -> str:
    """What the rulebook calls the move: "step", "castle", "canter", "jump" or "charge"."""
    if move.captures:
        return "jump" if len(move.captures) == len(move.path) - 1 else "charge"
    if move.path[0] in before.variant.armies[before.turn].goal:
        return "castle"
    leap = (move.path[0], move.path[1]) in before.variant.board.between
    return LegKind.CANTER.value if leap else LegKind.STEP.value


def played(locale: Language, before: Position, move: Move, name: str = "") -> str:
    """The sentence that says who moved what, in the rulebook's terms. `name` is the player's, if it is known."""
    variant, seat = before.variant, before.turn
    taken = plural(locale, "turn.taken", len(move.captures)) if move.captures else ""
    return text(
        locale,
        f"turn.{move_kind(before, move)}",
        **side(locale, variant, seat),
        name=in_brackets(name),
        move=format_move(move, variant.board),
        taken=taken,
    )


def in_brackets(name: str) -> str:
    """A player's name as it stands after the colour, with the blank before it; nothing where it is not known."""
    return f" ({plain(name)})" if name else ""


def signed(position: Position, moves: Iterable[Move]) -> str:
    """Moves that follow one another from that position, with the colours: "🔵 `H14-I15` · 🔴 `C13-B12`"."""
    said = list[str]()
    for move in moves:
        said.append(f"{emblem(position.variant, position.turn)} `{format_move(move, position.variant.board)}`")
        position = settle(position.after(move))[0]
    return " · ".join(said)


def message_url(guild: int, post: Post) -> str:
    """The address of that message, which Discord's clients open by themselves."""
    return f"https://discord.com/channels/{guild}/{post.channel}/{post.message}"


def duty(locale: Language, position: Position) -> str | None:
    """What the rules demand of the player to move, if anything."""
    side = Side(position)
    if side.homebound:
        return text(locale, "turn.homebound")
    return text(locale, "turn.due") if side.due else None


def ending(locale: Language, game: Game) -> str:
    """Why that game, which is over, has ended, in a sentence."""
    outcome, position, variant = game.outcome, game.position, game.variant
    assert outcome is not None
    key, winner, loser = f"end.{outcome.cause.value}", "", ""
    if outcome.winners:
        winner = colour(locale, variant, outcome.winners[0])
    if outcome.cause is Cause.CASTLE:
        goal = variant.armies[outcome.winners[0]].goal
        loser = next(colour(locale, variant, seat) for seat in variant.seats if variant.armies[seat].castle == goal)
    elif outcome.cause is Cause.QUIET:
        key = quiet_key(key, variant)
    elif outcome.cause is Cause.STALEMATE:
        loser = colour(locale, variant, position.turn)
        key += "-won" if outcome.winners else ""
    counts = {"repetitions": game.repetitions, "quiet": game.quiet_moves}  # a draw may be claimed before it comes
    return text(locale, key, winner=winner, loser=loser, **counts)


def quiet_key(key: str, variant: Variant) -> str:
    """That key of a sentence about quiet moves; its sister where a new piece in a castle is not quiet, nor a win."""
    return f"{key}-two" if len(variant.armies[0].goal) > 1 else key


def ways(variant: Variant) -> str:
    """What the catalogue calls the directions in which a piece of that game goes."""
    if len(variant.board.vectors[0]) > 2:
        return "levels"
    return "hexagons" if len(variant.board.directions) == 6 else "squares"


def pieces(locale: Language, position: Position, seat: int) -> str:
    """That side's pieces, Knights first, each in board order: "Knights E4, F5; Men D5"."""
    said = []
    for kind, key in ((PieceKind.KNIGHT, "pieces.knights"), (PieceKind.MAN, "pieces.men")):
        cells = [cell for cell, piece in position.pieces.items() if piece == (seat, kind)]
        if cells:
            said.append(plural(locale, key, len(cells), cells=", ".join(position.names(cells))))
    return "; ".join(said) or text(locale, "pieces.none")


def sides(locale: Language, position: Position) -> list[str]:
    """Every side's pieces, a sentence each; then one for each that nobody plays any more, or a steward."""
    colours = [colour(locale, position.variant, seat) for seat in position.variant.seats]
    said = [text(locale, "alt.side", colour=name, pieces=pieces(locale, position, n)) for n, name in enumerate(colours)]
    gone = {seat: "alt.steward" if seat in position.stewards else "alt.passive" for seat in sorted(position.out)}
    return said + [text(locale, key, colour=colours[seat]) for seat, key in gone.items()]


def alt_text(
    locale: Language,
    game_id: int,
    ply: int,
    position: Position,
    *,
    over: bool,
    before: Position | None = None,
    move: Move | None = None,
) -> str:
    """A picture in words, at most 1024 characters: what changed, whose turn, material, and every piece by side."""
    variant = position.variant
    turn = text(locale, "alt.over" if over else "alt.to-move", colour=colour(locale, variant, position.turn))
    change = f"{move_sentence(locale, before, move)} {turn}" if before is not None and move is not None else turn
    return text(
        locale,
        "alt.board",
        variant=variant_name(locale, variant),
        id=game_id,
        when=when(locale, ply),
        change=change,
        material=material(locale, position),
        pieces=" ".join(sides(locale, position)),
    )


def move_sentence(locale: Language, before: Position, move: Move) -> str:
    """What changed, for those who see no picture: "White played F6xH8, capturing G7."."""
    cells = ", ".join(before.names(move.captures))
    return text(
        locale,
        "alt.played",
        colour=colour(locale, before.variant, before.turn),
        move=format_move(move, before.variant.board),
        taken=plural(locale, "alt.taken", len(move.captures), cells=cells) if move.captures else "",
    )


def material(locale: Language, position: Position) -> str:
    """How many pieces each side has: "Pieces on the board: White 14, Black 13."."""
    variant = position.variant
    return text(locale, "alt.material", counts=counts(locale, variant, map(position.count, variant.seats)))


def counts(locale: Language, variant: Variant, numbers: Iterable[int]) -> str:
    """A number for each side, in seat order: "White 14, Black 13"."""
    each = enumerate(numbers)
    return ", ".join(
        text(locale, "alt.count", colour=colour(locale, variant, seat), count=count) for seat, count in each
    )


def when(locale: Language, ply: int) -> str:
    """ "at the start" or "after move 5"."""
    return text(locale, "alt.after", number=ply) if ply else text(locale, "alt.start")


def refusal(locale: Language, error: RulesError, example: str = "F7-F9", variant: Variant | None = None) -> str:
    """Why the rules refuse what was typed, in a sentence or two; `variant`: in which game, if that is known."""
    cells = [f"**{cell}**" for cell in error.cells]
    values: dict[str, object] = {
        "text": plain(error.text),
        "example": f"`{example}`",
        "cells": join(locale, cells) if cells else "",
        "first": cells[0] if cells else "",
        "second": cells[1] if len(cells) > 1 else "",
        "rest": join(locale, cells[1:]) if len(cells) > 1 else "",
    }
    if isinstance(error, AmbiguousMove):
        return _ambiguous(locale, error, values)
    if isinstance(error, IllegalMove):
        captures = [
            text(locale, "move.captures", start=f"**{start}**", over=f"**{over}**") for start, over in error.captures
        ]
        values["captures"] = join(locale, captures, "or") if captures else ""
    if error.reason is Reason.TOO_MANY_PIECES:
        values["colour"] = text(locale, f"colour.{error.text}")
    key = f"reason.{error.reason.value}"
    if error.reason is Reason.NOT_STRAIGHT and variant and ways(variant) == "hexagons":
        key = f"{key}-hexagons"
    return text(locale, key, **values)


def _ambiguous(locale: Language, error: AmbiguousMove, values: dict[str, object]) -> str:
    shown = [f"`{name}`" for name in error.cells[:SHOWN_CANDIDATES]]
    if not shown:
        return text(locale, "reason.ambiguous-unknown", **values)
    cut = error.more or len(error.cells) > len(shown)
    values["candidates"] = ", ".join(shown) if cut else join(locale, shown, "or")
    return text(locale, "reason.ambiguous-more" if cut else "reason.ambiguous", **values)


def one_line(typed: str, longest: int = LONGEST_NAME) -> str:
    """A name, or what somebody typed, on one short line: nothing unseen, turned round, or piled up on a letter."""
    line = " ".join("".join(_seen(" ".join(typed.split()))).split())
    if not line.strip(_JOINER):
        return "…"
    return line if len(line) <= longest else line[: longest - 1] + "…"


def whole_text(typed: str) -> str:
    """A text of several lines that may be marked up, with what it opens closed, and as above otherwise."""
    text = "\n".join("".join(_seen(line)).rstrip() for line in typed.splitlines())
    return f"{text}\n```" if text.count("```") % 2 else text


_TORN = re.compile(r"(<[^<>\n]*|\[[^\[\]\n]*(\]\([^()\n]*)?)$")
"""The beginning of a mention, an instant or a link, without its end."""

_CLOSING = 8
"""Characters kept free for "…" and the ends of what stands in bold, or as code."""


def shortened(said: str, longest: int) -> str:
    """What is said in at most so many characters: cut after a word, with no markup torn and what it opens closed."""
    if len(said) <= longest:
        return said
    kept = said[: longest - _CLOSING]
    kept = kept[: max(kept.rfind(" "), kept.rfind("\n"))] if " " in kept or "\n" in kept else kept
    kept = _TORN.sub("", kept).rstrip() + "…"
    if kept.count("```") % 2:
        return f"{kept}\n```"
    bare = re.sub(r"\\.|```", "", kept)
    return kept + "`" * (bare.count("`") % 2) + "**" * (bare.count("**") % 2)


def _seen(line: str) -> Iterator[str]:
    """The characters of a line that can stand beside others."""
    marks = 0
    for char in unicodedata.normalize("NFC", line):
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in _MARKS else 0
        if marks <= MOST_MARKS and char not in _BLANKS and (kind not in _UNSEEN or char == _JOINER):
            yield char


def plain(typed: str, longest: int = LONGEST_NAME) -> str:
    """The same so that it can stand in a message: without markup and links, and nobody is pinged."""
    line = "".join(f"\\{char}" if char in "\\*_~`|<>#[]()" else char for char in unlinked(one_line(typed, longest)))
    return line.replace("@", "@\u200b")


def unlinked(line: str) -> str:
    """The line so that nothing in it is an address: Discord neither links it nor shows what is there."""
    return _ADDRESS.sub("\u200b", line)


def code_list(moves: Iterable[str]) -> str:
    """Notations in a row, each as code."""
    return ", ".join(f"`{move}`" for move in moves)
