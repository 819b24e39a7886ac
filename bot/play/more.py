"""**More** below a board: a private panel with what else the person who pressed may do in that game now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from discord.ui import TextInput

from bot.core import acts
from bot.core.acts import Actor
from bot.core.clock import HOUR
from bot.core.match import Match
from bot.core.offers import require_agreeing
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Button, Family, IdField, make_view, submitted_value
from bot.discordkit.reply import Interaction, now, reader_language, send_answer
from bot.play.announcing.telling.time import claim_label
from bot.play.app import Caller, app_of
from bot.play.clocks import GIFT_S
from bot.play.composer.handlers import MAX_TYPED_MOVE_LENGTH
from bot.play.context import ButtonPlace, Feature, feature_buttons
from bot.play.options import require_started_game
from bot.play.shared_components import Action, action_button, handles_action
from bot.play.visible_games import find_visible_match
from bot.play.why import example_notation, explain_move
from bot.texts.i18n import Language, text
from bot.texts.sentences import titled_name
from rules import Position


@handles_action("more")
async def open_more(interaction: Interaction, action: Action) -> None:
    """Shows the panel."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match, caller = await find_visible_match(interaction, action.match), Caller(interaction)
    person = Actor(caller.user, now(), await caller.service.players_of(match))
    buttons = [*more_buttons(app_of(interaction).features, caller.locale, match, person)]
    name = titled_name(caller.locale, match.variant, match.title)
    await send_answer(
        interaction, text(caller.locale, "more.title", variant=name, id=match.id), view=make_view(*buttons)
    )


def more_buttons(features: Sequence[Feature], locale: Language, match: Match, person: Actor) -> Iterator[Button]:
    """Yields the buttons that apply to that person, with those of the features.

    A player's acts are offered only if they would not be refused now.
    """

    def button(name: str, number: int = 0, **look: Any) -> Button:
        return action_button(locale, name, match=match.id, number=number, **look)

    if match.is_live and match.to_move == person.user:
        yield button("moves", match.board_version)
    if match.is_live:
        yield button("why")
    yield action_button(locale, "rules", variant=match.variant.key)
    if match.game is not None:
        yield button("export")
    yield from feature_buttons(features, locale, match, ButtonPlace.MORE)
    if _is_allowed(lambda: acts.snooze_reminder(match, person, person.now + HOUR, None)):  # the shortest choice
        yield button("snooze", match.board_version)
    if _is_allowed(lambda: acts.nudge_player(match, person)):
        yield button("nudge")
    if _is_allowed(lambda: acts.give_time(match, person, GIFT_S, None)):
        yield button("more-time", label="give-time")
    if _is_allowed(lambda: acts.claim_timeout(match, person, None)):
        yield button("claim", match.board_version, label=claim_label(match))
    if _is_allowed(lambda: acts.claim_draw(match, person)):
        yield button("draw-claim")
    elif _is_allowed(lambda: acts.offer_draw(match, person)):
        yield button("draw-offer", label="draw-agree" if match.draw else None)
    if _is_allowed(lambda: acts.ask_takeback(match, person)):
        yield button("takeback-ask")
    if _is_allowed(lambda: require_agreeing(match, person.user)):
        yield button("substitute-ask")
    if _is_allowed(lambda: acts.resign(match, person)):
        yield button("resign-ask", danger=True)


def _is_allowed(decide: Callable[[], object]) -> bool:
    """Returns True if the decision, which stores nothing, is not refused."""
    try:
        decide()
    except MatchError:
        return False
    return True


class WhyState(NamedTuple):
    """The game of the move in a form."""

    match: IdField


WHY_FORM = Family("rt-why", WhyState)


@handles_action("why")
async def ask_which_move(interaction: Interaction, action: Action) -> None:
    """Opens the form for the move to explain."""
    match, locale = await find_visible_match(interaction, action.match), reader_language(interaction)
    position = _position_of(match)
    field: TextInput[Any] = TextInput(custom_id="move", max_length=MAX_TYPED_MOVE_LENGTH)
    title, hint = text(locale, "more.why"), text(locale, "more.why-hint", example=example_notation(position))
    await interaction.response.send_modal(WHY_FORM.make_form("", WhyState(match.id), title, title, hint, field))


@WHY_FORM.register_handler()
async def explain_typed_move(interaction: Interaction, state: WhyState) -> None:
    """Explains the typed move, or why it is illegal."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match = await find_visible_match(interaction, state.match)
    await explain_move(interaction, match, _position_of(match), submitted_value(interaction))


def _position_of(match: Match) -> Position:
    """Returns the position to move in. Raises GAME_OVER if there is none."""
    if require_started_game(match).outcome:
        raise MatchError(Problem.GAME_OVER, number=match.id)
    return match.started_game.position
