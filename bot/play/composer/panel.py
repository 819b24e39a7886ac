"""The panel of the private board: words, picture and menus at any point of a move.

Its handlers are in `bench`; the purpose of the board is a `BoardPanel`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import discord
from discord import ButtonStyle, SelectOption, ui

from bot.core.draft import Draft, MoveChoices, MoveWarning, format_path
from bot.discordkit.components import Button, Menu, make_view
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.play.composer.purpose import PanelContent
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import colour_name, duty_sentence
from bot.texts.text_board import text_board
from render import View
from rules import Move, PieceKind, Position, Turn, format_move
from rules.board import Cell, Leg, LegKind

MAX_MENU_OPTIONS = 25
"""Options in one menu."""
OPTIONS_PER_PAGE = MAX_MENU_OPTIONS - 2
"""Options on one of several pages: two more lead to the previous and next page."""
MAX_OPTION_LENGTH = 100
PAGE_PREFIX = "page"


def panel_text(panel: PanelContent) -> str:
    """Returns the panel's words."""
    board, lines = panel.board, [panel.board.title(panel.locale), panel.remark]
    if board.is_open:
        lines += [duty_sentence(panel.locale, panel.position) or "", *_progress_lines(panel)]
    content = "\n".join(line for line in lines if line)
    if panel.preferences.board == "picture":
        return _with_notes(content, board.page)
    before, move = board.previous_move if board.previous_move and panel.turn is None else (None, None)
    board_text = text_board(panel.locale, panel.position, over=not board.is_open, before=before, move=move)
    # A long move may leave no room for the board, which has not changed since the move began.
    return _with_notes(
        f"{content}\n{board_text}" if len(content) + len(board_text) < MAX_MESSAGE_LENGTH else content, board.page
    )


def _with_notes(words: str, game_notes: str) -> str:
    """Returns the words with the notes below them, as far as there is room."""
    quoted_notes = "".join(f"\n> {line}" for line in game_notes.splitlines())
    words = words if len(words) <= MAX_MESSAGE_LENGTH else f"{words[: MAX_MESSAGE_LENGTH - 1]}…"
    room = MAX_MESSAGE_LENGTH - len(words)
    return words + (
        quoted_notes if len(quoted_notes) <= room else f"{quoted_notes[: max(room - 1, 0)]}…" if room > 4 else ""
    )


def _progress_lines(panel: PanelContent) -> Iterator[str]:
    """Yields the state of the move so far, and what may follow."""
    locale, draft, turn = panel.locale, panel.choices.draft, panel.turn
    if turn is None:
        if panel.board.offered_cells(()) is None:
            yield text(locale, "composer.choose-piece")
        return
    if len(turn.path) == 1:
        yield text(locale, "composer.choose-leg", piece=f"**{piece_name(locale, panel.position, turn.path[0])}**")
    else:
        move = format_move(turn.move, draft.side.board)
        yield text(locale, "composer.so-far", move=move, state=_may_stop_text(locale, draft, turn))
    if turn.captures:
        yield text(locale, "composer.captures", cells=_cell_list(locale, panel.position, turn.captures))
    if panel.ways_to_end and panel.place.end is not None:
        yield text(locale, "composer.choose-way", end=f"**{panel.position.names([panel.place.end])[0]}**")
    if panel.board.shows_warnings and (
        panel.preferences.warn or panel.choices.preview.warning is not MoveWarning.CASTLE_OPEN
    ):
        yield warning_text(panel)


def question_text(panel: PanelContent) -> str:
    """Returns the question if the player really wants to play the move, and the reason for asking."""
    assert panel.turn is not None
    move = format_move(panel.turn.move, panel.position.variant.board)
    lines = [panel.board.title(panel.locale), warning_text(panel), text(panel.locale, "composer.question", move=move)]
    return "\n".join(line for line in lines if line)


def warning_text(panel: PanelContent) -> str:
    """Returns the warning before the move is played; empty if there is none."""
    peril, reply = panel.choices.preview
    if peril is None:
        return ""
    if reply is None:
        return text(panel.locale, f"composer.peril.{peril.value}")
    assert panel.turn is not None
    after = panel.board.game.apply(panel.turn.move).position
    winner, way = colour_name(panel.locale, after.variant, after.turn), format_move(reply, after.variant.board)
    return text(panel.locale, "composer.peril.castle-open", colour=winner, reply=way)


def _may_stop_text(locale: Language, draft: Draft, turn: Turn) -> str:
    """Returns whether the move may stop here, or why it must continue."""
    if turn.may_stop:
        return text(locale, "composer.may-stop" if draft.next_legs else "composer.done")
    if turn.captures:
        return text(locale, "composer.must.jump")
    if turn.side.homebound:
        return text(locale, "composer.must.home")
    return text(locale, "composer.must.due" if turn.side.capture_due else "composer.must.knight")


def piece_name(locale: Language, position: Position, cell: Cell) -> str:
    """Returns a piece in words: "Knight F7"."""
    kind = "knight" if position.pieces[cell].kind is PieceKind.KNIGHT else "man"
    return text(locale, f"moves.{kind}", cell=position.names([cell])[0])


def panel_view(panel: PanelContent) -> View:
    """Returns the picture: the numbered pieces to choose from, or the move so far."""
    board, turn = panel.board, panel.turn
    before, move = board.previous_move if board.previous_move and turn is None else (None, None)
    return View(
        panel.position,
        board.bottom_seat,
        move,
        before,
        marks=panel.marks,
        to_move=board.is_open,
        numbers=tuple((cell, number) for number, cell in enumerate(_pieces_to_choose(panel), start=1)),
        reachable=tuple(numbered_destinations(panel)),
        grown=turn.move if turn else None,
        attacker=panel.position.turn,
    )


def numbered_destinations(panel: PanelContent) -> dict[Cell, int]:
    """Returns the destinations to choose from with their numbers on the board: the next landings come first."""
    if panel.turn is None or not panel.board.is_open:
        return {}
    offered = panel.board.offered_cells(panel.turn.path)
    if offered is None:
        offered = [*(leg.to for leg, _ in panel.choices.legs), *_ends_to_offer(panel.choices)]
    return {cell: number for number, cell in enumerate(dict.fromkeys(offered), start=1)}


def _pieces_to_choose(panel: PanelContent) -> Sequence[Cell]:
    """Returns the pieces to choose from; none once a piece is chosen."""
    if panel.turn is not None or not panel.board.is_open:
        return ()
    offered = panel.board.offered_cells(())
    return panel.choices.starts if offered is None else offered


def panel_alt_text(panel: PanelContent) -> str:
    """Returns the picture in words: the move so far, then the board."""
    board = panel.board.board_words(panel.locale)
    if panel.turn is None:
        return board
    return f"{format_move(panel.turn.move, panel.position.variant.board)}. {board}"


def panel_items(panel: PanelContent) -> discord.ui.View:
    """Returns the menus and buttons."""
    move_items = (*_panel_menus(panel), *_step_buttons(panel)) if panel.board.is_open else ()
    items = [*move_items, *panel.board.own_items(panel)]
    return make_view(*sorted(items, key=lambda item: isinstance(item, ui.Button)))  # the menus first


def question_items(panel: PanelContent) -> discord.ui.View:
    """Returns the buttons below the question if the player really wants to play the move."""
    locale, place, buttons = panel.locale, panel.place, panel.board.buttons
    return make_view(
        buttons.make_button("sure", place, text(locale, "button.sure"), ButtonStyle.success),
        buttons.make_button("look", place, text(locale, "button.back")),
    )


def _panel_menus(panel: PanelContent) -> Iterator[Menu]:
    locale, choices = panel.locale, panel.choices
    if panel.turn is None:
        options = [_piece_option(panel, number, cell) for number, cell in enumerate(_pieces_to_choose(panel), 1)]
        yield panel_menu(panel, "piece", options)
        return
    numbers = numbered_destinations(panel)
    if (offered := panel.board.offered_cells(panel.turn.path)) is not None:
        if offered:
            names = panel.position.variant.board.names
            yield panel_menu(
                panel,
                "leg",
                [_numbered(numbers, cell, make_option(names[cell], format_path([cell]))) for cell in offered],
            )
        return
    if choices.legs:
        yield panel_menu(
            panel,
            "leg",
            [
                _numbered(numbers, leg.to, _leg_option(locale, panel.position, leg, after))
                for leg, after in choices.legs
            ],
        )
    if ends := _ends_to_offer(choices):
        yield panel_menu(panel, "end", [_numbered(numbers, cell, _end_option(panel, cell)) for cell in ends])
    if panel.ways_to_end:
        yield panel_menu(
            panel, "way", [_way_option(panel, number, way) for number, way in enumerate(panel.ways_to_end)]
        )


def _numbered(numbers: Mapping[Cell, int], cell: Cell, option: SelectOption) -> SelectOption:
    """Returns the option with the cell's number on the board before its label."""
    option.label = cut_to_option(f"{numbers[cell]}. {option.label}")
    return option


def _ends_to_offer(choices: MoveChoices) -> list[Cell]:
    """Returns the destinations to offer: those that the next leg alone does not reach as the only way."""
    reached_at_once = {leg.to for leg, after in choices.legs if after.is_complete}
    return sorted(
        cell for cell in choices.ends.by_cell if cell not in reached_at_once or not choices.ends.only_way(cell)
    )


def panel_menu(panel: PanelContent, name: str, options: Sequence[SelectOption]) -> Menu:
    """Returns the menu. If the options do not fit, it has one page of them and options to turn the page."""
    locale, number, place = panel.locale, panel.open_pages.get(name, 0), panel.place._replace(fresh=panel.fresh)
    page_options = list(options)
    pages = -(-len(page_options) // OPTIONS_PER_PAGE)
    if len(page_options) > MAX_MENU_OPTIONS:
        number = min(number, pages - 1)
        page_options = page_options[number * OPTIONS_PER_PAGE : (number + 1) * OPTIONS_PER_PAGE]
        if number > 0:
            page_options.insert(
                0, SelectOption(label=text(locale, "composer.page-before"), value=f"{PAGE_PREFIX}{number - 1}")
            )
        if number + 1 < pages:
            page_options.append(
                SelectOption(label=text(locale, "composer.page-after"), value=f"{PAGE_PREFIX}{number + 1}")
            )
        page_text = text(locale, "composer.page", page=number + 1, pages=pages)
        return panel.board.menus.make_menu(
            name, place, page_options, f"{text(locale, f'composer.menu.{name}')} {page_text}"
        )
    return panel.board.menus.make_menu(name, place, page_options, text(locale, f"composer.menu.{name}"))


def make_option(label: str, value: str, description: str = "", *, chosen: bool = False) -> SelectOption:
    """Returns a menu option, its words cut to Discord's limit."""
    return SelectOption(
        label=cut_to_option(label),
        value=value,
        description=cut_to_option(description) if description else None,
        default=chosen,
    )


def cut_to_option(words: str) -> str:
    """Returns the words cut to the length of an option."""
    return words if len(words) <= MAX_OPTION_LENGTH else words[: MAX_OPTION_LENGTH - 1] + "…"


def _piece_option(panel: PanelContent, number: int, cell: Cell) -> SelectOption:
    locale, side = panel.locale, panel.choices.draft.side
    duty_text = ""
    if panel.board.offered_cells(()) is not None:
        pass  # a hint would give the answer away
    elif side.homebound:
        duty_text = text(locale, "composer.piece-home")
    elif side.capture_due:
        duty_text = text(locale, "composer.piece-due")
    return make_option(f"{number}. {piece_name(locale, panel.position, cell)}", format_path([cell]), duty_text)


def _leg_option(locale: Language, position: Position, leg: Leg, after: Draft) -> SelectOption:
    """Returns the option for a next leg: where it goes and how, and whether the move may stop there."""
    kind = leg.kind.value
    if leg.kind is LegKind.STEP and leg.start in position.variant.armies[position.turn].goal:
        kind = "castle"
    (to,) = position.names([leg.to])
    over = position.names([leg.over])[0] if leg.over is not None else ""
    if not after.is_complete:
        follow_up = "must-go-on"
    else:
        follow_up = "may-stop" if after.next_legs else "ends"
    label = text(locale, f"composer.leg.{kind}", to=to, over=over)
    return make_option(label, format_path([leg.to]), text(locale, f"composer.then.{follow_up}"))


def _end_option(panel: PanelContent, cell: Cell) -> SelectOption:
    """Returns the option for a destination: the way if there is only one, else the number of ways."""
    locale, ends = panel.locale, panel.choices.ends
    (name,) = panel.position.names([cell])
    only_way = ends.only_way(cell)
    if only_way is None:
        way_count = f"{len(ends.by_cell[cell])}{'' if ends.whole else '+'}"
        return make_option(
            name, format_path([cell]), text(locale, "composer.ways", count=way_count), chosen=cell == panel.place.end
        )
    captures = _way_words(panel, only_way) if len(only_way.captures) > _captured_count(panel) else ""
    route = format_move(only_way, panel.position.variant.board)
    return make_option(name, format_path([cell]), f"{captures} · {route}" if captures else route)


def _way_option(panel: PanelContent, number: int, way: Move) -> SelectOption:
    """Returns the option for one of several ways to a destination: its captures and its notation."""
    return make_option(_way_words(panel, way), str(number), format_move(way, panel.position.variant.board))


def _way_words(panel: PanelContent, way: Move) -> str:
    """Returns what distinguishes a way to a destination: the pieces that it captures from here on."""
    names = panel.position.names(way.captures[_captured_count(panel) :])
    if not names:
        return text(panel.locale, "composer.takes-nothing")
    return text(panel.locale, "composer.takes", cells=", ".join(names))


def _captured_count(panel: PanelContent) -> int:
    """Returns the number of pieces that the move has captured so far."""
    return len(panel.turn.captures) if panel.turn else 0


def _step_buttons(panel: PanelContent) -> Iterator[Button]:
    """Yields the buttons of every board: the last one, those that step back within the move, and typing."""
    board, locale, place, has_begun = panel.board, panel.locale, panel.place, panel.turn is not None
    commit = board.buttons.make_button("commit", place, text(locale, f"button.{board.last_label}"), ButtonStyle.success)
    commit.disabled = not panel.choices.draft.is_complete
    if has_begun or not board.finishes_at_once:
        yield commit
        for name in ("back", "restart"):
            button = board.buttons.make_button(name, place, text(locale, f"button.{name}"))
            button.disabled = not has_begun
            yield button
    yield board.buttons.make_button("type", place, text(locale, "button.type"))


def _cell_list(locale: Language, position: Position, cells: Sequence[Cell]) -> str:
    return join_list(locale, [f"**{name}**" for name in position.names(cells)])
