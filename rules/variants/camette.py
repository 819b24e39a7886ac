"""Camette (Nolan, 2002): two players, 23 squares, one Knight and three Men a side. The smallest of the family."""

from rules.board import EIGHT_WAYS
from rules.endings import all_captured, castle_taken, first_of, no_move_loses
from rules.variants._setup import make_variant, white_and_black

CAMETTE = make_variant(
    "camette",
    "Camette",
    """
      .
     .B.
    .bbb.
    .....
    .www.
     .W.
      .
    """,
    directions=EIGHT_WAYS,
    armies=white_and_black("C1", "C7"),
    ending=first_of(castle_taken, all_captured),
    stuck=no_move_loses,
    source="World Camelot Federation, official rules of Camette",
)
