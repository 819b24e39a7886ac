"""The composer: the private board on which the player to move puts a move together and plays it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bot.core.acts import PlayMove
from bot.core.draft import Draft, UnfitPathError, format_path, parse_path, preview_move
from bot.core.match import Match, replay_changes
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Button, Family
from bot.discordkit.reply import Interaction, acknowledge_press, send_answer, think_beside, update_message
from bot.play.after_acts import confirm_move
from bot.play.board import add_match_board, board_caption, match_remarks, show_board, viewer_of
from bot.play.caller import caller_of
from bot.play.composer.handlers import register_handlers, resume_panel
from bot.play.composer.panel import (
    BoardPanel,
    Look,
    PanelContent,
    answer_with_panel,
    build_panel,
    question_items,
    question_text,
    update_panel,
)
from bot.play.context import COMPOSER, MAX_CELLS_CARRIED, ButtonPlace, ComposerState, RemarkPlace, feature_buttons
from bot.play.options import load_match_here, require_started_game
from bot.texts.i18n import Language, text
from bot.texts.people import mention_user
from bot.texts.sentences import attack_sentence, game_alt_text, own_attack_line, turn_names, variant_name
from rules import Game, Move, Position, format_move
from rules.board import Cell

PICK_MENUS, TYPED_FORM = Family("rt-pick", ComposerState), Family("rt-form", ComposerState)


@dataclass(frozen=True)
class ComposerPanel(BoardPanel[ComposerState]):
    """A match whose player to move is at the board."""

    buttons, menus, forms = COMPOSER, PICK_MENUS, (TYPED_FORM, "")
    shows_warnings = True

    cursor: ComposerState
    match: Match
    note: str = ""

    @classmethod
    async def for_match(cls, interaction: Interaction, match: Match) -> Self:
        """Returns the panel for the board as it is now."""
        note = await match_remarks(interaction, match, RemarkPlace.COMPOSER)
        return cls(ComposerState(match.id, match.board_version), match, note)

    @property
    def game(self) -> Game:
        return self.match.started_game

    @property
    def counts_for_ladder(self) -> bool:
        return self.match.terms.ladder

    @property
    def picture_name(self) -> str:
        return f"game-{self.match.id}-{self.match.ply}"

    def title(self, locale: Language) -> str:
        name = variant_name(locale, self.match.variant)
        return text(locale, "composer.title", variant=name, id=self.match.id, turn=turn_names(locale, self.game)[-1])

    @property
    def previous_moves(self) -> Sequence[tuple[Position, Move]]:
        """The moves since the player's own last one."""
        moves = list[tuple[Position, Move]]()
        for before, change, _ in replay_changes(self.match):
            if change.seat == self.match.turn:
                moves.clear()
            elif change.move:
                moves.append((before.position, change.move))
        return moves

    def picture_line(self, locale: Language) -> str:
        return own_attack_line(locale, self.match.variant, self.match.turn)

    def board_words(self, locale: Language) -> str:
        told = attack_sentence(locale, self.match.variant, self.match.turn)  # in the line beside the picture
        return game_alt_text(locale, self.match.id, self.game, *self.last_move).replace(f" {told}", "")

    @classmethod
    async def from_state(cls, interaction: Interaction, cursor: ComposerState) -> Self | None:
        match = await load_match_here(interaction, cursor.match)
        game, board = require_started_game(match), await cls.for_match(interaction, match)
        if match.board_version == cursor.board_version and match.to_move == interaction.user.id:
            return replace(board, cursor=cursor)
        ply, locale = match.ply_at(cursor.board_version), caller_of(interaction).locale
        played, remark = game.moves[ply] if ply is not None and match.ply > ply else None, text(locale, "moves.stale")
        if played and played.path == parse_path(cursor.path):
            # The button was pressed twice: the first press has played the move.
            await confirm_move(interaction, match, played)
            return None
        if played:
            remark = text(locale, "composer.stale", move=format_move(played, match.variant.board))
        if match.to_move == interaction.user.id:
            await update_panel(interaction, board, Look(remark=remark))
        else:  # they get the board in its place
            words, viewer = f"{remark}\n{board_caption(locale, match)}", await viewer_of(interaction)
            content, files = await add_match_board(interaction, viewer, words, match)
            await update_message(interaction, content, view=None, files=files)
        return None

    def own_items(self, panel: PanelContent) -> Iterable[Button]:
        return feature_buttons(panel.features, panel.locale, self.match, ButtonPlace.COMPOSER)

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Plays the move: stores it, confirms it to the player, then announces it. Asks first if the
        player wants that.
        """
        panel = None if sure else await build_panel(interaction, self, Look(draft.path))
        if panel and panel.asks_to_confirm:
            await update_message(interaction, question_text(panel), view=question_items(panel), files=None)
            return
        assert draft.turn is not None
        await acknowledge_press(interaction)
        move = draft.turn.move
        try:
            match = await caller_of(interaction).act(self.match.id, PlayMove(move, self.cursor.board_version))
        except MatchError as error:
            if error.problem is not Problem.STALE:
                raise
            # The board has changed, perhaps by this same player: say so.
            await resume_panel(ComposerPanel, interaction, self.cursor)
            return
        await confirm_move(interaction, match, move)


register_handlers(ComposerPanel)


async def ask_about_risk(interaction: Interaction, match: Match, move: Move) -> bool:
    """Asks, as below a board, before a legal move that was typed ends the game without a win or leaves a castle open,
    if the player wants to be asked. Returns False if nothing is asked: nearly always, after some microseconds.

    A player who types the same move again is not asked again.
    """
    preview = preview_move(match.started_game, move, castles=not match.terms.ladder)
    if not preview.is_risky or len(move.path) > MAX_CELLS_CARRIED:  # which no button can carry
        return False
    caller, state = caller_of(interaction), ComposerState(match.id, match.board_version, path=format_path(move.path))
    if caller.context.moves_asked.get(caller.user) == state or (await caller.load_settings()).confirm == "never":
        return False
    caller.context.moves_asked[caller.user] = state
    panel = await build_panel(interaction, ComposerPanel(state, match), Look(move.path))
    await send_answer(interaction, question_text(panel), view=question_items(panel))
    return True


async def open_composer(interaction: Interaction, match: Match, path: Sequence[Cell] = ()) -> None:
    """Opens a new panel for the player to move; anybody else gets a friendly answer. Needs a deferred interaction."""
    require_started_game(match)
    if match.to_move is None:
        raise MatchError(Problem.SEAT_VACANT if match.is_live else Problem.GAME_OVER, number=match.id)
    if match.to_move == interaction.user.id:
        board = await ComposerPanel.for_match(interaction, match)
        remark = await match_remarks(interaction, match, RemarkPlace.BOARD)
        try:
            await answer_with_panel(interaction, board, Look(path, remark=remark))
        except UnfitPathError:  # the rules have been corrected since that path was offered
            await answer_with_panel(interaction, board, Look(remark=remark))
        return
    key = "composer.watch" if match.seat_of(interaction.user.id) is None else "composer.wait"
    locale = caller_of(interaction).locale
    await send_answer(interaction, text(locale, key, number=match.id, next=mention_user(match.to_move, locale)))


@COMPOSER.register_handler("open", first=think_beside)
async def open_from_button(interaction: Interaction, cursor: ComposerState) -> None:
    """Opens a panel from a turn, or at the move offered by a refusal."""
    match = await load_match_here(interaction, cursor.match)
    if match.board_version == cursor.board_version:
        await open_composer(interaction, match, parse_path(cursor.path))
    elif match.to_move == interaction.user.id:
        await open_composer(interaction, match)
    else:
        await show_board(interaction, match, text(caller_of(interaction).locale, "moves.stale"))
