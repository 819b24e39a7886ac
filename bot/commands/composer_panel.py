"""The panel of the one private board: words, picture and menus for any place in a move.

What is done with them is in `bench`, and what the board is for in a `Purpose`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import discord
from discord import ButtonStyle, SelectOption, ui

from bot.commands.purpose import Purpose
from bot.kit.components import Button, Menu, row
from bot.kit.reply import LONGEST
from bot.match.draft import Draft, Peril, Survey, format_path
from bot.people.preferences import Preferences
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import colour, duty
from bot.texts.text_board import text_board
from render import Mark, View
from rules import Move, PieceKind, Position, Turn, format_move
from rules.board import Cell, Leg, LegKind

ROOM = 25
"""Options in one menu."""
PER_PAGE = ROOM - 2
"""Options on a page where there are several: two lead to the pages around it."""
LONGEST_OPTION = 100
PAGE = "page"


@dataclass(frozen=True)
class Panel:
    """What a panel shows."""

    locale: Language
    board: Purpose
    place: Any
    """The board's, with the cursor."""
    found: Survey
    preferences: Preferences
    remark: str = ""
    """What is said below the title: that the board has moved on, or why a move is refused."""
    marks: tuple[Mark, ...] = ()
    pages: Mapping[str, int] = field(default_factory=dict)
    """The page at which a menu is open, by its name; the others are at their first."""
    fresh: str = ""
    """What makes its menus others than those shown before."""

    @property
    def position(self) -> Position:
        """The position in which the move is made."""
        return self.found.draft.side.position

    @property
    def turn(self) -> Turn | None:
        """The move so far."""
        return self.found.draft.turn

    @property
    def asks(self) -> bool:
        """Whether the player wants to be asked before this move is played."""
        confirm = self.preferences.confirm
        return confirm == "always" or (confirm == "risky" and self.found.prospect.peril is not None)

    @property
    def ways(self) -> list[Move]:
        """The ways to the destination that has been chosen."""
        return [] if self.place.end is None else self.found.ends.by_cell.get(self.place.end, [])


def panel_text(panel: Panel) -> str:
    """The panel's words."""
    board, lines = panel.board, [panel.board.title(panel.locale), panel.remark]
    if board.open:
        lines += [duty(panel.locale, panel.position) or "", *_state(panel)]
    words = "\n".join(line for line in lines if line)
    if panel.preferences.board == "picture":
        return _beside(words, board.page)
    before, move = board.came if board.came and panel.turn is None else (None, None)
    shown = text_board(panel.locale, panel.position, over=not board.open, before=before, move=move)
    # After a long move there may be no room for the board, which has not changed since the move began.
    return _beside(f"{words}\n{shown}" if len(words) + len(shown) < LONGEST else words, board.page)


def _beside(words: str, page: str) -> str:
    """The words with the notes below them, as far as there is room."""
    quoted = "".join(f"\n> {line}" for line in page.splitlines())
    words = words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    room = LONGEST - len(words)
    return words + (quoted if len(quoted) <= room else f"{quoted[: max(room - 1, 0)]}…" if room > 4 else "")


def _state(panel: Panel) -> Iterator[str]:
    """How far the move has come, and what may follow."""
    locale, draft, turn = panel.locale, panel.found.draft, panel.turn
    if turn is None:
        if panel.board.tries(()) is None:
            yield text(locale, "composer.choose-piece")
        return
    if len(turn.path) == 1:
        yield text(locale, "composer.choose-leg", piece=f"**{piece_name(locale, panel.position, turn.path[0])}**")
    else:
        move = format_move(turn.move, draft.side.board)
        yield text(locale, "composer.so-far", move=move, state=_standing(locale, draft, turn))
    if turn.captures:
        yield text(locale, "composer.captures", cells=_cells(locale, panel.position, turn.captures))
    if panel.ways and panel.place.end is not None:
        yield text(locale, "composer.choose-way", end=f"**{panel.position.names([panel.place.end])[0]}**")
    if panel.board.warns and (panel.preferences.warn or panel.found.prospect.peril is not Peril.CASTLE_OPEN):
        yield peril_text(panel)


def question_text(panel: Panel) -> str:
    """The question whether the player means it, and why it is asked."""
    assert panel.turn is not None
    move = format_move(panel.turn.move, panel.position.variant.board)
    lines = [panel.board.title(panel.locale), peril_text(panel), text(panel.locale, "composer.question", move=move)]
    return "\n".join(line for line in lines if line)


def peril_text(panel: Panel) -> str:
    """What to think of before the move is played; empty if it is nothing."""
    peril, reply = panel.found.prospect
    if peril is None:
        return ""
    if reply is None:
        return text(panel.locale, f"composer.peril.{peril.value}")
    assert panel.turn is not None
    after = panel.board.game.apply(panel.turn.move).position
    winner, way = colour(panel.locale, after.variant, after.turn), format_move(reply, after.variant.board)
    return text(panel.locale, "composer.peril.castle-open", colour=winner, reply=way)


def _standing(locale: Language, draft: Draft, turn: Turn) -> str:
    """Whether the move may stop where it is, or must go on and why."""
    if turn.complete:
        return text(locale, "composer.may-stop" if draft.legs else "composer.done")
    if turn.captures:
        return text(locale, "composer.must.jump")
    if turn.side.homebound:
        return text(locale, "composer.must.home")
    return text(locale, "composer.must.due" if turn.side.due else "composer.must.knight")


def piece_name(locale: Language, position: Position, cell: Cell) -> str:
    """A piece in words: "Knight F7"."""
    kind = "knight" if position.pieces[cell].kind is PieceKind.KNIGHT else "man"
    return text(locale, f"moves.{kind}", cell=position.names([cell])[0])


def panel_view(panel: Panel) -> View:
    """The picture: the pieces to choose from with their numbers, or the move as far as it has come."""
    board, turn = panel.board, panel.turn
    before, move = board.came if board.came and turn is None else (None, None)
    return View(
        panel.position,
        board.bottom,
        move,
        before,
        marks=panel.marks,
        to_move=board.open,
        numbers=tuple((cell, number) for number, cell in enumerate(_pieces(panel), start=1)),
        reachable=tuple(leg.to for leg, _ in panel.found.legs),
        grown=turn.move if turn else None,
    )


def _pieces(panel: Panel) -> Sequence[Cell]:
    """The pieces to choose from, while none has been chosen."""
    if panel.turn is not None or not panel.board.open:
        return ()
    tries = panel.board.tries(())
    return panel.found.starts if tries is None else tries


def panel_words(panel: Panel) -> str:
    """The picture in words: the move so far, then the board as it stands."""
    board = panel.board.alt(panel.locale)
    if panel.turn is None:
        return board
    return f"{format_move(panel.turn.move, panel.position.variant.board)}. {board}"


def panel_items(panel: Panel) -> discord.ui.View:
    """The menus and buttons."""
    moving = (*_menus(panel), *_steps(panel)) if panel.board.open else ()
    shown = [*moving, *panel.board.items(panel)]
    return row(*sorted(shown, key=lambda item: isinstance(item, ui.Button)))  # the menus first


def question_items(panel: Panel) -> discord.ui.View:
    """The buttons below the question whether the player means it."""
    locale, place, buttons = panel.locale, panel.place, panel.board.buttons
    return row(
        buttons.button("sure", place, text(locale, "button.sure"), ButtonStyle.success),
        buttons.button("look", place, text(locale, "button.back")),
    )


def _menus(panel: Panel) -> Iterator[Menu]:
    locale, found = panel.locale, panel.found
    if panel.turn is None:
        options = [_piece_option(panel, number, cell) for number, cell in enumerate(_pieces(panel), 1)]
        yield menu(panel, "piece", options)
        return
    if (tries := panel.board.tries(panel.turn.path)) is not None:
        if tries:
            names = panel.position.variant.board.names
            yield menu(panel, "leg", [option(names[cell], format_path([cell])) for cell in tries])
        return
    if found.legs:
        yield menu(panel, "leg", [_leg_option(locale, panel.position, leg, after) for leg, after in found.legs])
    if ends := _ends(found):
        yield menu(panel, "end", [_end_option(panel, cell) for cell in ends])
    if panel.ways:
        yield menu(panel, "way", [_way_option(panel, number, way) for number, way in enumerate(panel.ways)])


def _ends(found: Survey) -> list[Cell]:
    """The destinations to offer: those to which the next leg alone is not the only way."""
    near = {leg.to for leg, after in found.legs if after.complete}
    return sorted(cell for cell in found.ends.by_cell if cell not in near or not found.ends.only_way(cell))


def menu(panel: Panel, name: str, options: Sequence[SelectOption]) -> Menu:
    """The menu; where the options do not fit into one, a page of them and options that turn the pages."""
    locale, number, place = panel.locale, panel.pages.get(name, 0), panel.place._replace(fresh=panel.fresh)
    shown = list(options)
    pages = -(-len(shown) // PER_PAGE)
    if len(shown) > ROOM:
        number = min(number, pages - 1)
        shown = shown[number * PER_PAGE : (number + 1) * PER_PAGE]
        if number > 0:
            shown.insert(0, SelectOption(label=text(locale, "composer.page-before"), value=f"{PAGE}{number - 1}"))
        if number + 1 < pages:
            shown.append(SelectOption(label=text(locale, "composer.page-after"), value=f"{PAGE}{number + 1}"))
        counted = text(locale, "composer.page", page=number + 1, pages=pages)
        return panel.board.menus.menu(name, place, shown, f"{text(locale, f'composer.menu.{name}')} {counted}")
    return panel.board.menus.menu(name, place, shown, text(locale, f"composer.menu.{name}"))


def option(label: str, value: str, description: str = "", *, chosen: bool = False) -> SelectOption:
    """An option of a menu, its words cut at what it has room for."""
    return SelectOption(
        label=short(label), value=value, description=short(description) if description else None, default=chosen
    )


def short(words: str) -> str:
    """The words, cut at what an option has room for."""
    return words if len(words) <= LONGEST_OPTION else words[: LONGEST_OPTION - 1] + "…"


def _piece_option(panel: Panel, number: int, cell: Cell) -> SelectOption:
    locale, side = panel.locale, panel.found.draft.side
    duty_of_it = ""
    if panel.board.tries(()) is not None:
        pass  # which is for the reader to find out
    elif side.homebound:
        duty_of_it = text(locale, "composer.piece-home")
    elif side.due:
        duty_of_it = text(locale, "composer.piece-due")
    return option(f"{number}. {piece_name(locale, panel.position, cell)}", format_path([cell]), duty_of_it)


def _leg_option(locale: Language, position: Position, leg: Leg, after: Draft) -> SelectOption:
    """A next leg: where to and how, and whether the move may stop there."""
    kind = leg.kind.value
    if leg.kind is LegKind.STEP and leg.start in position.variant.armies[position.turn].goal:
        kind = "castle"
    (to,) = position.names([leg.to])
    over = position.names([leg.over])[0] if leg.over is not None else ""
    if not after.complete:
        then = "must-go-on"
    else:
        then = "may-stop" if after.legs else "ends"
    label = text(locale, f"composer.leg.{kind}", to=to, over=over)
    return option(label, format_path([leg.to]), text(locale, f"composer.then.{then}"))


def _end_option(panel: Panel, cell: Cell) -> SelectOption:
    """A destination: how to get there if there is one way only, else how many."""
    locale, ends = panel.locale, panel.found.ends
    (name,) = panel.position.names([cell])
    only = ends.only_way(cell)
    if only is None:
        many = f"{len(ends.by_cell[cell])}{'' if ends.whole else '+'}"
        return option(
            name, format_path([cell]), text(locale, "composer.ways", count=many), chosen=cell == panel.place.end
        )
    captures = _way_words(panel, only) if len(only.captures) > _captured(panel) else ""
    route = format_move(only, panel.position.variant.board)
    return option(name, format_path([cell]), f"{captures} · {route}" if captures else route)


def _way_option(panel: Panel, number: int, way: Move) -> SelectOption:
    """One of several ways to a destination: what it captures, and its notation."""
    return option(_way_words(panel, way), str(number), format_move(way, panel.position.variant.board))


def _way_words(panel: Panel, way: Move) -> str:
    """What sets a way to a destination apart: the pieces that it captures from here on."""
    captured = panel.position.names(way.captures[_captured(panel) :])
    if not captured:
        return text(panel.locale, "composer.takes-nothing")
    return text(panel.locale, "composer.takes", cells=", ".join(captured))


def _captured(panel: Panel) -> int:
    """How many pieces the move has captured so far."""
    return len(panel.turn.captures) if panel.turn else 0


def _steps(panel: Panel) -> Iterator[Button]:
    """The buttons that every board has: the last one, those that go back within the move, and typing."""
    board, locale, place, begun = panel.board, panel.locale, panel.place, panel.turn is not None
    commit = board.buttons.button("commit", place, text(locale, f"button.{board.last}"), ButtonStyle.success)
    commit.disabled = not panel.found.draft.complete
    if begun or not board.at_once:
        yield commit
        for name in ("back", "restart"):
            button = board.buttons.button(name, place, text(locale, f"button.{name}"))
            button.disabled = not begun
            yield button
    yield board.buttons.button("type", place, text(locale, "button.type"))


def _cells(locale: Language, position: Position, cells: Sequence[Cell]) -> str:
    return join(locale, [f"**{name}**" for name in position.names(cells)])
