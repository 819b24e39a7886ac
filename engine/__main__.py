"""`python -m engine`: play, suggest, solve, fit weights, make puzzles."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.levels import HANDICAPS, LEVELS, STRENGTHS, choose_move, evaluate_chances, strengths_of
from engine.puzzle_search import MISSED, mine_collection
from engine.puzzles import MAX_PUZZLE_MOVES
from engine.solving import solve
from engine.tools.fitting import improve_weights, list_kept_weights, write_weights
from engine.tools.match import (
    BASELINES,
    SURE,
    MatchGame,
    draw_openings,
    find_players,
    interval_of,
    kept_openings_of,
    likelihood_ratio,
    observe,
    play_match,
)
from rules import VARIANTS, GameOver, NotationError, Position, Variant, format_move, parse_position
from rules.terminal import add_output, printing_to
from rules.terminal_words import mistake_in_words

TOLD = 10
"""After how many openings a match says how it stands."""
WEIGHTS_FOLDER = Path(__file__).parent / "weights"


def show_match(variant: Variant, names: Sequence[str], games: int, first: int, bounds: Sequence[float] | None) -> None:
    """Play a match, and print each player's share of the games with its 95 % interval, and its processor time.

    With two bounds for the share of the first player it ends as soon as one of them is refuted.
    """
    players, seats = find_players(names), len(names)
    played: list[MatchGame] = []
    for match_game in play_match(variant, players, games, first):
        played.append(match_game)
        if len(played) % (TOLD * seats) == 0:
            print(f"{len(played)} games: {describe_score(played, names[0], bounds)}", file=sys.stderr, flush=True)
        whole = len(played) % seats == 0
        if bounds and whole and abs(likelihood_ratio(observe(played, names[0]), *bounds)) >= SURE:
            break
    drawn, moves = sum(one.is_drawn for one in played), sum(player.moves for player in {*players})
    opening = f"openings from {first}"
    print(f"{variant.key}: {len(played)} games, {drawn} drawn, {moves / len(played):.0f} moves a game, {opening}")
    for player in dict.fromkeys(players):
        told = describe_score(played, player.name, bounds if player is players[0] else None)
        print(f"  {player.name:<10} {told}, {1000 * player.seconds / max(player.moves, 1):.1f} ms a move")


def describe_score(played: Sequence[MatchGame], name: str, bounds: Sequence[float] | None) -> str:
    """The player's share of the games with its interval, and how the test of the two bounds stands."""
    scores = observe(played, name)
    low, high = interval_of(scores)
    told = f"{sum(scores) / len(scores):6.1%}  [{low:.1%}, {high:.1%}]"
    if not bounds:
        return told
    ratio = likelihood_ratio(scores, *bounds)
    kept = f": {bounds[ratio > 0]:g} is accepted" if abs(ratio) >= SURE else ""
    return f"{told}, log-likelihood ratio {ratio:+.2f} of {bounds[1]:g} against {bounds[0]:g}{kept}"


def show_move(position: Position, level: str, seed: int) -> None:
    """Print the move that the level chooses, and each seat's chance."""
    print(format_move(choose_move(position, level, seed), position.variant.board))
    for army, chance in zip(position.variant.armies, evaluate_chances(position), strict=True):
        print(f"  {army.colour:<6} {chance:.0%}")


def show_solution(position: Position, plies: int) -> None:
    """Print the forced win and all winning first moves, or that there is none."""
    solution = solve(position, plies)
    board = position.variant.board
    if solution is None:
        print(f"{position.variant.armies[position.turn].colour} has no forced win within {plies} plies.")
        return
    print(f"{len(solution.line)} plies: {' '.join(format_move(move, board) for move in solution.line)}")
    first = ", ".join(format_move(move, board) for move in solution.first)
    print("The only first move." if solution.is_unique else f"{len(solution.first)} first moves win: {first}")


def read_position(words: Sequence[str]) -> Position:
    """The start of a variant from its key, or the position of a position text. Raises NotationError."""
    text = " ".join(words)
    return VARIANTS[text.lower()].start_position if text.lower() in VARIANTS else parse_position(text)


def parse_player(text: str) -> str:
    """The name of a player of matches."""
    if text.partition("@")[0] not in LEVELS and text not in (plain := [*STRENGTHS, *BASELINES]):
        raise argparse.ArgumentTypeError(f"{', '.join(plain)}, or LEVEL@FOLDER of a copy")
    return text


def parse_count(text: str) -> int:
    """A number of games, positions or moves, at least 1."""
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError("a number from 1")
    return int(text)


def make_argument_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m engine", description="The house player of the Camelot family.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("match", help="play games at all seats in turn and print the shares")
    command.add_argument("variant", choices=VARIANTS)
    players = "one for each seat, or one alone and one for all other seats; LEVEL@FOLDER is a level of a copy there"
    command.add_argument("players", nargs="+", type=parse_player, help=players)
    command.add_argument("--games", type=parse_count, default=150, help="at most")
    command.add_argument("--first", type=int, default=0, help="the number of the first opening")
    bounds = "stop as soon as the first player's share is decided to be LOW or HIGH, with 5 %% of error"
    command.add_argument("--sprt", type=float, nargs=2, metavar=("LOW", "HIGH"), help=bounds)
    command = commands.add_parser("openings", help="draw the openings of a variant's matches, to be kept")
    command.add_argument("variant", choices=VARIANTS)
    command.add_argument("--wanted", type=parse_count, default=600)
    command = commands.add_parser("move", help="suggest a move")
    command.add_argument("position", nargs="+", help="a variant's key, or a position text")
    command.add_argument("--level", choices=LEVELS, default="hard")
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("solve", help="find a forced win")
    command.add_argument("plies", type=parse_count, help="how many moves, everybody's counted, it may take")
    command.add_argument("position", nargs="+", help="a variant's key, or a position text")
    command = commands.add_parser("fit", help="make the weights of a variant by self-play, and write them")
    command.add_argument("variant", choices=VARIANTS)
    command.add_argument("--games", type=parse_count, default=100, help="in each round")
    command.add_argument("--rounds", type=parse_count, default=3)
    command = commands.add_parser("puzzles", help="find puzzles for the collection, grade them, or prove them again")
    command.add_argument("act", choices=("find", "grade", "prove"))
    command.add_argument("variant", choices=VARIANTS)
    command.add_argument("--wanted", type=parse_count, default=200, help="how many the collection is to have")
    command.add_argument("--first", type=int, default=0, help="the number of the first game")
    few = range(MISSED, MAX_PUZZLE_MOVES + 1)
    command.add_argument(
        "--most", type=int, choices=few, default=MAX_PUZZLE_MOVES, help="own moves that a win takes at most"
    )
    for command in commands.choices.values():
        add_output(command)
    return parser


def run(asked: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command that the arguments name, and return the exit status."""
    match asked.command:
        case "match":
            variant, names = VARIANTS[asked.variant], asked.players
            seats = len(variant.armies)
            if len(names) not in (2, seats):
                parser.error(f"{variant.name} has {seats} seats")
            handicaps = {*names}.intersection(HANDICAPS)
            if len(handicaps) > 1 or not handicaps.issubset(strengths_of(variant.key)):
                parser.error(f"{variant.name} has no such handicap")
            most = seats * (len(kept_openings_of(variant)) - asked.first)
            if asked.first < 0 or asked.games > most:
                parser.error(f"the openings from {asked.first} suffice for {max(0, most)} games")
            show_match(variant, [*names, *names[1:] * (seats - len(names))], asked.games, asked.first, asked.sprt)
        case "openings":
            for opening in draw_openings(VARIANTS[asked.variant], asked.wanted):
                print(opening, flush=True)
        case "move":
            show_move(read_position(asked.position), asked.level, asked.seed)
        case "solve":
            show_solution(read_position(asked.position), asked.plies)
        case "fit":
            variant = VARIANTS[asked.variant]
            for before in list_kept_weights(variant, WEIGHTS_FOLDER):
                weights = improve_weights(variant, before, asked.games, asked.rounds, print)
                write_weights(variant, weights, WEIGHTS_FOLDER)
        case "puzzles":
            report, well = mine_collection(asked.act, VARIANTS[asked.variant], asked.wanted, asked.first, asked.most)
            print(report)
            return int(not well)
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run one command and return the exit status: 0 for success, 1 for a failure, 2 for a wrong command."""
    parser = make_argument_parser()
    asked = parser.parse_args(argv)
    try:
        with printing_to(asked.output):
            return run(asked, parser)
    except OSError as error:
        print(f"{error}.", file=sys.stderr)
        return 1
    except NotationError as error:
        print(mistake_in_words(error), file=sys.stderr)
        return 1
    except GameOver:
        print("Nobody is to move in that position: the game is over.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
