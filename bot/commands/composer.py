"""The composer: the private board on which the player to move puts a move together and plays it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bot.commands.acting import also_waiting, announce_move, done_text
from bot.commands.app import app
from bot.commands.bench import draw_up, furnish, path_of, present, resume, stale
from bot.commands.board import show_board
from bot.commands.composer_panel import Panel, question_items, question_text
from bot.commands.options import seen_match, started
from bot.commands.plan import here_text
from bot.commands.purpose import Purpose
from bot.kit.components import COMPOSER, Button, ComposerState, Family, button
from bot.kit.reply import RESOLVED, Interaction, answer, hold, in_time, now, reader, update
from bot.match.draft import Draft, UnfitPathError
from bot.match.match import Match
from bot.people.problems import MatchError, Problem
from bot.service import Service
from bot.texts.i18n import Language, text
from bot.texts.sentences import alt_text, mention, variant_name
from rules import Game, format_move
from rules.board import Cell


@dataclass(frozen=True)
class Turn(Purpose):
    """A match whose player to move is at the board."""

    buttons, menus = COMPOSER, Family("rt-pick", ComposerState)
    forms = Family("rt-form", ComposerState), ""
    warns = True

    place: ComposerState
    match: Match
    page: str = ""

    @classmethod
    async def of(cls, interaction: Interaction, match: Match) -> Self:
        """The board as it is now."""
        page = await app(interaction).service.trees.page(interaction.user.id, match.id)
        return cls(ComposerState(match.id, match.board_version), match, page)

    @property
    def game(self) -> Game:
        return self.match.started_game

    @property
    def ladder(self) -> bool:
        return self.match.ladder

    @property
    def picture(self) -> str:
        return f"game-{self.match.id}-{self.match.ply}"

    def title(self, locale: Language) -> str:
        name = variant_name(locale, self.match.variant)
        return text(locale, "composer.title", variant=name, id=self.match.id, number=self.match.ply + 1)

    def alt(self, locale: Language) -> str:
        return alt_text(locale, self.match.id, self.match.ply, self.game.position, over=False)

    @classmethod
    async def take_up(cls, interaction: Interaction, place: ComposerState) -> Self | None:
        match = await seen_match(interaction, place.match)
        game, board, mine = started(match), await cls.of(interaction, match), match.to_move == interaction.user.id
        board = replace(board, place=place)
        path, ply = await path_of(app(interaction).service, board, place), match.ply_at(place.board_version)
        if path and ply is not None and match.ply > ply and game.moves[ply].path == path:
            # Commit pressed twice: the first press has been obeyed.
            waiting = await also_waiting(interaction, match)
            await update(interaction, done_text(interaction, match, ply + 1, waiting), view=waiting.view)
            return None
        if mine and match.board_version == place.board_version:
            return board
        if mine:
            await stale(interaction, await cls.of(interaction, match))
        else:  # for somebody who is not to move, the board
            await update(interaction, text(reader(interaction), "moves.stale"), view=None)
            await show_board(interaction, match)
        return None

    def items(self, panel: Panel) -> Iterable[Button]:
        return (button(panel.locale, "notes", match=self.match.id),)

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Play the move: stored first, then confirmed to the player, then announced. Ask first where they want it."""
        panel = None if sure else await draw_up(interaction, self, draft.path)
        if panel and panel.asks:
            await update(interaction, question_text(panel), view=question_items(panel), files=None)
            return
        assert draft.turn is not None
        await hold(interaction)
        typed, number = format_move(draft.turn.move, self.match.variant.board), self.match.ply + 1
        user = interaction.user.id
        try:
            match = await app(interaction).service.move(
                self.match.id, self.match.guild, user, typed, now(), self.place.board_version
            )
        except MatchError as error:
            if error.problem is not Problem.STALE:
                raise
            await resume(Turn, interaction, self.place)  # somebody was quicker, perhaps this very player: says so
            return
        waiting = await in_time(interaction, also_waiting(interaction, match))
        said = done_text(interaction, match, number, waiting)
        await update(interaction, said, view=waiting.view)
        told = await announce_move(interaction, match, waiting)
        if told != said:
            await interaction.edit_original_response(content=told, allowed_mentions=RESOLVED)

    async def keep(self, service: Service, code: str) -> None:
        # There is one move in the making for each match, since only the player to move makes one; so one path is kept.
        version = self.place.board_version
        await service.keep_draft(self.match.id, version, f"{version}:{code}")

    async def kept(self, service: Service) -> str:
        version, _, code = (await service.draft(self.match.id) or "").partition(":")
        return code if version == str(self.place.board_version) else ""


furnish(Turn)


async def open_composer(interaction: Interaction, match: Match, path: Sequence[Cell] = ()) -> None:
    """Open a new panel for the player to move; anybody else gets a kind answer. Defer the interaction before."""
    started(match)
    if match.to_move is None:
        raise MatchError(Problem.SEAT_VACANT if match.is_live else Problem.GAME_OVER, number=match.id)
    if match.to_move == interaction.user.id:
        board, remark = await Turn.of(interaction, match), await here_text(interaction, match)
        try:
            panel = await draw_up(interaction, board, path, remark=remark)
        except UnfitPathError:  # the rules have been mended since that was offered
            panel = await draw_up(interaction, board, remark=remark)
        await present(interaction, panel)
        return
    key = "composer.watch" if match.seat_of(interaction.user.id) is None else "composer.wait"
    locale = reader(interaction)
    await answer(interaction, text(locale, key, number=match.id, next=mention(match.to_move, locale)))


@COMPOSER.on("open")
async def open_here(interaction: Interaction, place: ComposerState) -> None:
    """Open a panel from a turn, or from a refusal at the move that it offers."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match = await seen_match(interaction, place.match)
    if match.board_version == place.board_version:
        path = await path_of(app(interaction).service, Turn(place, match), place)
        await open_composer(interaction, match, path or ())
    elif match.to_move == interaction.user.id:
        await open_composer(interaction, match)
    else:
        await show_board(interaction, match, text(reader(interaction), "moves.stale"))
