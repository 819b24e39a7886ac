"""Checks what the message of a turn shows against the rules alone."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

from _pytest.mark import ParameterSet
from PIL import Image

from rules import Game, Move, Position, Record, Seat, Variant, format_move, parse_record
from sandbox.people import Person, Reply, Said
from tests.e2e.house import ROOT, environment
from tests.e2e.program_starts import run_warm
from tests.e2e.room import Played, ends, words
from tests.examples import ordinarily

GAMES = Path(__file__).parent / "games"
BUSY = GAMES / "unfinished" / "chivalry-busy.txt"
"""A game at a position with more than a thousand moves."""
RECORDS = {path.stem: path for path in sorted(GAMES.glob("*.txt"))}


def read_record(name: str) -> Record:
    """Returns the record of that name from the folder of finished games."""
    return parse_record(RECORDS[name].read_text("utf-8"))


def variant_of(name: str) -> Variant:
    """Returns the variant of that record."""
    return read_record(name).origin.variant


def cases(names: Iterable[str]) -> list[ParameterSet]:
    """Returns games as parameters: the shortest of each variant and ending in every run, the others only in a hunt."""
    found: dict[str, str] = {}
    names = sorted(names, key=lambda name: RECORDS[name].stat().st_size)
    for name in names:
        record = read_record(name)
        found.setdefault(record.origin.variant.key, name)
        found.setdefault(record.headers["ending"], name)
    return ordinarily(sorted(names), *found.values())


def moves_of(name: str) -> list[str]:
    """Returns the moves of that record in canonical notation."""
    return moves_in(read_record(name))


def moves_in(record: Record) -> list[str]:
    """Returns the moves of a record in canonical notation."""
    game = record.replay()
    return [format_move(move, game.variant.board) for move in game.moves]


def kind_of(before: Position, move: Move) -> str:
    """Returns the rulebook's name for a move: step, canter, jump, charge or castle move."""
    legs = len(move.path) - 1
    if move.captures:
        return "jump" if len(move.captures) == legs else "charge"
    if move.path[0] in before.variant.armies[before.turn].goal:
        return "castle move"
    adjacent = move.path[1] in before.variant.board.neighbours[move.path[0]]
    return "step" if legs == 1 and adjacent else "canter"


async def check_turn(person: Person, said: Said, before: Game, after: Game) -> None:
    """Asserts that the message names the move and has a picture whose alt text gives the position."""
    move, board = after.moves[-1], after.variant.board
    mover = after.variant.armies[before.position.turn].colour
    assert after.outcome or f"**{mover}**" in said.text
    assert f"`{format_move(move, board)}`" in said.text
    told = words(said)
    assert len(told) <= 1024
    assert format_move(move, board) in told
    for cell in after.position.names(move.captures):
        assert re.search(rf"took [^.]*\b{cell}\b", told), told
    for seat in after.variant.seats:
        assert cells_told(told, after.variant.armies[seat].colour) == cells_of(after.position, seat)
    await check_picture(person, said)


async def check_picture(person: Person, said: Said | Reply) -> None:
    """Asserts that the message's only picture can be loaded and is a PNG as wide as a board."""
    (shown,) = (one for one in said.attachments if one["filename"].endswith(".png"))
    with Image.open(io.BytesIO(await person.picture(shown))) as picture:
        assert picture.format == "PNG"
        assert 500 <= picture.width <= 1100
        assert (shown["width"], shown["height"]) == picture.size


def cells_told(alt_text: str, colour: str) -> set[str]:
    """Returns the cells that an alt text gives for a side."""
    found = re.findall(rf"{colour}, (?:\d+|no) pieces?([^.]*)\.", alt_text)
    assert len(found) == 1, (colour, alt_text)
    return set(re.findall(r"\b\d?[A-Z]\d{1,2}\b", found[0]))


def cells_of(position: Position, seat: Seat) -> set[str]:
    """Returns the cells of a side's pieces."""
    return set(position.names([cell for cell, piece in position.pieces.items() if piece.seat == seat]))


async def check_end(played: Played) -> str:
    """Asserts that the last message names the result and has a record of legal moves; returns it."""
    game, said = played.game, played.last
    assert game.outcome is not None
    assert ends(played.number)(said), said.text
    for seat, player in enumerate(played.players):
        wins = re.search(rf"{player.name} wins", said.shown)
        assert bool(wins) == (seat in game.outcome.winners), said.text
    assert ("**Draw:**" in said.text) == (not game.outcome.winners)
    (attached,) = (one for one in said.attachments if one["filename"].endswith(".txt"))
    text = (await played.players[0].picture(attached)).decode()
    record = parse_record(text)
    assert record.headers["ending"] == game.outcome.cause.value
    assert [entry.move for entry in record.entries if entry.move] == [
        format_move(move, game.variant.board) for move in game.moves
    ]
    assert len(record.replay().moves) == len(game.moves)
    return text


async def run(*command: str, **settings: str) -> tuple[int, str]:
    """Runs `python -m` with that command and these settings; returns the exit code and everything printed."""
    return await run_warm(*command, environment=environment(**settings), folder=ROOT)
