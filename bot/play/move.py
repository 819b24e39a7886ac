"""What a player does in a game: `/move`, `/game why`, `/game resign`, `/game move-here`, and **More** below a board;
and about time: `/me vacation`, and the buttons to claim, to give more, to nudge, and **Remind me later**.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from discord import app_commands
from discord.ui import View

from bot.core import acts, deadlines, turns
from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.events import RequestKind
from bot.core.match import Match
from bot.core.offers import claimable_by
from bot.core.plans import missed_reason
from bot.core.problems import MatchError, Problem
from bot.core.settings import VACATION_PER_YEAR_S, vacation_left
from bot.discordkit.components import Button, CountField, Family, given_number, make_option, outdated_error
from bot.discordkit.reply import Interaction, acknowledge_press, make_view, send_answer, think_beside, update_message
from bot.discordkit.slash import slash_command
from bot.discordkit.wall_clock import WALL_CLOCK
from bot.play.after_acts import announce_and_answer, announce_match, confirm_move
from bot.play.caller import caller_of
from bot.play.composer.move_panel import ask_about_risk, open_composer
from bot.play.context import Action, ButtonPlace, Feature, MatchField, action_button, feature_buttons
from bot.play.options import (
    find_meant_match,
    is_forum_post,
    is_private_thread,
    load_match_here,
    parent_channel,
    require_bot_permissions,
    require_public_channel,
    require_started_game,
    server_and_channel,
    suggest_games,
    suggest_moves,
)
from bot.play.service.games import reminded_match
from bot.play.service.people import person_of, start_vacation, stop_vacation
from bot.play.why import answer_refused_move, explain_move
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import absolute_time, relative_time
from bot.texts.people import mention_user
from bot.texts.sentences import claim_label, duration_text, plan_end_text, titled_name, variant_name
from rules import RulesError

MOVE_BUTTONS = Family("rt", Action)


@slash_command("move")
@app_commands.autocomplete(move=suggest_moves, game=suggest_games)
async def move_command(interaction: Interaction, move: str | None = None, game: str | None = None) -> None:
    """Plays a move: stores it, confirms it privately, and announces it. Opens the composer if no move is given."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    before, caller = await find_meant_match(interaction, game, "waiting"), caller_of(interaction)
    if move is None:
        await open_composer(interaction, before)
        return
    try:
        played = turns.read_move(before, caller.user, move)
    except RulesError as error:
        await answer_refused_move(interaction, before, move, error)
        return
    if await ask_about_risk(interaction, before, played):
        return
    act = acts.PlayMove(played, before.board_version)
    match, plans = await caller.service.act_with_plans(caller.actor, before.id, act)
    missed = missed_reason(plans, before, caller.user)
    words = plan_end_text(caller.locale, before.variant, missed) if missed else ""
    await confirm_move(interaction, match, played, words)


@slash_command("game why")
@app_commands.autocomplete(move=suggest_moves, game=suggest_games)
async def game_why_command(interaction: Interaction, move: str, game: str | None = None) -> None:
    """Explains a move of the player to move, or why it is illegal. Plays nothing, and anybody may ask."""
    match = await find_meant_match(interaction, game, "any")
    MatchError.raise_if(require_started_game(match).outcome, Problem.GAME_OVER, number=match.id)
    await explain_move(interaction, match, match.started_game.position, move)


@slash_command("game resign")
@app_commands.autocomplete(game=suggest_games)
async def game_resign_command(interaction: Interaction, game: str | None = None) -> None:
    """Asks for confirmation before the player resigns."""
    await ask_to_resign(interaction, Action((await find_meant_match(interaction, game, "own")).id))


@slash_command("game move-here")
@app_commands.autocomplete(game=suggest_games)
async def game_move_here_command(interaction: Interaction, game: str | None = None) -> None:
    """Moves one's own game to the channel or thread in which the command is used."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    _, here = server_and_channel(interaction)
    meant = await find_meant_match(interaction, game, "own")
    above = parent_channel(interaction)
    # A private thread is a place of its own: its games never belong to the channel above, not even once it is
    # archived. The same holds for a forum's post, since a forum takes no messages itself.
    below = above is not None and not is_private_thread(interaction) and not is_forum_post(interaction)
    channel, thread = (above or here, here) if below else (here, None)
    require_bot_permissions(interaction)
    if meant.terms.ladder:
        require_public_channel(interaction, channel)
    match = await caller_of(interaction).act(meant.id, acts.MoveToChannel(channel, thread, above))
    await announce_and_answer(interaction, match, "place.moved")


@MOVE_BUTTONS.register_handler("resign-ask")
async def ask_to_resign(interaction: Interaction, action: Action) -> None:
    """Asks for confirmation before the player resigns."""
    match, caller = await load_match_here(interaction, action.match), caller_of(interaction)
    # Decides without storing, to refuse at once if the button would be refused.
    acts.decide(match, caller.actor, acts.Resign())
    locale = caller.locale
    values = {"id": match.id, "variant": variant_name(locale, match.variant)}
    others = [user for user in match.still_in if user != interaction.user.id]
    if len(others) == 1:
        question = text(locale, "resign.ask-two", winner=mention_user(others[0], locale), **values)
    else:
        key = "resign.ask-vacant" if match.opponents_of(interaction.user.id) else "resign.ask-house"
        question = text(locale, key, **values)
    yes = action_button(locale, "resign", danger=True, match=match.id)
    no = action_button(locale, "play-on", match=match.id)
    await send_answer(interaction, question, view=make_view(yes, no))


@MOVE_BUTTONS.register_handler("resign", first=acknowledge_press)
async def resign_game(interaction: Interaction, action: Action) -> None:
    """Resigns the game."""
    caller = caller_of(interaction)
    match = await caller.act(action.match, acts.Resign())
    await update_message(interaction, text(caller.locale, "resign.done", id=match.id), view=None)
    await announce_match(interaction, match)


@MOVE_BUTTONS.register_handler("play-on")
async def keep_playing(interaction: Interaction, action: Action) -> None:
    """Keeps playing after all."""
    sentence = text(caller_of(interaction).locale, "resign.kept", id=action.match)
    await interaction.response.edit_message(content=sentence, view=None)


@MOVE_BUTTONS.register_handler("more", first=think_beside)
async def open_more(interaction: Interaction, action: Action) -> None:
    """Shows the panel."""
    match, caller = await load_match_here(interaction, action.match), caller_of(interaction)
    person = caller.actor._replace(people=await caller.service.players_of(match))
    buttons = [*more_buttons(caller.context.features, caller.locale, match, person)]
    name = titled_name(caller.locale, match.variant, match.title)
    content = text(caller.locale, "more.title", variant=name, id=match.id)
    if match.is_live and match.paused_until:
        content += "\n" + text(caller.locale, "clock.paused", until=absolute_time(match.paused_until))
    await send_answer(interaction, content, view=make_view(*buttons))


def more_buttons(features: Sequence[Feature], locale: Language, match: Match, person: Actor) -> Iterator[Button]:
    """Yields the buttons that apply to that person, with those of the features.

    A player's acts are offered only if they would not be refused now.
    """

    def button(name: str, number: int = 0, **look: Any) -> Button:
        return action_button(locale, name, match=match.id, number=number, **look)

    yield action_button(locale, "rules", variant=match.variant.key)
    yield button("export")
    yield from feature_buttons(features, locale, match, ButtonPlace.MORE)
    claim = match.board_version if claimable_by(match, person.user) else 0
    draw = "draw-claim" if claim else "draw-agree" if match.requests.of_kind(RequestKind.DRAW) else "draw-offer"
    offered: tuple[tuple[acts.Act, Button], ...] = (
        (acts.SnoozeReminder(person.now + HOUR), button("snooze", match.board_version)),  # the shortest choice
        (acts.NudgePlayer(), button("nudge")),
        (acts.GiveTime(), button("give-time", match.board_version)),
        (acts.ClaimTimeout(), button("claim", match.board_version, label=claim_label(match))),
        (acts.OfferDraw(), button("draw-offer", claim, label=draw)),
        (acts.AskTakeback(), button("takeback-ask")),
        (acts.AskPause(person.now + DAY), button("pause-ask")),
        (acts.ProposeSubstitute(0), button("substitute-ask")),  # somebody
        (acts.Resign(), button("resign-ask", danger=True)),
    )
    yield from (one for act, one in offered if acts.is_allowed(match, person, act))


# Time


@MOVE_BUTTONS.register_handler("claim", first=think_beside)
async def claim_game(interaction: Interaction, action: Action) -> None:
    """Claims the game, or in a game of three the seat, against the player for whose turn the button was made."""
    MatchError.raise_if(not WALL_CLOCK.is_believed, Problem.CLOCK_WRONG)
    match = await caller_of(interaction).act(action.match, acts.ClaimTimeout(action.number))
    await announce_and_answer(interaction, match, "time.done.claimed-seat" if match.is_live else "time.done.claimed")


@MOVE_BUTTONS.register_handler("nudge", first=think_beside)
async def nudge_player(interaction: Interaction, action: Action) -> None:
    """Reminds the player to move, at most once a day."""
    match = await caller_of(interaction).act(action.match, acts.NudgePlayer())
    await announce_and_answer(interaction, match, "time.done.nudged")


@MOVE_BUTTONS.register_handler("snooze")
async def ask_when_to_remind(interaction: Interaction, action: Action) -> None:
    """Asks the player to move when to remind them. Also works in direct messages, where no server is named."""
    caller = caller_of(interaction)
    match = await reminded_match(caller.service, action.match, interaction.guild_id, caller.user)
    people, at = await caller.service.players_of(match), caller.now
    # Decides without storing, to refuse at once if every choice in the menu would be refused.
    acts.decide(match, Actor(caller.user, at, people=people), acts.SnoozeReminder(at + HOUR, action.number))
    view = snooze_view(caller.locale, match, at, deadlines.reminders_end_at(match, people))
    await send_answer(interaction, text(caller.locale, "time.when", id=match.id), view=view)


@MOVE_BUTTONS.register_handler("give-time", first=think_beside)
async def give_time(interaction: Interaction, action: Action) -> None:
    """Gives the player to move a day."""
    caller = caller_of(interaction)
    match = await caller.act(action.match, acts.GiveTime(action.number))
    people = await caller.service.players_of(match)
    runs_out_at = deadlines.time_runs_out_at(match, people)  # less than the gift if the cap of the pace is reached
    # If nobody can be reached at present, the clock stands.
    key = "time.done.given-stands" if runs_out_at is None else "time.done.given"
    await announce_and_answer(interaction, match, key, falls=relative_time(runs_out_at or 0))


SNOOZE_HOURS = (1, 3, 6, 12, 24)


class SnoozeState(NamedTuple):
    """The board for which a menu asks when to be reminded."""

    match: MatchField
    board_version: CountField


SNOOZE_MENU = Family("rt-snooze", SnoozeState)


def snooze_view(locale: Language, match: Match, at: int, too_late: int | None) -> View:
    """Returns the menu for that turn, with the options that come in time. The first hour always does."""
    options = [
        make_option(plural_text(locale, "time.in-hours", hours), str(hours))
        for hours in SNOOZE_HOURS
        if too_late is None or at + hours * HOUR < too_late
    ]
    return make_view(SNOOZE_MENU.make_menu("", SnoozeState(match.id, match.board_version), options))


@SNOOZE_MENU.register_handler(first=acknowledge_press)
async def postpone_reminder(interaction: Interaction, board: SnoozeState) -> None:
    """Postpones the reminder to the chosen time."""
    caller, hours = caller_of(interaction), given_number(interaction)
    if hours not in SNOOZE_HOURS:
        raise outdated_error()
    at = caller.now + hours * HOUR
    actor = Actor(caller.user, caller.now, interaction.guild_id)  # in direct messages, a game of any server
    await caller.service.act(actor, board.match, acts.SnoozeReminder(at, board.board_version))
    sentence = text(caller.locale, "time.snoozed", id=board.match, at=absolute_time(at))
    await update_message(interaction, sentence, view=None)


MAX_VACATION_DAYS = VACATION_PER_YEAR_S // DAY


@slash_command("me vacation")
async def me_vacation_command(
    interaction: Interaction, days: app_commands.Range[int, 1, MAX_VACATION_DAYS] | None = None
) -> None:
    """Starts a vacation now. Without `days`, says when the present one ends, and how many days are left."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    if days is not None:
        span = await start_vacation(caller.service, caller.person, caller.now + days * DAY)
        await _tell_vacation(interaction, "vacation.started", span[1], can_stop=True)
        return
    vacations = (await person_of(caller.service, caller.user)).vacations
    until = next((span[1] for span in vacations if span[0] <= caller.now < span[1]), None)
    await _tell_vacation(interaction, "vacation.now" if until else "vacation.none", until, can_stop=bool(until))


@MOVE_BUTTONS.register_handler("vacation-stop", first=think_beside)
async def end_vacation_early(interaction: Interaction, _: Action) -> None:
    """Ends the vacation early."""
    caller = caller_of(interaction)
    _begin, until = await stop_vacation(caller.service, caller.person)
    await _tell_vacation(interaction, "vacation.stopped" if until <= caller.now else "vacation.stopped-later", until)


async def _tell_vacation(interaction: Interaction, key: str, until: int | None, *, can_stop: bool = False) -> None:
    """Answers about the vacation. The ticker announces it in the person's games, which may be many."""
    caller = caller_of(interaction)
    locale = caller.locale
    left = vacation_left((await person_of(caller.service, caller.user)).vacations, caller.now)
    words = text(locale, key, until=absolute_time(until or 0), left=duration_text(locale, left))
    await send_answer(interaction, words, view=make_view(action_button(locale, "vacation-stop")) if can_stop else None)
    caller.context.announcements_due.set()
