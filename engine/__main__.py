"""`python -m engine`: play, suggest, solve, fit weights, make puzzles, measure how fair a steward is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from engine.levels import LEVELS, choose_move, evaluate_chances
from engine.puzzle_search import MISSED, mine_collection
from engine.puzzles import MAX_PUZZLE_MOVES
from engine.solving import solve
from engine.tools.fitting import improve_weights, write_weights
from engine.tools.match import BASELINES, play_match, wilson_interval
from engine.tools.stewarding import finish_without_third, iter_middle_games
from rules import VARIANTS, GameOver, NotationError, Position, Variant, format_move, parse_position
from rules.terminal import add_output, printing_to
from rules.terminal_words import mistake_in_words

WEIGHTS_FOLDER = Path(__file__).parent / "weights"


def show_match(variant: Variant, names: Sequence[str], games: int) -> None:
    """Play a match, and print each player's share of the games with its 95 % confidence interval."""
    begun = process_time()
    played = list(play_match(variant, names, games))
    moves = sum(len(match_game.game.moves) for match_game in played)
    drawn = sum(match_game.is_drawn for match_game in played)
    print(f"{variant.key}: {games} games, {drawn} drawn, {moves / games:.0f} moves a game", end=", ")
    print(f"{1000 * (process_time() - begun) / max(moves, 1):.1f} ms a move")
    for name in dict.fromkeys(names):
        score = sum(match_game.score_of(name) for match_game in played) / games
        low, high = wilson_interval(score, games)
        print(f"  {name:<8} {score:6.1%}  [{low:.1%}, {high:.1%}]")


def show_steward(variant: Variant, positions: int, seed: int) -> None:
    """Print each remaining player's share of the decided games after one of three has left.

    Plays each game twice: once with the seat skipped, once with a steward.
    """
    games = list(iter_middle_games(variant, positions, seed))
    for name, steward in (("skipped", False), ("steward", True)):
        ends = [finish_without_third(game, number, steward=steward) for number, game in enumerate(games)]
        hunter, other = sum(end.hunter for end in ends), sum(end.other for end in ends)
        print(f"{name}: {hunter} + {other} won, {positions - hunter - other} drawn")
        if not hunter + other:
            continue
        for who, won in (("attacks the leaver's castle", hunter), ("the other", other)):
            low, high = wilson_interval(won / (hunter + other), hunter + other)
            print(f"  {who:<28} {won / (hunter + other):.3f}  [{low:.3f}, {high:.3f}]", flush=True)


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
    command.add_argument("players", nargs="+", choices=[*LEVELS, *BASELINES], help="one for each seat")
    command.add_argument("--games", type=parse_count, default=150)
    command = commands.add_parser("move", help="suggest a move")
    command.add_argument("position", nargs="+", help="a variant's key, or a position text")
    command.add_argument("--level", choices=LEVELS, default="hard")
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("solve", help="find a forced win")
    command.add_argument("plies", type=parse_count, help="how many moves, everybody's counted, it may take")
    command.add_argument("position", nargs="+", help="a variant's key, or a position text")
    command = commands.add_parser("steward", help="what the two who stay win where the third of three has left")
    command.add_argument("--positions", type=parse_count, default=600)
    command.add_argument("--seed", type=int, default=1)
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
            variant = VARIANTS[asked.variant]
            if len(asked.players) != len(variant.armies):
                parser.error(f"{variant.name} has {len(variant.armies)} seats")
            show_match(variant, asked.players, asked.games)
        case "move":
            show_move(read_position(asked.position), asked.level, asked.seed)
        case "solve":
            show_solution(read_position(asked.position), asked.plies)
        case "steward":
            show_steward(VARIANTS["tri-camelot"], asked.positions, asked.seed)
        case "fit":
            variant = VARIANTS[asked.variant]
            write_weights(variant, improve_weights(variant, asked.games, asked.rounds, print), WEIGHTS_FOLDER)
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
