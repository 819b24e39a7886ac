"""Chivalry (George Parker, 1887): two players, 176 squares, eight Knights and twelve Men a side."""

from rules.board import EIGHT_WAYS
from rules.endings import all_captured, castle_taken, first_of, no_more_than_one_piece_each, no_move_loses_to_two
from rules.variants._setup import make_variant, white_and_black

CHIVALRY = make_variant(
    "chivalry",
    "Chivalry",
    """
          ..
       ........
      ..........
     ............
    ..............
    ..BBbbbbbbBB..
    ..BBbbbbbbBB..
    ..............
    ..............
    ..WWwwwwwwWW..
    ..WWwwwwwwWW..
    ..............
     ............
      ..........
       ........
          ..
    """,
    directions=EIGHT_WAYS,
    armies=white_and_black("G1 H1", "G16 H16"),
    # The draw comes first, so `all_captured` applies only if the winner has at least two pieces.
    ending=first_of(castle_taken, no_more_than_one_piece_each, all_captured),
    stuck=no_move_loses_to_two,
    castle_moves=2,
    source="World Camelot Federation, official rules of Chivalry",
)
