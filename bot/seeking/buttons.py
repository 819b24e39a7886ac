"""The button that puts a person on the list of seekers, and the places that show it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.match import Match
from bot.discordkit.components import Button, make_view
from bot.discordkit.reply import Interaction, send_answer
from bot.play.app import Caller
from bot.play.context import ButtonPlace
from bot.play.shared_components import Action, action_button, handles_action
from bot.seeking.service import Seekers
from bot.texts.i18n import Language, text


def seek_button(locale: Language, *, looking: bool = False) -> Button:
    """Returns the button that puts a person on the list of seekers; for a person on it, the one that takes them off."""
    return action_button(locale, "seek-no-more" if looking else "seek")


def seek_buttons_at(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button below a table with a free seat."""
    return (seek_button(locale),) if place is ButtonPlace.TABLE else ()


async def seek_buttons_below_games(interaction: Interaction) -> Sequence[Button]:
    """Returns the button below a person's own games."""
    caller = Caller(interaction)
    looking = await caller.part(Seekers).is_looking(caller.guild, caller.user)
    return (seek_button(caller.locale, looking=looking),)


@handles_action("seek")
async def start_seeking(interaction: Interaction, action: Action) -> None:
    """Puts the person on the list of seekers, who are called to tables that stay open. Everybody presses the same
    public button, so it takes nobody off the list.
    """
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    await caller.part(Seekers).add_seeker(caller.guild, caller.user)
    stop = make_view(seek_button(caller.locale, looking=True))
    await send_answer(interaction, text(caller.locale, "seek.on"), view=stop)


@handles_action("seek-no-more")
async def stop_seeking(interaction: Interaction, action: Action) -> None:
    """Takes the person off the list of seekers."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    await caller.part(Seekers).remove_seeker(caller.guild, caller.user)
    await send_answer(interaction, text(caller.locale, "seek.off"))
