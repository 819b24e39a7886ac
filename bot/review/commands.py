"""Reviews of finished games: a curve of each side's chances, the turning points, and better moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord
from discord import app_commands

from bot.core.match import Match
from bot.discordkit.components import Button, Family
from bot.discordkit.errors import Declined
from bot.discordkit.reply import NO_MENTIONS, Interaction, acknowledge_press, make_view, picture_file, reader_language
from bot.discordkit.slash import slash_command
from bot.play.board import draw_picture, viewer_of, written_board
from bot.play.caller import caller_of, check_pace, may_share, public_language, run_heavy, run_heavy_in_steps
from bot.play.context import Action, ButtonPlace, action_button
from bot.play.engine import EngineError
from bot.play.options import find_meant_match, find_visible_match, suggest_all_games
from bot.play.sheets import OPEN_BUTTONS, TURN_BUTTONS, Sheet, SheetContent, draws_sheets, open_sheet
from bot.review.facts import BAD_FACTS, GOOD_FACTS, Fact, FactKind, bad_aftermath, facts_of_move
from bot.review.service import Review, TurningPoint, positions_of_game, read_stored_review, review_match
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import escape_markup
from bot.texts.sentences import (
    colour_name,
    move_sentence,
    moves_with_emblems,
    seat_emblem,
    side_values,
    sides_texts,
    titled_name,
    turn_names,
)
from render import THEMES, View
from render.chances import ChancesChart, render_chances_in_steps
from render.theme import Theme
from rules import Game, Move, Position, format_move
from rules.game import resolve_passes
from rules.record import move_numbers

REVIEW_BUTTONS = Family("rt", Action)

# Words: chances, turning points, and the facts that make a move better

MAX_FACTS_TOLD = 3
"""The most facts in a sentence."""

CHANCES_TOLD = 8
"""How many times in the course of a game the alt text states the chances."""


def review_text(locale: Language, match: Match, review: Review, line: Sequence[Position]) -> str:
    """Returns the whole review: a description of the curve, and a line for each turning point. `line` are the positions
    of the game."""
    variant, turnings = match.variant, review.turnings
    names = [f"{seat_emblem(variant, seat)} {colour_name(locale, variant, seat)}" for seat in variant.seats]
    sides = text(locale, "review.sides", sides=join_list(locale, names))
    lines = [text(locale, "review.title", variant=titled_name(locale, variant, match.title), id=match.id)]
    if turnings:
        lines.append(f"{sides} {plural_text(locale, 'review.numbers', len(turnings))}")
        for number, turning in enumerate(turnings, start=1):
            shown = _turning_values(locale, match, line[turning.ply], number, turning)
            lines.append(text(locale, "review.line", **shown))
    else:
        lines += [sides, text(locale, "review.no-turnings")]
    return "\n".join([*lines, text(locale, "review.foot")])


def turning_text(locale: Language, match: Match, position: Position, number: int, turning: TurningPoint) -> str:
    """Returns the text about one turning point: the move made, a better move, and the facts about both."""
    shown = _turning_values(locale, match, position, number, turning)
    name = titled_name(locale, match.variant, match.title)
    bad = bad_facts(locale, position, match.started_game.moves[turning.ply], turning.line)
    good = good_facts(locale, position, turning.better) or (text(locale, "review.fact.avoids") if bad else "")
    return "\n".join(
        [
            text(locale, "review.turning", variant=name, id=match.id, **shown),
            text(locale, "review.played-why" if bad else "review.played", why=bad, **shown),
            text(locale, "review.better-why" if good else "review.better", why=good, **shown),
        ]
    )


def _turning_values(
    locale: Language, match: Match, position: Position, number: int, turning: TurningPoint
) -> dict[str, object]:
    """Returns what sentences about a turning point name: the mover, both moves, and the chances after them."""
    board = match.variant.board
    return {
        **side_values(locale, match.variant, position.turn),
        "number": number,
        "move": move_numbers(match.started_game)[turning.ply][0],
        "played": format_move(match.started_game.moves[turning.ply], board),
        "chance": percent_text(locale, turning.played_chance),
        "better": format_move(turning.better, board),
        "other": percent_text(locale, turning.better_chance),
    }


def good_facts(locale: Language, position: Position, move: Move) -> str:
    """Returns the facts in favour of a move; empty if there are none."""
    all_facts = facts_of_move(position, move)
    told_facts = [fact for fact in all_facts if fact.kind in GOOD_FACTS] or [
        fact for fact in all_facts if fact.kind not in BAD_FACTS
    ]
    return _join_facts(locale, position, move, told_facts)


def bad_facts(locale: Language, position: Position, move: Move, line: Sequence[Move] = ()) -> str:
    """Returns the facts against a move if the game follows that line: first the later harm, then the visible facts."""
    facts_by_kind = {fact.kind: fact for fact in facts_of_move(position, move) if fact.kind in BAD_FACTS}
    comes, at_once = bad_aftermath(position, move, line), facts_by_kind.get(FactKind.LOSES)
    if comes and FactKind.LETS_WIN not in facts_by_kind and not (at_once and 0 < comes.number <= at_once.number):
        facts_by_kind.pop(FactKind.LOSES, None)
        facts_by_kind = {comes.kind: comes, **facts_by_kind}
    return _join_facts(locale, position, move, facts_by_kind.values())


def chances_words(locale: Language, game: Game, review: Review) -> str:
    """Returns the curve in words: the chances at regular intervals, and at the end."""
    variant, last, turns = game.variant, len(review.chances) - 1, turn_names(locale, game)
    stride = max(1, -(-last // CHANCES_TOLD))
    sentences = []
    for moves in sorted({*range(0, last, stride), last}):
        chances = zip(variant.seats, review.chances[moves], strict=True)
        each = ", ".join(
            f"{colour_name(locale, variant, seat)} {percent_text(locale, chance)}" for seat, chance in chances
        )
        sentences.append(
            text(locale, "review.after" if moves else "review.at-start", turn=turns[moves - 1], chances=each)
        )
    return text(locale, "review.alt", chances=" ".join(sentences))


def chances_chart(game: Game, review: Review, positions: Sequence[Position], theme: Theme) -> ChancesChart:
    """Returns the curve, with a disc at the turn of each turning point."""
    discs = tuple((turning.ply + 1, positions[turning.ply].turn) for turning in review.turnings)
    turns = tuple(number for number, _ in move_numbers(game))[:-1]
    return ChancesChart(game.variant, review.chances, discs, theme, turns)


def percent_text(locale: Language, chance: float) -> str:
    """Returns a chance as the language writes it: "38%"."""
    return text(locale, "review.percent", count=round(100 * chance))


def _join_facts(locale: Language, position: Position, move: Move, all_facts: Iterable[Fact]) -> str:
    after = resolve_passes(position.after_move(move))[0]
    phrases = [_fact_text(locale, after, fact) for fact in [*all_facts][:MAX_FACTS_TOLD]]
    return join_list(locale, phrases)


def _fact_text(locale: Language, after: Position, fact: Fact) -> str:
    """Returns a fact about the move that led to that position, in words: "captures 2 pieces"."""
    board, variant = after.variant.board, after.variant
    values = {
        "colour": colour_name(locale, variant, fact.seat) if fact.seat is not None else "",
        "move": format_move(fact.move, board) if fact.move else "",
        "line": moves_with_emblems(after, fact.line),
        "cell": board.names[fact.cell] if fact.cell is not None else "",
    }
    key = f"review.fact.{fact.kind.value}"
    return plural_text(locale, key, fact.number, **values) if fact.number else text(locale, key, **values)


# The command and the sheet

REVIEW_SHEET = "review"
"""The sheet with a review."""


def review_button(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button that opens the review of a finished game."""
    if place is not ButtonPlace.END:
        return ()
    review = Sheet(REVIEW_SHEET, match.variant.key, match.id)
    return (OPEN_BUTTONS.make_button("", review, text(locale, "button.review")),)


@slash_command("game review")
@app_commands.autocomplete(game=suggest_all_games)
async def game_review_command(interaction: Interaction, game: str | None = None) -> None:
    """Opens the review of a finished game."""
    match = await find_meant_match(interaction, game, "any")
    await open_sheet(interaction, Sheet(REVIEW_SHEET, match.variant.key, match.id))


@draws_sheets(REVIEW_SHEET)
async def show_review(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns the review of the game of that number: all of it, or the turning point `request.page`."""
    match, review = await _load_review(interaction, request.subject)
    page = min(request.page, len(review.turnings))
    content, files = await _review_page(interaction, match, review, page)
    turnings = _turning_buttons(reader_language(interaction), request._replace(page=page), review)
    share = action_button(reader_language(interaction), "share-review", label="share", match=match.id, number=page)
    return SheetContent(content, [*turnings, share], files)


def _turning_buttons(locale: Language, request: Sheet, review: Review) -> list[Button]:
    """Returns the buttons to the other parts of the review."""
    points = [(number, text(locale, "review.to", number=number)) for number in range(1, len(review.turnings) + 1)]
    return [
        TURN_BUTTONS.make_button("", request._replace(page=number), label)
        for number, label in [(0, text(locale, "review.whole")), *points]
        if number != request.page
    ]


@REVIEW_BUTTONS.register_handler("share-review", first=acknowledge_press)
async def share_review(interaction: Interaction, action: Action) -> None:
    """Posts the shown part of the review for everybody, once. The buttons to the other parts remain."""
    match, review = await _load_review(interaction, action.match)
    if not may_share(interaction):
        return
    page = min(action.number, len(review.turnings))
    content, files = await _review_page(interaction, match, review, page, public=True)
    player = escape_markup(interaction.user.display_name)
    content += "\n" + text(public_language(interaction), "review.shared", player=player)
    await interaction.followup.send(content, files=files, allowed_mentions=NO_MENTIONS, ephemeral=False)
    request = Sheet(REVIEW_SHEET, match.variant.key, match.id, page=page)
    turnings = _turning_buttons(reader_language(interaction), request, review)
    await interaction.edit_original_response(view=make_view(*turnings))


async def _load_review(interaction: Interaction, match_id: int) -> tuple[Match, Review]:
    caller, match = caller_of(interaction), await find_visible_match(interaction, match_id)
    if not await read_stored_review(caller.service.reader, match):
        check_pace(interaction, "reviews")
    end = await caller.context.review_turns.wait_for_turn(caller.user)
    try:
        return await review_match(caller.service, match_id, caller.guild, caller.user, caller.context.engine.ask)
    except EngineError:
        raise Declined("review.away") from None
    finally:
        end()


async def _review_page(
    interaction: Interaction, match: Match, review: Review, page: int, *, public: bool = False
) -> tuple[str, Sequence[discord.File]]:
    """Returns the text and pictures of the whole review, or of one turning point: for the person, or for everybody."""
    locale, settings = await viewer_of(interaction, public=public)
    reader = None if public else match.seat_of(interaction.user.id)
    positions = await run_heavy(interaction, positions_of_game, match)
    if not page:
        content = review_text(locale, match, review, positions)
        words = chances_words(locale, match.started_game, review)
        if settings.reads_text:
            return f"{content}\n{words}", ()
        chart = chances_chart(match.started_game, review, positions, THEMES[settings.theme])
        png = await run_heavy_in_steps(interaction, render_chances_in_steps(chart))
        return content, [picture_file(png, f"review-{match.id}", words)]
    turning = review.turnings[page - 1]
    position, played = positions[turning.ply], match.started_game.moves[turning.ply]
    # Finding the possible captures takes up to a third of a second on a small machine.
    content = await run_heavy(interaction, turning_text, locale, match, position, page, turning)
    if board := written_board(locale, settings, View(position, to_move=False, reader=reader)):  # one for both moves
        return f"{content}\n{board}", ()
    better = text(locale, "review.alt-better", move=format_move(turning.better, match.variant.board))
    boards = (("played", played, move_sentence(locale, position, played)), ("better", turning.better, better))
    files = list[discord.File]()
    for name, move, words in boards:
        after = resolve_passes(position.after_move(move))[0]
        view = View(after, last_move=move, before=position, to_move=False, reader=reader)
        name, words = f"review-{match.id}-{turning.ply + 1}-{name}", " ".join([words, *sides_texts(locale, after)])
        files.append(await draw_picture(interaction, settings, view, name, words))
    return content, files
