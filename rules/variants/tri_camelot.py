"""Tri-Camelot: three players, 73 hexagons, a castle of one hexagon each."""

from rules.board import SIX_WAYS
from rules.endings import all_captured, castle_taken, first_of, last_player, no_move_passes
from rules.variants._setup import make_variant

TRI_CAMELOT = make_variant(
    "tri-camelot",
    "Tri-Camelot",
    """
      . . . .
     . r . g .
    . R . . G .
     . r . g .
    . R . . G .
     R r . g G
    . r . . g .
     r . . . g
      . . . .
     . . . . .
      . . . .
       . b .
      . b b .
       b B b
        B B
       . . .
        . .
         .
    """,
    directions=SIX_WAYS,
    armies=(
        # colour, own castle, goal: the left neighbour's, barred: the right neighbour's
        ("Blue", "F1", "A16", "K16"),
        ("Red", "A16", "K16", "F1"),
        ("Green", "K16", "F1", "A16"),
    ),
    ending=first_of(castle_taken, all_captured, last_player),
    stuck=no_move_passes,
    source="World Camelot Federation, official rules of Tri-Camelot",
)
