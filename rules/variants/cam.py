"""Cam (Parker Brothers, 1949): two players, 67 squares, a castle of one square each. Camelot for a lunch break."""

from rules.board import EIGHT_WAYS
from rules.endings import all_captured, castle_taken, first_of, no_move_loses
from rules.variants._setup import make_variant, white_and_black

CAM = make_variant(
    "cam",
    "Cam",
    """
       .
      ...
     .....
    ..B.B..
    .bbbbb.
    .......
    .......
    .......
    .wwwww.
    ..W.W..
     .....
      ...
       .
    """,
    directions=EIGHT_WAYS,
    armies=white_and_black("D1", "D13"),
    ending=first_of(castle_taken, all_captured),
    stuck=no_move_loses,
    source="World Camelot Federation, official rules of Cam",
)
