"""**Hint**, below the board of a game against bots alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.core.acts import TakeHint
from bot.core.match import Match
from bot.core.problems import Problem
from bot.discordkit.components import Button
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction, acknowledge_press
from bot.play.caller import caller_of, run_in_turn
from bot.play.composer.handlers import resume_panel
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.panel import Look, update_panel
from bot.play.context import COMPOSER, BotContext, ButtonPlace, ComposerState, Ended, Notes
from bot.play.engine import EngineError
from bot.play.house import choose_move
from bot.texts.i18n import Language, plural_text, text
from bot.texts.people import mention_user
from render import Mark, MarkKind
from rules import format_move

HINT_LEVEL = "hard"


def hint_button(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button beside the board of a person who plays against bots alone, as long as they have hints."""
    if place is not ButtonPlace.COMPOSER or not (match.hint or match.hints_left):
        return ()
    state = ComposerState(match.id, match.board_version)
    return (COMPOSER.make_button("hint", state, text(locale, "button.hint")),)


@COMPOSER.register_handler("hint", first=acknowledge_press)
async def give_hint(interaction: Interaction, cursor: ComposerState) -> None:
    """Says which piece the engine would move on this board; with the next press, puts its move together."""
    resumed = await resume_panel(ComposerPanel, interaction, cursor)
    if resumed is None:
        return
    caller, board, match = caller_of(interaction), resumed[0], resumed[0].match
    match.refuse_if(not (match.hint or match.hints_left), Problem.NO_HINT)
    try:
        move = (
            match.hint.move
            if match.hint
            else await run_in_turn(interaction, choose_move(caller.context, match, HINT_LEVEL))
        )
    except EngineError:
        raise Declined("house.no-hint-now") from None
    await caller.service.require_unplayed(caller.service.reader, caller.user, [match.started_game.position])
    names, notation = match.variant.board.names, format_move(move, match.variant.board)
    if match.hint:
        look = Look(move.path, remark=text(caller.locale, "lesson.hint.move", move=notation))
    else:
        match = await caller.act(match.id, TakeHint(move, cursor.board_version))
        said = text(caller.locale, "lesson.hint.piece", cell=names[move.start])
        left = plural_text(caller.locale, "house.hints-left", match.hints_left)
        look = Look(remark=f"{said} {left}", marks=(Mark(move.start, MarkKind.HINT),))
    await update_panel(interaction, replace(board, match=match), look)


async def tell_hints(context: BotContext, locale: Language, about: object, notes: Notes) -> Notes:
    """Says below the result of a game who took hints."""
    taken = Counter(hint.user for hint in about.match.hints) if isinstance(about, Ended) else {}
    lines = [
        plural_text(locale, "house.hints-taken", count, player=mention_user(user, locale))
        for user, count in taken.items()
    ]
    return notes._replace(lines=[*notes.lines, *lines])
