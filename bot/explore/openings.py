"""Openings: the moves of a server's finished games, as Explore shows them below its board.

A game is counted in the transaction that ends it: one row for each of its first moves. A look-up sums the rows.
Positions that a symmetry of the variant maps onto each other have equal numbers, and corresponding moves equal names.
"""

from __future__ import annotations

import re
import string
from collections.abc import Generator, Sequence, Set
from itertools import islice
from typing import NamedTuple

from bot.core.events import Event
from bot.core.house_seats import is_house
from bot.core.match import Match, MatchSummary, replay_changes
from bot.core.problems import MatchError
from bot.core.running_positions import number_image, turned_image
from bot.discordkit.reply import Interaction
from bot.explore.service import OpeningRow, PlayedMove, latest_games, played_moves, set_opening_rows
from bot.play.after_acts import problem_sentence
from bot.play.caller import caller_of, run_heavy, run_heavy_in_steps
from bot.play.context import BotContext, Done
from bot.play.options import may_see
from bot.play.service.results import ResultChange
from bot.store import Job, Writer
from bot.store.game_lists import summaries_in_phase
from bot.texts.i18n import Language, plural_text, text
from bot.texts.people import mention_user
from bot.texts.sentences import message_url, seat_emblem
from rules import Game, Move, Position, Seat, Variant, format_move, iter_moves
from rules.symmetry import Symmetry, symmetries

OPENING_LENGTH = 28
"""The moves of a game that count as its opening."""
MOVES_LISTED = 8
"""The most moves in the list: the most frequent ones."""
WHOLE_POINT = 6
"""The points of one game. Its winners share them, or all players after a draw, so 2 and 3 divide the number."""

_DIGITS = string.digits + string.ascii_letters


# Counting


class IndexedPosition(NamedTuple):
    """A position in the form that the index uses."""

    number: int
    """Equal for positions that a symmetry maps onto each other. Fits into a signed column of 64 bits."""
    symmetries: tuple[Symmetry, ...]
    """Each symmetry that turns the position into the image from which its number is computed."""

    def name_move(self, move: Move) -> str:
        """Returns the name of a move of the position: "12-40x26". Routes to the same outcome have the same name."""
        return min(_name_outcome(symmetry.turn_move(move)) for symmetry in self.symmetries)


def index_position(position: Position) -> IndexedPosition:
    """Returns the number of a position, and its symmetries. Ignores castle moves used, as `number_position` does."""
    images = [(turned_image(position, symmetry), symmetry) for symmetry in symmetries(position.variant)]
    standing = min(image for image, _ in images)
    same = tuple(symmetry for image, symmetry in images if image == standing)
    return IndexedPosition(number_image(position.variant, *standing), same)


def _name_outcome(move: Move) -> str:
    start, end, captures = move.outcome
    return f"{start}-{end}" + (f"x{'.'.join(map(str, sorted(captures)))}" if captures else "")


def _seats_from(variant: Variant, turn: Seat) -> tuple[Seat, ...]:
    """Returns all seats in turn order, beginning with `turn`."""
    return (turn, *variant.turn_orders[turn][:-1])


def opening_rows(match: Match) -> list[OpeningRow]:
    """Returns the rows of a finished match with a result: its first moves, until a player leaves; none if it began from
    a set position. Takes milliseconds.

    A move that another player makes in the same position seen from the other side counts once. The points stand in turn
    order, beginning with the player to move, because no symmetry changes that order.
    """
    variant, winners = match.variant, match.outcome.winners if match.outcome else ()
    if match.set_position:
        return []
    sharing = winners or variant.seats
    seated = (*match.players, *(substitute.user for substitute in match.roster.substitutes))
    people = int(not match.roster.began_with_house and not any(map(is_house, seated)))
    made: dict[tuple[int, str], OpeningRow] = {}
    for before, change, _ in replay_changes(match):
        if change.move is None or len(before.moves) == OPENING_LENGTH:
            break
        indexed, seats = index_position(before.position), _seats_from(variant, before.position.turn)
        points = [WHOLE_POINT // len(sharing) if seat in sharing else 0 for seat in seats]
        name = indexed.name_move(change.move)
        first, second, third = (*points, 0)[:3]
        row = (match.guild, indexed.number, match.id, name, people, first, second, third)
        made.setdefault((indexed.number, name), row)
    return list(made.values())


async def count_result(
    tx: Writer, _before: Match, match: Match, _events: Sequence[Event], change: ResultChange | None
) -> None:
    """Counts the moves of a match with a new result; no longer those of a match that is reopened or annulled."""
    if change:
        await set_opening_rows(tx, match.id, opening_rows(match) if change.new and change.new.has_result else [])


async def count_opening(context: BotContext, job: Job) -> Done:
    """Counts the moves of a game that an earlier version has not counted."""
    match_id, service = int(job.key), context.service
    async with service.store.write_transaction() as tx:
        counted = [match for match in await service.load_readable(tx, [match_id]) if match.has_result]
        await set_opening_rows(tx, match_id, [row for match in counted for row in opening_rows(match)])
    return Done()


# Looking up


class NumberedMove(NamedTuple):
    """A legal move, and its number among the legal moves of its position, from 0."""

    move: Move
    number: int


class Openings(NamedTuple):
    """What Explore shows of the openings at a position."""

    moves: Sequence[tuple[PlayedMove, NumberedMove]] = ()
    """The most frequent moves."""
    closed: str = ""
    """The sentence that says why nothing may be shown; empty if it may."""


async def look_up_openings(interaction: Interaction, game: Game, ply: int, *, every: bool) -> Openings | None:
    """Returns the openings at the game's position, after that many moves; None if there are none there."""
    caller = caller_of(interaction)
    guild, reader = caller.guild_or_none, caller.service.store.reader
    if guild is None or game.outcome or ply >= OPENING_LENGTH:
        return None
    if not caller.context.servers.settings_of(guild).openings:
        return Openings(closed=text(caller.locale, "openings.closed"))
    try:
        await caller.service.require_unplayed(reader, caller.user, [game.position])
    except MatchError as error:
        return Openings(closed=text(caller.locale, "openings.withheld", why=problem_sentence(caller.locale, error)))
    indexed = await run_heavy(interaction, index_position, game.position)
    played = await played_moves(reader, guild, indexed.number, MOVES_LISTED, every=every)
    names = {move.name for move in played}
    by_name = await run_heavy_in_steps(interaction, find_moves(game.position, indexed, names))
    return Openings([(move, by_name[move.name]) for move in played if move.name in by_name])


async def list_opening_games(interaction: Interaction, game: Game, page: int, *, every: bool) -> tuple[str, int]:
    """Returns a line for each game with the position that the person may see, the latest first; and the number of
    pages known."""
    caller = caller_of(interaction)
    reader, guild, locale = caller.service.store.reader, caller.guild, caller.locale
    indexed = await run_heavy(interaction, index_position, game.position)
    played, pages = await latest_games(reader, guild, indexed.number, page, every=every)
    names = set(played.values())
    by_name = await run_heavy_in_steps(interaction, find_moves(game.position, indexed, names))
    lines = list[str]()
    for game_played in reversed(await summaries_in_phase(reader, guild, played, "live", "over")):
        if may_see(interaction, game_played) and (found := by_name.get(played[game_played.id])):
            lines.append(_game_line(locale, game_played, found.move))
    title = text(locale, "openings.games-title" if lines else "openings.no-games")
    return "\n".join([title, *lines]), pages


# Moves as two characters of a custom id: the number among the legal moves. So an old button stays valid until the rules
# change. Extreme positions have tens of thousands of moves, so nothing here lists or keeps all moves of a position.


def format_move_number(number: int) -> str | None:
    """Returns the two characters for the move of that number; None if it is not among the first 3,844."""
    high, low = divmod(number, len(_DIGITS))
    return _DIGITS[high] + _DIGITS[low] if high < len(_DIGITS) else None


def follow_move_numbers(game: Game, numbers: str) -> Generator[None, None, list[Game]]:
    """Returns, in steps, the game after each of those moves. Raises KeyError if there is no such move."""
    games = list[Game]()
    for high, low in re.findall("(.)(.)", numbers):
        moves = iter_moves(game.position)
        for _ in islice(moves, _DIGITS.index(high) * len(_DIGITS) + _DIGITS.index(low)):
            yield
        move = next(moves, None)
        if move is None or game.outcome:
            raise KeyError(numbers)
        game = game.apply(move)
        games.append(game)
    return games


def find_moves(
    position: Position, indexed: IndexedPosition, names: Set[str]
) -> Generator[None, None, dict[str, NumberedMove]]:
    """Returns, in steps, the first legal move of each of these names; names that no legal move has are left out."""
    found: dict[str, NumberedMove] = {}
    for number, move in enumerate(iter_moves(position)):
        if len(found) == len(names):
            break
        if (name := indexed.name_move(move)) in names:
            found.setdefault(name, NumberedMove(move, number))
        yield
    return found


# Words


def opening_lines(locale: Language, position: Position, openings: Openings, *, every: bool) -> list[str]:
    """Returns a title and a numbered line for each move: how often it was played, and how each side scored."""
    if openings.closed:
        return [f"-# {openings.closed}"]
    lines = [text(locale, f"openings.title.{'all' if every else 'people'}")]
    for number, (played, (move, _)) in enumerate(openings.moves, 1):
        games = plural_text(locale, "openings.games", played.games)
        notation = format_move(move, position.variant.board)
        lines.append(f"**{number}.** `{notation}` · {games} · {shares_text(position, played)}")
    return lines if openings.moves else [*lines, text(locale, "openings.none")]


def shares_text(position: Position, played: PlayedMove) -> str:
    """Returns each seat's share of the points, in the order of the seats."""
    variant, total = position.variant, WHOLE_POINT * played.games
    shares = dict(zip(_seats_from(variant, position.turn), played.points, strict=False))
    return " ".join(
        f"{seat_emblem(variant, seat)}\N{NO-BREAK SPACE}{round(100 * shares[seat] / total)}%" for seat in sorted(shares)
    )


def _game_line(locale: Language, game: MatchSummary, move: Move) -> str:
    number = f"[#{game.id}]({message_url(game.guild, game.turn)})" if game.turn else f"#{game.id}"
    players = ", ".join(mention_user(user, locale) for user in game.players)
    return f"{number} · <t:{game.moved_at}:d> · `{format_move(move, game.variant.board)}` · {players}"
