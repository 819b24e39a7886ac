"""House players at the table: **Fill seats with bots** for the host, the first game after the lessons, and hints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from discord import SelectOption

from bot.core.acts import PromiseHouse, SeatHousePlayers, TakeHint
from bot.core.clock import DAY, HOUR
from bot.core.events import Seating
from bot.core.house_seats import HOUSE_LEVELS, is_house
from bot.core.match import Match
from bot.core.problems import Problem
from bot.core.table import TableOptions, require_host
from bot.discordkit.components import Button, Family, make_option, menu_nonce, outdated_error, submitted_value
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction, acknowledge_press, make_view, send_answer, think_beside, update_message
from bot.house.service import choose_move
from bot.play.after_acts import announce_match
from bot.play.caller import caller_of, run_in_turn
from bot.play.composer.handlers import resume_panel
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.panel import Look, update_panel
from bot.play.context import COMPOSER, Action, BotContext, ButtonPlace, ComposerState, Ended, GameMenuState, Notes
from bot.play.engine import EngineError
from bot.play.options import require_known_variant
from bot.play.play import host_table
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user
from bot.texts.sentences import duration_text
from render import Mark, MarkKind
from rules import format_move

HOUSE_BUTTONS = Family("rt", Action)

HOUSE_WAITS_S = (HOUR, 6 * HOUR, DAY, 3 * DAY)
"""Seconds after which house players may take the seats that are still free."""

NEVER_OPTION = "never"


HOUSE_MENUS = Family("rt-house", GameMenuState)


@HOUSE_BUTTONS.register_handler("house", first=think_beside)
async def ask_about_house(interaction: Interaction, action: Action) -> None:
    """Asks the host how many house players are to sit down, at which level, and whether now or later."""
    caller = caller_of(interaction)
    match = await caller.service.current_match(action.match, caller.guild)
    require_host(match, caller.actor)
    state = GameMenuState(match.id, menu_nonce(interaction))
    menus = [
        HOUSE_MENUS.make_menu("later", state, _later_options(caller.locale, match), text(caller.locale, "house.later"))
    ]
    if match.free_seats:
        sit = _seat_options(caller.locale, match.free_seats)
        menus.insert(0, HOUSE_MENUS.make_menu("sit", state, sit, text(caller.locale, "house.sit")))
    await send_answer(interaction, text(caller.locale, "house.ask", id=match.id), view=make_view(*menus))


@HOUSE_MENUS.register_handler("sit")
async def seat_house(interaction: Interaction, state: GameMenuState) -> None:
    """Seats that many house players now. The last seat starts the game."""
    level, _, count = submitted_value(interaction).partition(":")
    if level not in HOUSE_LEVELS or not count.isdecimal():
        raise outdated_error()
    await interaction.response.defer()
    caller = caller_of(interaction)
    match = await caller.act(state.match, SeatHousePlayers(level, int(count)))
    # Can be fewer than were chosen: somebody may have taken a seat in the meantime.
    bots = sum(map(is_house, match.players or match.table.joined))
    await update_message(interaction, plural_text(caller.locale, "house.seated", bots, id=match.id), view=None)
    await announce_match(interaction, match)


@HOUSE_MENUS.register_handler("later")
async def seat_house_later(interaction: Interaction, state: GameMenuState) -> None:
    """Promises the free seats to house players at a later time, or withdraws the promise."""
    level, _, wait = submitted_value(interaction).partition(":")
    if level != NEVER_OPTION and (level not in HOUSE_LEVELS or not wait.isdecimal() or int(wait) not in HOUSE_WAITS_S):
        raise outdated_error()
    await interaction.response.defer()
    caller = caller_of(interaction)
    if level == NEVER_OPTION:
        match = await caller.act(state.match, PromiseHouse("", None))
        sentence = text(caller.locale, "house.not-promised", id=match.id)
    else:
        until = caller.now + int(wait)
        match = await caller.act(state.match, PromiseHouse(level, until))
        sentence = text(caller.locale, "house.promised", id=match.id, when=relative_time(until))
    await update_message(interaction, sentence, view=None)
    await announce_match(interaction, match)


def _seat_options(locale: Language, free: int) -> list[SelectOption]:
    return [
        make_option(plural_text(locale, "house.count", count, level=text(locale, f"level.{level}")), f"{level}:{count}")
        for count in range(1, free + 1)
        for level in HOUSE_LEVELS
    ]


def _later_options(locale: Language, match: Match) -> list[SelectOption]:
    options = [
        make_option(
            text(locale, "house.after", wait=duration_text(locale, wait), level=text(locale, f"level.{level}")),
            f"{level}:{wait}",
        )
        for wait in HOUSE_WAITS_S
        for level in HOUSE_LEVELS
        if not level.isdecimal()  # a menu has 25 places
    ]
    never = make_option(text(locale, "house.never"), NEVER_OPTION)
    return [*options, never] if match.table.house_promise else options


@HOUSE_BUTTONS.register_handler("first-game")
async def begin_first_game(interaction: Interaction, action: Action) -> None:
    """Starts a game against the weakest house player in this channel, for a person at the end of the lessons."""
    variant = require_known_variant(action.variant)
    # The first seat, as in the lessons.
    await host_table(interaction, (), TableOptions(variant, seating=Seating.JOIN_ORDER, house_level=HOUSE_LEVELS[0]))


# Hints

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
