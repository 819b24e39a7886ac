"""The panel of the private board: its words and its picture at any point of a move.

Its buttons and menus are in `choices`, its handlers in `handlers`; the purpose of the board is a `BoardPanel`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.core.draft import Draft, MoveChoices
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.play.composer.purpose import BoardPanel, PanelContent
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import cut_plain
from bot.texts.sentences import colour_name, duty_sentence, text_board
from render import View
from rules import PieceKind, Position, Turn, format_move
from rules.board import Cell


def panel_text(panel: PanelContent) -> str:
    """Returns the panel's words."""
    board, lines = panel.board, [panel.board.title(panel.locale), panel.remark]
    if board.offers_moves:
        lines += [duty_sentence(panel.locale, panel.position) or "", *_progress_lines(panel)]
    content = "\n".join(line for line in lines if line)
    if panel.preferences.board != "text":
        return _with_lines_below(content, board)
    before, move = board.previous_move if board.previous_move and panel.turn is None else (None, None)
    board_text = text_board(panel.locale, panel.position, over=not board.is_open, before=before, move=move)
    # A long move may leave no room for the board, which has not changed since the move began.
    return _with_lines_below(
        f"{content}\n{board_text}" if len(content) + len(board_text) < MAX_MESSAGE_LENGTH else content, board
    )


def _with_lines_below(words: str, board: BoardPanel) -> str:
    """Returns the words with the board's lines and the note below them, as far as there is room."""
    quoted_note = "".join(f"\n> {line}" for line in board.note.splitlines())
    words = cut_plain(words, MAX_MESSAGE_LENGTH)
    for line in board.lines_below:
        words += f"\n{line}" if len(words) + len(line) < MAX_MESSAGE_LENGTH else ""
    room = MAX_MESSAGE_LENGTH - len(words)
    return words + (cut_plain(quoted_note, room) if room > 4 else "")


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
    if panel.board.shows_warnings:
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
    if turn.side.in_own_castle:
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
        numbers=tuple((cell, number) for number, cell in enumerate(pieces_to_choose(panel), start=1)),
        reachable=tuple(numbered_destinations(panel)),
        grown=turn.move if turn else None,
        attacker=panel.position.turn,
    )


def numbered_destinations(panel: PanelContent) -> dict[Cell, int]:
    """Returns the destinations to choose from with their numbers on the board: the next landings come first.

    There are none while a way to one of them is chosen.
    """
    if panel.turn is None or panel.ways_to_end or not panel.board.offers_moves:
        return {}
    offered = panel.board.offered_cells(panel.turn.path)
    if offered is None:
        offered = [*(leg.to for leg, _ in panel.choices.legs), *ends_to_offer(panel.choices)]
    return {cell: number for number, cell in enumerate(dict.fromkeys(offered), start=1)}


def pieces_to_choose(panel: PanelContent) -> Sequence[Cell]:
    """Returns the pieces to choose from; none once a piece is chosen."""
    if panel.turn is not None or not panel.board.offers_moves:
        return ()
    offered = panel.board.offered_cells(())
    return panel.choices.starts if offered is None else offered


def panel_alt_text(panel: PanelContent) -> str:
    """Returns the picture in words: the move so far, then the board."""
    board = panel.board.board_words(panel.locale)
    if panel.turn is None:
        return board
    return f"{format_move(panel.turn.move, panel.position.variant.board)}. {board}"


def ends_to_offer(choices: MoveChoices) -> list[Cell]:
    """Returns the destinations to offer: those that the next leg alone does not reach as the only way."""
    reached_at_once = {leg.to for leg, after in choices.legs if after.is_complete}
    return sorted(
        cell for cell in choices.ends.by_cell if cell not in reached_at_once or not choices.ends.only_way(cell)
    )


def _cell_list(locale: Language, position: Position, cells: Sequence[Cell]) -> str:
    return join_list(locale, [f"**{name}**" for name in position.names(cells)])
