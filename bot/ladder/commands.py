"""`/ladder`: climbing a server's ladder, by challenge or from the queue."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial

from discord import app_commands

from bot.core.events import LARGEST_STORED_INT
from bot.core.match import Match
from bot.core.results import PAGE_ROWS
from bot.discordkit.components import Family
from bot.discordkit.errors import Declined
from bot.discordkit.permissions import trouble_sentence
from bot.discordkit.reply import (
    RESOLVED,
    Interaction,
    acknowledge_press,
    make_view,
    reader_language,
    send_answer,
    server_here,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.ladder import acts as ladder_acts
from bot.ladder import service as ladders
from bot.ladder.acts import LadderError, LadderView
from bot.ladder.posts import LadderAnnouncer
from bot.ladder.sheets import STAIRS_SHEET
from bot.ladder.state import LadderId
from bot.ladder.words import LADDER_RULE_VALUES
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.outbox import best_effort
from bot.play.caller import Caller, context_of
from bot.play.context import Action, action_button
from bot.play.options import (
    MAX_SUGGESTION_LENGTH,
    MAX_SUGGESTIONS,
    VARIANT_CHOICES,
    is_forum_post,
    parent_channel,
    require_known_variant,
    require_public_channel,
    server_and_channel,
)
from bot.play.service.matches import require_allowed_place
from bot.play.sheets import Sheet, open_sheet
from bot.texts.i18n import join_list, text
from bot.texts.markup import escape_markup, one_line
from bot.texts.people import mention_user
from rules import VARIANTS

LADDER_BUTTONS = Family("rt", Action)

CHALLENGE_CHOICES = [choice for choice in VARIANT_CHOICES if len(VARIANTS[choice.value].armies) == 2]
"""The variants in which a person can be challenged: those for two players."""

MAX_CLIMBERS_SUGGESTED = 50
"""The most climbers whose names are compared with the typed text, the highest first."""

_TYPED_USER = re.compile(r"\s*<?@?!?(\d{15,20})>?\s*")


async def suggest_challenged(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the climbers who may be challenged and whose names contain the typed text, the highest first."""
    variant = interaction.namespace.variant
    if variant not in VARIANTS or server_here(interaction) is None:
        return []
    rungs = _challengeable_rungs(await _load_view(interaction, variant), interaction.user.id)
    names = await _find_names(interaction, tuple(rungs))
    locale, typed = reader_language(interaction), current.strip().casefold()
    suggestions = [
        app_commands.Choice(
            name=text(locale, "ladder.choice", name=one_line(names[user]), rung=rung)[:MAX_SUGGESTION_LENGTH],
            value=str(user),
        )
        for user, rung in rungs.items()
        if user in names and typed in names[user].casefold()
    ]
    return suggestions[:MAX_SUGGESTIONS]


async def challenged_user(interaction: Interaction, variant: str, typed: str) -> int:
    """Returns the person that the option means: a suggestion, a mention, or a name near the top of the ladder.

    Raises Declined if there is no such person, and LadderError if the user may not challenge anybody. The ladder
    decides whether the other person may be challenged.
    """
    if (match := _TYPED_USER.fullmatch(typed)) and int(match[1]) <= LARGEST_STORED_INT:
        return int(match[1])
    caller, view = Caller(interaction), await _load_view(interaction, variant)
    locale, searched, rungs = caller.locale, typed.strip().casefold(), _challengeable_rungs(view, caller.user)
    # If a rule protects the other person, they are found in the table, so that the ladder names the rule.
    standings = await ladders.load_standings(caller.service, LadderId(caller.guild, variant), caller.now)
    rungs |= {climber.user: climber.rung for climber, _ in standings.rows[:PAGE_ROWS]}
    for user, name in (await _find_names(interaction, tuple(rungs))).items():
        # Some clients send the words of the suggestion instead of its value.
        suggestion = text(locale, "ladder.choice", name=one_line(name), rung=rungs[user])
        if searched in (name.casefold(), suggestion.casefold()):
            return user
    ladder_acts.require_challenger(view, caller.user)
    raise Declined("ladder.nobody", typed=escape_markup(typed))


async def _load_view(interaction: Interaction, variant: str) -> LadderView:
    caller = Caller(interaction)
    return await ladders.load_view(caller.service, caller.service.reader, LadderId(caller.guild, variant), caller.now)


def _challengeable_rungs(view: LadderView, user: int) -> dict[int, int]:
    """Returns the rungs of the climbers that the user may challenge, the highest first."""
    climbers = ladder_acts.challengeable_climbers(view, user)[:MAX_CLIMBERS_SUGGESTED]
    return {climber.user: climber.rung for climber in climbers}


async def _find_names(interaction: Interaction, users: tuple[int, ...]) -> dict[int, str]:
    """Returns the names that Discord sends in time, by user. The next call finds the others."""
    caller = Caller(interaction)
    wait_s = caller.context.timings.suggestion_names_wait_s
    return await caller.context.names.find_names(caller.guild, users, wait_s)


@slash_command("ladder join")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_join_command(interaction: Interaction, variant: str) -> None:
    """Joins a ladder."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, channel = Caller(interaction), find_ladder_channel(interaction)
    climber = await ladders.act_on_ladder(
        caller.service, caller.actor, LadderId(caller.guild, variant), ladder_acts.join_ladder, channel
    )
    key = "ladder.joined-three" if len(VARIANTS[variant].armies) > 2 else "ladder.joined"
    await _announce_and_answer(interaction, variant, key, rung=climber.rung)


@slash_command("ladder leave")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_leave_command(interaction: Interaction, variant: str) -> None:
    """Asks for confirmation before the person leaves a ladder."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, view = Caller(interaction), await _load_view(interaction, variant)
    ladder_acts.leave_ladder(view, caller.user)  # a dry run
    locale, name = caller.locale, text(caller.locale, f"variant.{variant}")
    leave = action_button(locale, "ladder-leave", danger=True, variant=variant)
    stay = action_button(locale, "ladder-stay", variant=variant)
    question = text(locale, "ladder.leave", variant=name, rung=view.ladder.climbers[caller.user].rung)
    await send_answer(interaction, question, view=make_view(leave, stay))


@slash_command("ladder challenge")
@app_commands.choices(variant=CHALLENGE_CHOICES)
@app_commands.autocomplete(player=suggest_challenged)
async def ladder_challenge_command(interaction: Interaction, variant: str, player: str) -> None:
    """Challenges a climber on the same rung or up to three rungs above."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, channel = Caller(interaction), find_ladder_channel(interaction)
    other = await challenged_user(interaction, variant, player)
    challenge = partial(ladder_acts.challenge_climber, other=other)
    await ladders.act_on_ladder(caller.service, caller.actor, LadderId(caller.guild, variant), challenge, channel)
    values = {"player": mention_user(other, caller.locale), "channel": f"<#{channel}>"}
    await _announce_and_answer(interaction, variant, "ladder.challenged", **values)


@slash_command("ladder queue")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_queue_command(interaction: Interaction, variant: str) -> None:
    """Waits for an opponent on a rung close by, or starts at once with those who wait; who waits already stops."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    who_and_where = caller.service, caller.actor, LadderId(caller.guild, variant)
    with suppress(LadderError):
        await ladders.act_on_ladder(*who_and_where, ladder_acts.leave_queue)
        await _announce_and_answer(interaction, variant, "ladder.unqueued")
        return
    channel = find_ladder_channel(interaction)
    new_matches = await ladders.join_queue(*who_and_where, channel)
    if new_matches:
        games = join_list(caller.locale, [f"#{match.id}" for match in new_matches])
        await _announce_and_answer(interaction, variant, "ladder.paired", *new_matches, games=games)
    else:
        key = "ladder.queued-three" if len(VARIANTS[variant].armies) > 2 else "ladder.queued"
        await _announce_and_answer(interaction, variant, key)


@slash_command("ladder show")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_show_command(interaction: Interaction, variant: str) -> None:
    """Shows who stands on which rung."""
    await open_sheet(interaction, Sheet(STAIRS_SHEET, variant))


@LADDER_BUTTONS.register_handler("ladder-leave", first=acknowledge_press)
async def leave_ladder(interaction: Interaction, action: Action) -> None:
    """Leaves the ladder."""
    caller, ladder_id = _ladder_pressed(interaction, action)
    await ladders.act_on_ladder(caller.service, caller.actor, ladder_id, ladder_acts.leave_ladder)
    await _replace_question(interaction, action.variant, "ladder.left")
    if trouble := await LadderAnnouncer(caller.context).announce_subject(ladder_id):
        await send_answer(interaction, trouble_sentence(caller.locale, trouble))


@LADDER_BUTTONS.register_handler("ladder-stay")
async def stay_on_ladder(interaction: Interaction, action: Action) -> None:
    """Stays on the ladder after all."""
    await _replace_question(interaction, require_known_variant(action.variant), "ladder.stayed")


async def _replace_question(interaction: Interaction, variant: str, key: str) -> None:
    """Replaces the question and its buttons with the sentence of that key."""
    locale = reader_language(interaction)
    sentence = text(locale, key, variant=text(locale, f"variant.{variant}"))
    await update_message(interaction, sentence, view=None)


@LADDER_BUTTONS.register_handler("ladder-accept", first=acknowledge_press)
async def accept_challenge(interaction: Interaction, action: Action) -> None:
    """Accepts the challenge with the pressed button, which starts the game."""
    caller, ladder_id = _ladder_pressed(interaction, action)
    match = await ladders.accept_challenge(caller.service, caller.actor, ladder_id, action.number)
    await _take_buttons_off(interaction)
    await _announce_and_answer(interaction, action.variant, "ladder.accepted", match, id=match.id)


@LADDER_BUTTONS.register_handler("ladder-refuse", first=acknowledge_press)
async def refuse_challenge(interaction: Interaction, action: Action) -> None:
    """Refuses the challenge with the pressed button."""
    caller, ladder_id = _ladder_pressed(interaction, action)
    climber = await ladders.refuse_challenge(caller.service, caller.actor, ladder_id, action.number)
    await _take_buttons_off(interaction)
    await _announce_and_answer(interaction, action.variant, "ladder.refused", rung=climber.rung)


def _ladder_pressed(interaction: Interaction, action: Action) -> tuple[Caller, LadderId]:
    caller = Caller(interaction)
    return caller, LadderId(caller.guild, require_known_variant(action.variant))


async def _take_buttons_off(interaction: Interaction) -> None:
    with best_effort("buttons of a challenge left"):  # the challenge is answered, and is announced in any case
        await interaction.edit_original_response(view=None, allowed_mentions=RESOLVED)


async def _announce_and_answer(
    interaction: Interaction, variant: str, key: str, *begun: Match, **values: object
) -> None:
    """Announces the ladder's news and the new games, then answers. The answer also says what could not be posted."""
    caller = Caller(interaction)
    guild, locale = caller.guild, caller.locale
    troubles = [await LadderAnnouncer(caller.context).announce_subject(LadderId(guild, variant))]
    troubles += [await Announcer(caller.context).announce_subject(match.id) for match in begun]
    if begun:  # read again, since the announcement has given the game its thread
        values["channel"] = f"<#{(await caller.service.current_match(begun[0].id, guild)).place.thread_or_channel}>"
    lines = [text(locale, key, variant=text(locale, f"variant.{variant}"), **LADDER_RULE_VALUES, **values)]
    lines += dict.fromkeys(trouble_sentence(locale, trouble) for trouble in troubles if trouble)
    await send_answer(interaction, "\n".join(lines))


def find_ladder_channel(interaction: Interaction) -> int:
    """Returns the channel for games that begin now: the server's ladder channel, or the current one if it has none.

    Raises Declined if not everybody may see the channel, CannotPost if the bot may not post there, and MatchError if
    the server allows no games there.
    """
    guild, here = server_and_channel(interaction)
    settings = context_of(interaction).servers.settings_of(guild)
    if settings.ladder_channel is not None:
        channel = settings.ladder_channel
    else:
        # A forum takes no messages itself, so its post is the place.
        above = parent_channel(interaction)
        channel = here if above is None or is_forum_post(interaction) else above
        require_allowed_place(settings, channel, above)
    require_public_channel(interaction, channel)
    return channel
