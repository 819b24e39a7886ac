"""Agreements between players: draws, takebacks, pauses, seats that change hands, and the vote about a vacant seat."""

from __future__ import annotations

from functools import partial

import discord
from discord import app_commands

from bot.core import acts
from bot.core.clock import DAY
from bot.core.events import Ballot, RequestKind
from bot.core.house_seats import is_house
from bot.core.match import Match
from bot.core.problems import Problem
from bot.discordkit.components import Family, given_number, make_option, menu_nonce, outdated_error, submitted_value
from bot.discordkit.reply import Interaction, make_view, reader_language, send_answer, think_beside
from bot.discordkit.slash import slash_command
from bot.play.after_acts import announce_and_answer, place_elsewhere
from bot.play.announcing.telling import moves_since
from bot.play.caller import caller_of
from bot.play.context import Action, GameMenuState, action_button
from bot.play.options import find_meant_match, find_member, load_match_here, require_player, suggest_games
from bot.texts.i18n import plural_text, text
from bot.texts.people import mention_user
from bot.texts.sentences import colour_name
from rules import Cause

AGREEMENT_BUTTONS = Family("rt", Action)

REQUEST_BUTTONS = {
    RequestKind.DRAW: "draw",
    RequestKind.TAKEBACK: "takeback",
    RequestKind.HANDOVER: "substitute",
    RequestKind.PAUSE: "pause",
}
"""What the names of the buttons that answer a request begin with. A vote has buttons of its own."""


@slash_command("game draw")
@app_commands.autocomplete(game=suggest_games)
async def game_draw_command(interaction: Interaction, game: str | None = None) -> None:
    """Does what **Offer a draw** does."""
    await think_beside(interaction)
    await offer_draw(interaction, Action((await find_meant_match(interaction, game, "own")).id))


@AGREEMENT_BUTTONS.register_handler("draw-offer", first=think_beside)
async def offer_draw(interaction: Interaction, action: Action) -> None:
    """Claims a draw if the rules entitle the player to one; otherwise offers one to all players still in, or accepts
    the open offer. A button to claim does nothing on a later board, where it would offer.
    """
    caller, match = caller_of(interaction), await load_match_here(interaction, action.match)
    match.refuse_if(action.number not in (0, match.board_version), Problem.STALE)
    match = await caller.act(action.match, acts.OfferDraw())
    alone = all(is_house(user) or user == caller.user for user in match.players)
    at_once = "draw.done.at-once" if alone else "answered.draw.accepted"
    if match.outcome and match.outcome.cause is not Cause.AGREEMENT:
        at_once = "draw.done.claimed"
    await _answer_about_request(interaction, match, RequestKind.DRAW, "draw.done.offered", at_once)


async def _answer_about_request(
    interaction: Interaction, match: Match, kind: RequestKind, asked: str, at_once: str, **values: object
) -> None:
    """Announces the match, and answers that the person has asked, with a button to withdraw; or `at_once`, if what they
    asked for has happened because nobody else had to agree. `values` fill the sentence."""
    request, locale = match.requests.of_kind(kind), reader_language(interaction)
    if request is None or request.user != interaction.user.id:
        await announce_and_answer(interaction, match, at_once)
        return
    name, label = ("vote-later", None) if kind is RequestKind.VOTE else (f"{REQUEST_BUTTONS[kind]}-decline", "withdraw")
    withdraw = action_button(locale, name, label=label, match=match.id, number=request.seq)
    await announce_and_answer(interaction, match, asked, make_view(withdraw), **values)


@AGREEMENT_BUTTONS.register_handler("takeback-ask", first=think_beside)
async def ask_takeback(interaction: Interaction, action: Action) -> None:
    """Asks all opponents to take back the player's last move, with all moves played since."""
    match = await caller_of(interaction).act(action.match, acts.AskTakeback())
    request = match.requests.of_kind(RequestKind.TAKEBACK)
    moves = moves_since(reader_language(interaction), match, request.ply) if request else ""
    asked, at_once = "takeback.done.asked", "takeback.done.at-once"
    await _answer_about_request(interaction, match, RequestKind.TAKEBACK, asked, at_once, moves=moves)


async def accept_request(interaction: Interaction, action: Action, kind: RequestKind) -> None:
    """Accepts a request."""
    match = await caller_of(interaction).act(action.match, acts.AcceptRequest(kind, action.number))
    await announce_and_answer(interaction, match, f"answered.{kind.value}.accepted")


async def decline_request(interaction: Interaction, action: Action, kind: RequestKind) -> None:
    """Refuses a request, or withdraws it if the person made it themselves."""
    caller = caller_of(interaction)
    request = (await caller.service.current_match(action.match, caller.guild)).requests.of_kind(kind)
    answer = "withdrawn" if request is not None and request.user == caller.user else "declined"
    match = await caller.act(action.match, acts.DeclineRequest(kind, action.number))
    await announce_and_answer(interaction, match, f"answered.{kind.value}.{answer}")


for requested, name in REQUEST_BUTTONS.items():
    AGREEMENT_BUTTONS.register_handler(f"{name}-accept", first=think_beside)(partial(accept_request, kind=requested))
    AGREEMENT_BUTTONS.register_handler(f"{name}-decline", first=think_beside)(partial(decline_request, kind=requested))
AGREEMENT_BUTTONS.register_handler("vote-later", first=think_beside)(partial(decline_request, kind=RequestKind.VOTE))


PAUSE_MENU = Family("rt-pause", GameMenuState)
PAUSE_DAYS = (2, 4, 7, 10, 14, 21, 30)


@AGREEMENT_BUTTONS.register_handler("pause-ask")
async def ask_how_long_to_pause(interaction: Interaction, action: Action) -> None:
    """Asks for how many days the game pauses."""
    match, caller = await load_match_here(interaction, action.match), caller_of(interaction)
    acts.decide(match, caller.actor, acts.AskPause(caller.now + DAY))  # refuses at once
    options = [make_option(plural_text(caller.locale, "pause.days", days), str(days)) for days in PAUSE_DAYS]
    menu = PAUSE_MENU.make_menu("", GameMenuState(match.id, menu_nonce(interaction)), options)
    await send_answer(interaction, text(caller.locale, "pause.how-long", id=match.id), view=make_view(menu))


@PAUSE_MENU.register_handler(first=think_beside)
async def ask_for_pause(interaction: Interaction, state: GameMenuState) -> None:
    """Asks the opponents to pause the game for the chosen number of days."""
    caller, chosen = caller_of(interaction), submitted_value(interaction)
    if chosen not in map(str, PAUSE_DAYS):
        raise outdated_error()
    match = await caller.act(state.match, acts.AskPause(caller.now + int(chosen) * DAY))
    await _answer_about_request(interaction, match, RequestKind.PAUSE, "pause.done.asked", "pause.done.begun")


@slash_command("game substitute")
@app_commands.autocomplete(game=suggest_games)
async def game_substitute_command(interaction: Interaction, player: discord.User, game: str | None = None) -> None:
    """Asks to hand the seat over. The substitute and all opponents have to agree."""
    require_player(player)
    await think_beside(interaction)
    await _propose_substitute(interaction, (await find_meant_match(interaction, game, "own")).id, player)


async def _propose_substitute(interaction: Interaction, match_id: int, player: discord.User | discord.Member) -> None:
    match = await caller_of(interaction).act(match_id, acts.ProposeSubstitute(player.id))
    asked, to = "handover.done.asked", mention_user(player.id, reader_language(interaction))
    await _answer_about_request(interaction, match, RequestKind.HANDOVER, asked, asked, to=to)


SUBSTITUTE_MENU = Family("rt-substitute", GameMenuState)


@AGREEMENT_BUTTONS.register_handler("substitute-ask")
async def ask_for_substitute(interaction: Interaction, action: Action) -> None:
    """Asks who takes the seat."""
    match, caller = await load_match_here(interaction, action.match), caller_of(interaction)
    match.require_agreeing(caller.user)
    question = text(caller.locale, "more.substitute", id=match.id)
    menu = SUBSTITUTE_MENU.make_user_menu("", GameMenuState(match.id, menu_nonce(interaction)))
    await send_answer(interaction, question, view=make_view(menu))


@SUBSTITUTE_MENU.register_handler(first=think_beside)
async def propose_chosen_substitute(interaction: Interaction, state: GameMenuState) -> None:
    """Asks to hand the seat over to the chosen person, as `/game substitute` does."""
    match = await load_match_here(interaction, state.match)
    match.require_agreeing(interaction.user.id)
    player = await find_member(interaction, given_number(interaction))
    require_player(player)
    await _propose_substitute(interaction, match.id, player)


@AGREEMENT_BUTTONS.register_handler("take-over", first=think_beside)
async def take_over(interaction: Interaction, action: Action) -> None:
    """Takes over the vacant seat; first come, first served."""
    caller = caller_of(interaction)
    match = await caller.act(action.match, acts.TakeOver(action.number))
    seat = match.seat_of(caller.user)
    assert seat is not None
    colour, where = colour_name(caller.locale, match.variant, seat), place_elsewhere(interaction, match)
    await announce_and_answer(interaction, match, "leaver.done.taken-over", colour=colour, where=where)


@AGREEMENT_BUTTONS.register_handler("vote-now", first=think_beside)
async def propose_vote(interaction: Interaction, action: Action) -> None:
    """Proposes not to wait for a substitute, or agrees to that: then the vote begins."""
    caller = caller_of(interaction)
    has_house = caller.context.has_house(caller.guild)
    match = await caller.act(action.match, acts.ProposeVote(action.number, has_house))
    await _answer_about_request(interaction, match, RequestKind.VOTE, "vote.done.proposed", "vote.done.agreed")


async def cast_vote(interaction: Interaction, action: Action, ballot: Ballot) -> None:
    """Votes on what becomes of the vacant seat."""
    match = await caller_of(interaction).act(action.match, acts.CastVote(ballot, action.number))
    await announce_and_answer(interaction, match, f"vote.done.{ballot.value}")


for each in (Ballot.PLAY_ON, Ballot.HOUSE, Ballot.DRAW, Ballot.ABANDON):
    AGREEMENT_BUTTONS.register_handler(f"vote-{each.value}", first=think_beside)(partial(cast_vote, ballot=each))
