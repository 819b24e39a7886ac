"""`python -m rules`: list moves, count them, show positions and check records of games."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rules.collection import iter_records
from rules.diagram import format_diagram
from rules.errors import NotationError, Reason, RulesError
from rules.game import Game
from rules.moves import legal_moves
from rules.notation import format_move
from rules.perft import iter_perft_shares, perft
from rules.position import PieceKind, Position
from rules.position_text import format_position, parse_position
from rules.record import RecordError
from rules.terminal import add_output, open_text, printing_to
from rules.terminal_words import ending_in_words, mistake_in_words
from rules.variants import VARIANTS


def print_variants() -> None:
    """Print the key, name and source of every variant."""
    for variant in VARIANTS.values():
        print(f"{variant.key:<12} {variant.name:<12} {variant.source}")


def print_moves(position: Position) -> None:
    """Print every legal move, one per outcome, and their number."""
    moves = legal_moves(position)
    for move in moves:
        print(format_move(move, position.variant.board))
    print(f"{len(moves)} outcomes. {ending_in_words(Game.from_position(position))}")


def print_perft(position: Position, depth: int) -> None:
    """Print the number of outcomes at each depth, and for the last depth the share of each first move."""
    for level in range(1, depth):
        print(f"depth {level}: {perft(position, level)}", flush=True)
    total = 0
    for move, outcomes in iter_perft_shares(position, depth):
        total += outcomes
        print(f"  {format_move(move, position.variant.board)}: {outcomes}")
    print(f"depth {depth}: {total}")


def print_board(position: Position) -> None:
    """Print the board as text, capitals for Knights, and the position's line."""
    armies = position.variant.armies
    marks = {
        cell: initial if piece.kind is PieceKind.KNIGHT else initial.lower()
        for cell, piece in position.pieces.items()
        for initial in armies[piece.seat].colour[0]
    }
    print(format_diagram(position.variant.board, marks))
    print(f"{armies[position.turn].colour} to move. Capitals are Knights, small letters Men.")
    print(format_position(position))


def check_records(path: Path) -> None:
    """Replay each record of the file, with all its variations. Raises RecordError at the first illegal move."""
    with open_text(path) as file:
        for record, _ in iter_records(file):
            game = record.replay()
            print(f"{len(game.moves)} moves, all legal. {ending_in_words(game)}")
            for variation, line in record.replay_variations():
                print(f"{variation.name}: {len(line.moves)} moves in all, legal. {ending_in_words(line)}")


def read_position(text: argparse.Namespace) -> Position:
    """The start of the variant if only its key is given, else the position that the text describes.

    Accepts the key once more in front of the position text.
    """
    key, *rest = " ".join([text.variant, *text.position]).split() or [""]
    if not rest and key.lower() in VARIANTS:
        return VARIANTS[key.lower()].start_position
    if not rest:
        raise NotationError(Reason.BAD_POSITION, text=key)
    return parse_position(" ".join(rest if rest[0].lower() in VARIANTS else [key, *rest]))


def make_argument_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m rules", description="The rules of the Camelot family.")
    commands = parser.add_subparsers(dest="command", required=True)
    add_output(commands.add_parser("variants", help="list the games"))
    for name, words in {
        "moves": "list the legal moves",
        "perft": "count the legal moves to a depth",
        "show": "print the board",
    }.items():
        command = commands.add_parser(name, help=words)
        command.add_argument("variant", help="one of the keys that `variants` lists, or a position text")
        if name == "perft":
            command.add_argument("depth", type=parse_depth)
        command.add_argument("position", nargs="*", help="a position text; without it the start of the variant")
        add_output(command)
    records = commands.add_parser("check", help="replay records of games, as text or lines of JSON")
    records.add_argument("file", type=Path)
    add_output(records)
    return parser


def parse_depth(text: str) -> int:
    """A number of half-moves, at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def run(asked: argparse.Namespace) -> None:
    """Run the command that the arguments name."""
    match asked.command:
        case "variants":
            print_variants()
        case "moves":
            print_moves(read_position(asked))
        case "perft":
            print_perft(read_position(asked), asked.depth)
        case "show":
            print_board(read_position(asked))
        case "check":
            check_records(asked.file)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return the exit status: 0 for success, 1 for a wrong text or record, 2 for wrong usage."""
    asked = make_argument_parser().parse_args(argv)
    try:
        with printing_to(asked.output):
            run(asked)
    except RecordError as error:
        print(f"{asked.file}:{error.line}: {mistake_in_words(error)}", file=sys.stderr)
    except RulesError as error:
        print(mistake_in_words(error), file=sys.stderr)
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, UnicodeDecodeError) as error:
        print(f"{getattr(asked, 'file', None) or asked.output or 'standard output'}: {error}", file=sys.stderr)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
