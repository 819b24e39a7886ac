"""What a player does in a game: `/move`, `/game why`, `/game resign`, `/game move-here`, and **More** below a board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from discord import app_commands
from discord.ui import TextInput

from bot.core import acts, turns
from bot.core.clock import HOUR
from bot.core.deadlines import Actor
from bot.core.events import RequestKind
from bot.core.match import Match
from bot.core.offers import MAX_PAUSE_S
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Button, Family, IdField, submitted_value
from bot.discordkit.reply import (
    Interaction,
    acknowledge_press,
    make_view,
    reader_language,
    send_answer,
    think_beside,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.play.after_acts import announce_and_answer, announce_move, find_waiting_games, unposted_sentence
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.telling import claim_label
from bot.play.board import match_remarks, show_board
from bot.play.caller import Caller
from bot.play.clocks import GIFT_S
from bot.play.composer.handlers import MAX_TYPED_MOVE_LENGTH
from bot.play.composer.move_panel import open_composer
from bot.play.context import ButtonPlace, Feature, RemarkPlace, feature_buttons
from bot.play.options import (
    find_meant_match,
    find_pressed_match,
    is_forum_post,
    is_private_thread,
    parent_channel,
    require_bot_permissions,
    require_public_channel,
    require_started_game,
    server_and_channel,
    suggest_games,
    suggest_moves,
)
from bot.play.shared_components import Action, action_button
from bot.play.why import answer_refused_move, example_notation, explain_move
from bot.texts.i18n import Language, text
from bot.texts.people import mention_user
from bot.texts.sentences import code_list, duty_sentence, titled_name, variant_name
from rules import PieceKind, Position, RulesError, format_move, some_moves

MOVE_BUTTONS = Family("rt", Action)


@slash_command("move")
@app_commands.autocomplete(move=suggest_moves, game=suggest_games)
async def move_command(interaction: Interaction, move: str | None = None, game: str | None = None) -> None:
    """Plays a move: stores it, announces it, and confirms it privately. Opens the composer if no move is given."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    before, caller = await find_meant_match(interaction, game, "waiting"), Caller(interaction)
    remarks = await match_remarks(interaction, before, RemarkPlace.MOVE)
    if move is None:
        await open_composer(interaction, before)
        return
    try:
        match = await _play_typed(caller, before, move)
    except RulesError as error:
        await answer_refused_move(interaction, before, move, error)
        return
    waiting = await find_waiting_games(interaction, match)
    sentence = await announce_move(interaction, match, waiting)
    await send_answer(interaction, f"{sentence}\n{remarks}" if remarks else sentence, view=waiting.view)


@slash_command("game why")
@app_commands.autocomplete(move=suggest_moves, game=suggest_games)
async def game_why_command(interaction: Interaction, move: str, game: str | None = None) -> None:
    """Explains a move of the player to move, or why it is illegal. Plays nothing, and anybody may ask."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match = await find_meant_match(interaction, game, "any")
    if require_started_game(match).outcome:
        raise MatchError(Problem.GAME_OVER, number=match.id)
    await explain_move(interaction, match, match.started_game.position, move)


@slash_command("game resign")
@app_commands.autocomplete(game=suggest_games)
async def game_resign_command(interaction: Interaction, game: str | None = None) -> None:
    """Asks for confirmation before the player resigns."""
    await _ask_to_resign(interaction, await find_meant_match(interaction, game, "own"))


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
    caller = Caller(interaction)
    if meant.terms.ladder:
        require_public_channel(interaction, channel)
    match = await caller.act(meant.id, acts.MoveToChannel(channel, thread, above))
    await announce_and_answer(interaction, match, "place.moved")


@MOVE_BUTTONS.register_handler("resign-ask")
async def ask_to_resign_by_button(interaction: Interaction, action: Action) -> None:
    """Asks for confirmation before the player resigns."""
    await _ask_to_resign(interaction, await find_pressed_match(interaction, action.match))


async def _ask_to_resign(interaction: Interaction, match: Match) -> None:
    # Decides without storing, to refuse at once if the button would be refused.
    acts.decide(match, Caller(interaction).actor, acts.Resign())
    locale = reader_language(interaction)
    values = {"id": match.id, "variant": variant_name(locale, match.variant)}
    others = [user for user in match.still_in if user != interaction.user.id]
    if len(others) == 1:
        question = text(locale, "resign.ask-two", winner=mention_user(others[0], locale), **values)
    elif not match.opponents_of(interaction.user.id):
        question = text(locale, "resign.ask-house", **values)
    else:
        question = text(locale, "resign.ask-vacant", **values)
    yes, no = (
        action_button(locale, "resign", danger=True, match=match.id),
        action_button(locale, "play-on", match=match.id),
    )
    await send_answer(interaction, question, view=make_view(yes, no))


async def _play_typed(caller: Caller, match: Match, typed: str) -> Match:
    """Plays a typed move and returns the match. Reads the move again if the board changes before the move is stored."""
    while True:
        move = turns.read_move(match, caller.user, typed)
        try:
            return await caller.act(match.id, acts.PlayMove(move, match.board_version))
        except MatchError as error:
            if error.problem is not Problem.STALE:
                raise
        match = await caller.service.current_match(match.id, caller.guild)


@MOVE_BUTTONS.register_handler("resign", first=acknowledge_press)
async def resign_game(interaction: Interaction, action: Action) -> None:
    """Resigns the game."""
    caller = Caller(interaction)
    match = await caller.act(action.match, acts.Resign())
    await update_message(interaction, text(caller.locale, "resign.done", id=match.id), view=None)
    if trouble := await Announcer(caller.context).announce_subject(match.id):
        await send_answer(interaction, unposted_sentence(caller.locale, trouble, match))


@MOVE_BUTTONS.register_handler("play-on")
async def keep_playing(interaction: Interaction, action: Action) -> None:
    """Keeps playing after all."""
    sentence = text(reader_language(interaction), "resign.kept", id=action.match)
    await interaction.response.edit_message(content=sentence, view=None)


@MOVE_BUTTONS.register_handler("moves", first=think_beside)
async def list_own_moves(interaction: Interaction, action: Action) -> None:
    """Lists the player's moves, or shows the board if it has changed since the button was posted."""
    match = await find_pressed_match(interaction, action.match)
    if match.board_version != action.number or not match.is_live:
        await show_board(interaction, match, text(reader_language(interaction), "moves.stale"))
        return
    match.require_turn(interaction.user.id)
    await send_answer(interaction, moves_text(reader_language(interaction), match))


MAX_MOVES_TEXT_LENGTH = 1900


def moves_text(locale: Language, match: Match) -> str:
    """Returns as many legal moves of the player to move as fit, one line for each piece, and the number left out."""
    position = match.started_game.position
    title = text(locale, "moves.title", variant=variant_name(locale, match.variant), id=match.id)
    demand = duty_sentence(locale, position)
    lines = [title, *([demand] if demand else [])]
    choice = some_moves(position)
    by_piece: dict[int, list[str]] = {}
    for move in choice.moves:
        by_piece.setdefault(move.start, []).append(format_move(move, position.variant.board))
    left_count, room = len(choice.moves), MAX_MOVES_TEXT_LENGTH - sum(map(len, lines))
    pieces = position.pieces
    for start, moves in by_piece.items():
        kind = "knight" if pieces[start].kind is PieceKind.KNIGHT else "man"
        piece = text(locale, f"moves.{kind}", cell=f"**{position.variant.board.names[start]}**")
        room -= len(piece) + len("\n: ")
        shown_count = 0
        while shown_count < len(moves) and len(moves[shown_count]) + len("``, ") <= room:
            room -= len(moves[shown_count]) + len("``, ")
            shown_count += 1
        if shown_count:
            lines.append(text(locale, "moves.line", piece=piece, moves=code_list(moves[:shown_count])))
            left_count -= shown_count
        if shown_count < len(moves):
            break
    if left_count:
        lines.append(text(locale, "moves.more", count=left_count if choice.whole else f"{left_count}+"))
    return "\n".join(lines)


@MOVE_BUTTONS.register_handler("more", first=think_beside)
async def open_more(interaction: Interaction, action: Action) -> None:
    """Shows the panel."""
    match, caller = await find_pressed_match(interaction, action.match), Caller(interaction)
    person = caller.actor._replace(people=await caller.service.players_of(match))
    buttons = [*more_buttons(caller.context.features, caller.locale, match, person)]
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

    def may(act: acts.Act) -> bool:
        return acts.is_allowed(match, person, act)

    if match.is_live and match.to_move == person.user:
        yield button("moves", match.board_version)
    if match.is_live:
        yield button("why")
    yield action_button(locale, "rules", variant=match.variant.key)
    if match.game is not None:
        yield button("export")
    yield from feature_buttons(features, locale, match, ButtonPlace.MORE)
    if may(acts.SnoozeReminder(person.now + HOUR)):  # the shortest choice
        yield button("snooze", match.board_version)
    if may(acts.NudgePlayer()):
        yield button("nudge")
    if may(acts.GiveTime(GIFT_S)):
        yield button("more-time", label="give-time")
    if may(acts.ClaimTimeout()):
        yield button("claim", match.board_version, label=claim_label(match))
    if may(acts.ClaimDraw()):
        yield button("draw-claim")
    elif may(acts.OfferDraw()):
        yield button("draw-offer", label="draw-agree" if match.requests.of_kind(RequestKind.DRAW) else None)
    if may(acts.AskTakeback()):
        yield button("takeback-ask")
    if may(acts.AskPause(person.now + MAX_PAUSE_S)):  # the longest
        yield button("pause-ask")
    if may(acts.ProposeSubstitute(0)):  # somebody
        yield button("substitute-ask")
    if may(acts.Resign()):
        yield button("resign-ask", danger=True)


class WhyState(NamedTuple):
    """The game of the move in a form."""

    match: IdField


WHY_FORM = Family("rt-why", WhyState)


@MOVE_BUTTONS.register_handler("why")
async def ask_which_move(interaction: Interaction, action: Action) -> None:
    """Opens the form for the move to explain."""
    match, locale = await find_pressed_match(interaction, action.match), reader_language(interaction)
    position = _position_of(match)
    field: TextInput[Any] = TextInput(custom_id="move", max_length=MAX_TYPED_MOVE_LENGTH)
    title, hint = text(locale, "more.why"), text(locale, "more.why-hint", example=example_notation(position))
    await interaction.response.send_modal(WHY_FORM.make_form("", WhyState(match.id), title, title, hint, field))


@WHY_FORM.register_handler(first=think_beside)
async def explain_typed_move(interaction: Interaction, state: WhyState) -> None:
    """Explains the typed move, or why it is illegal."""
    match = await find_pressed_match(interaction, state.match)
    await explain_move(interaction, match, _position_of(match), submitted_value(interaction))


def _position_of(match: Match) -> Position:
    """Returns the position to move in. Raises GAME_OVER if there is none."""
    if require_started_game(match).outcome:
        raise MatchError(Problem.GAME_OVER, number=match.id)
    return match.started_game.position
