"""Cam 3-D: two players, three levels of 28 squares, a castle of one square each. Level 1 is the top."""

from rules.board import TWENTY_SIX_WAYS
from rules.endings import all_captured, castle_taken, first_of, no_move_loses
from rules.variants._setup import make_variant, white_and_black

CAM_3D = make_variant(
    "cam-3d",
    "Cam 3-D",
    """
      .
     ...
    .....
    .....
    .....
    .www.
     WWW
      .
    """,
    """
      .
     bbb
    .bbb.
    .....
    .....
    .www.
     www
      .
    """,
    """
      .
     BBB
    .bbb.
    .....
    .....
    .....
     ...
      .
    """,
    directions=TWENTY_SIX_WAYS,
    armies=white_and_black("1C1", "3C8"),
    ending=first_of(castle_taken, all_captured),
    stuck=no_move_loses,
    source="World Camelot Federation, official rules of Cam 3-D",
)
