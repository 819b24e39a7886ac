"""A look at a game's board: private or public, as a picture or as text."""

from __future__ import annotations

import discord

from bot.core.match import Match
from bot.core.settings import Preferences
from bot.discordkit.components import make_view
from bot.discordkit.reply import Interaction, now, reader_language, send_answer
from bot.play.announcing.telling.leavers import vacancy_text
from bot.play.app import Caller, app_of, draw_picture, public_language
from bot.play.context import ButtonPlace, RemarkPlace, feature_buttons
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, text
from bot.texts.sentences import alt_text, clock_lines, colour_name, ending_sentence, ply_phrase, text_board, titled_name
from render import View
from rules import Move, Position
from rules.board import Cell


async def show_board(
    interaction: Interaction,
    match: Match,
    remark: str = "",
    *,
    before: Match | None = None,
    public: bool = False,
    as_text: bool | None = None,
    zoom: Cell | None = None,
) -> None:
    """Answers with the board as it is in `match`; a private one is turned to the side of a viewer who plays in it.

    `before` is the match one ply earlier; with it, the last move is drawn as a path. `as_text` and `zoom` override the
    viewer's settings, which apply to private boards and not to public ones.
    """
    locale = public_language(interaction) if public else reader_language(interaction)
    preferences = Preferences() if public else await Caller(interaction).load_preferences()
    if as_text is None:
        as_text = preferences.board == "text" and zoom is None
    clock = "\n".join(await _clock_lines_now(interaction, locale, match))
    remarks = "" if public else await match_remarks(interaction, match, RemarkPlace.BOARD)
    content = "\n".join(line for line in (remark, board_caption(locale, match), clock, remarks) if line)
    files = []
    if as_text:
        content += "\n" + written_board(locale, match, before)
    else:
        files = [await board_file(interaction, locale, match, before, preferences, zoom, public=public)]
    share = action_button(locale, "share", match=match.id, number=match.ply)
    buttons = [*feature_buttons(app_of(interaction).features, locale, match, ButtonPlace.BOARD), share]
    await send_answer(interaction, content, files=files, view=None if public else make_view(*buttons))


async def match_remarks(interaction: Interaction, match: Match, place: RemarkPlace) -> str:
    """Returns the remarks of all features on that match; empty if there are none."""
    remarks = [await feature.remark(interaction, match, place) for feature in app_of(interaction).features]
    return "\n".join(remark for remark in remarks if remark)


async def _clock_lines_now(interaction: Interaction, locale: Language, match: Match) -> list[str]:
    """Returns how the clocks stand; nothing for an earlier board."""
    service = Caller(interaction).service
    if (await service.current_match(match.id, match.guild)).seq != match.seq:
        return []
    return clock_lines(locale, match, now(), await service.players_of(match))


async def board_file(
    interaction: Interaction,
    locale: Language,
    match: Match,
    before: Match | None,
    preferences: Preferences,
    zoom: Cell | None = None,
    *,
    public: bool = False,
) -> discord.File:
    """Returns the picture of the board, with its alt text.

    A player sees it from their side, with the castles that they attack and that are barred to them marked. All others
    see the boards of a game from its first side, and so does everybody on public boards.
    """
    game = match.started_game
    position, over = game.position, game.outcome is not None
    earlier, move = _last_move(match, before)
    seat = None if public else match.seat_of(interaction.user.id)
    bottom = match.variant.seats[0] if seat is None else seat
    view = View(position, bottom, move, earlier, to_move=not over, zoom=zoom, attacker=seat)
    words = alt_text(locale, match.id, match.ply, position, over=over, before=earlier, move=move)
    return await draw_picture(interaction, view, preferences, f"game-{match.id}-{match.ply}", words)


def written_board(locale: Language, match: Match, before: Match | None) -> str:
    """Returns the board as text; `before` is the match one ply earlier."""
    game = match.started_game
    earlier, move = _last_move(match, before)
    return text_board(locale, game.position, over=game.outcome is not None, before=earlier, move=move)


def board_caption(locale: Language, match: Match, key: str = "board.caption", **values: object) -> str:
    """Returns the board's game and moment, and who is to move or how the game ended."""
    game = match.started_game
    if game.outcome:
        winner = colour_name(locale, match.variant, game.outcome.winners[0]) if game.outcome.winners else ""
        result_key = ("board.won" if winner else "board.draw") if match.has_result else "board.no-result"
        turn = f"{text(locale, result_key, winner=winner)} {ending_sentence(locale, game)}"
    elif match.vacancy and match.to_move is None:
        turn = vacancy_text(locale, match)
    else:
        turn = text(locale, "alt.to-move", colour=colour_name(locale, match.variant, game.position.turn))
    variant, moment = titled_name(locale, match.variant, match.title), ply_phrase(locale, match.ply)
    return text(locale, key, variant=variant, id=match.id, when=moment, turn=turn, **values)


async def matches_at(interaction: Interaction, match_id: int, ply: int | None) -> tuple[Match, Match | None]:
    """Returns the match after that many moves (now, for None), and the match one ply earlier."""
    caller = Caller(interaction)
    service, guild = caller.service, caller.guild
    match = await service.current_match(match_id, guild)
    if ply is not None and ply != match.ply:
        match = await service.match_at(match_id, guild, ply)
    before = await service.match_at(match_id, guild, match.ply - 1) if match.ply else None
    return match, before


def _last_move(match: Match, before: Match | None) -> tuple[Position | None, Move | None]:
    """Returns the position one ply earlier and the move made in it, if they are known."""
    game = match.game
    earlier = before.game.position if before and before.game else None
    return earlier, game.moves[-1] if earlier and game and game.moves else None
