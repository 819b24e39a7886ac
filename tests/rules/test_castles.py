"""Own castles, opposing castles, castle moves and the barred castle; and the bugs that other programs had with them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from rules import VARIANTS, Cause, Game, Position, Reason, Side, has_legal_move, legal_moves, parse_move, read_position
from tests.rules.scenes import accepted, drawn, listed, refusal


class Home(NamedTuple):
    """Cells at the first army's own castle: two straight lines that end in it, one of which continues beyond it."""

    text: str
    castle: str
    near: str
    far: str
    second: str
    out: str
    elsewhere: str
    """A plain move of a piece far away."""
    jump: str
    """A jump of that piece, if an enemy stands on `over`."""
    over: str


HOMES = [
    Home(text, *cells.split())
    for text, cells in (
        ("tri-camelot Blue Blue:{own},G10 Red:{foes}B15 Green:J15", "F1 F3 F5 E2 D3 G10-G12 G10xG14 G12"),
        ("cam-3d White White:{own},3A6 Black:{foes}1A6,1B7", "1C1 1C2 1C3 1D2 1E3 3A6-3A5 3A6x3A4 3A5"),
        ("camelot White White:{own},A5 Black:{foes}L12,K13", "F1 G2 H3 E2 D3 A5-A6 A5xC5 B5"),
        ("chivalry White White:{own},A6 Black:{foes}N11,M12", "G1 H2 I3 F2 E3 A6-A7 A6xC6 B6"),
        ("cam White White:{own},A5 Black:{foes}G9,F10", "D1 E2 F3 C2 B3 A5-A6 A5xC5 B5"),
        ("camette White White:{own},A5 Black:{foes}E5", "C1 D2 E3 B2 A3 A5-A4 A5xC5 B5"),
    )
]
every_home = pytest.mark.parametrize("home", HOMES, ids=lambda home: home.text.split()[0])


def test_every_variant_has_its_home_here() -> None:
    assert [home.text.split()[0] for home in HOMES] == list(VARIANTS)


def at(home: Home, own: str, foes: str = "") -> Position:
    """The position with those pieces, in the cells of that home."""
    fill = home._asdict()
    return read_position(home.text.format(own=own.format(**fill), foes=foes.format(**fill) + "," if foes else ""))


# The own castle


@every_home
def test_nobody_moves_or_canters_into_their_own_castle(home: Home) -> None:
    assert refusal(at(home, "{near}"), f"{home.near}-{home.castle}").reason is Reason.OWN_CASTLE
    assert refusal(at(home, "{far},{near}"), f"{home.far}-{home.castle}").reason is Reason.OWN_CASTLE


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("camelot White White:F1,A5 Black:L12,K13", "F1-G1"),  # to the other cell
        ("chivalry White White:G1,A6 Black:N11,M12", "G1-H1"),
    ],
)
def test_to_stay_in_the_own_castle_is_not_to_leave_it(text: str, step: str) -> None:
    assert refusal(read_position(text), step).reason is Reason.OWN_CASTLE


@every_home
def test_not_even_in_the_cantering_portion_of_a_charge(home: Home) -> None:
    position = at(home, "N{far},{near}", "{second}")
    text = f"{home.far}-{home.castle}x{home.out}"
    # In Tri-Camelot the man beside the castle could jump, which is the first thing to say.
    assert refusal(position, text).reason in (Reason.OWN_CASTLE, Reason.MUST_CAPTURE)


@every_home
def test_an_enemy_beside_it_may_be_jumped_into_the_own_castle(home: Home) -> None:
    position = at(home, "{far}", "{near}")
    assert accepted(position, f"{home.far}x{home.castle}") == f"{home.far}x{home.castle}"
    assert Side(position).capture_due, "such a jump creates the duty to capture"


@every_home
def test_the_jumping_must_go_on_out_of_the_own_castle(home: Home) -> None:
    position = at(home, "{far}", "{near},{second}")
    assert refusal(position, f"{home.far}x{home.castle}").reason is Reason.MUST_GO_ON
    assert listed(position) == {f"{home.far}x{home.castle}x{home.out}"}


@every_home
def test_a_piece_in_the_own_castle_must_leave_before_anything_else(home: Home) -> None:
    position = at(home, "{castle}")
    refused = refusal(position, home.elsewhere)
    assert (refused.reason, refused.cells) == (Reason.MUST_LEAVE_CASTLE, (home.castle,))
    assert {move.start for move in legal_moves(position)} == {position.variant.board.find_cell(home.castle)}


@every_home
def test_leaving_outranks_a_jump_of_another_piece(home: Home) -> None:
    # The bug: AbstractPlay let a jump elsewhere go first.
    position = at(home, "{castle}", "{over}")
    assert refusal(position, home.jump).reason is Reason.MUST_LEAVE_CASTLE
    assert not any(move.captures for move in legal_moves(position))


@every_home
def test_it_must_jump_out_if_it_can(home: Home) -> None:
    position = at(home, "{castle}", "{second}")
    assert refusal(position, f"{home.castle}-{home.near}").reason is Reason.MUST_JUMP_OUT
    assert refusal(position, home.elsewhere).reason is Reason.MUST_JUMP_OUT
    assert listed(position) == {f"{home.castle}x{home.out}"}


@pytest.mark.parametrize(
    ("text", "charge"),
    [
        ("camelot White White:NF1,G2,A5 Black:E2,I4,K13 castle:0,0", "F1-H3xJ5"),
        ("chivalry White White:NG1,H2,A6 Black:F2,J4,M12 castle:0,0", "G1-I3xK5"),
        ("cam-3d White White:N1C1,1C2,3A6 Black:1D2,1C4,1A6", "1C1-1C3x1C5"),
        ("tri-camelot Blue Blue:NF1,F3,A14 Red:E2,F7,B15 Green:J15", "F1-F5xF9"),
    ],
)
def test_or_a_knight_may_leave_by_a_charge_instead(text: str, charge: str) -> None:
    position = read_position(text)
    assert accepted(position, charge) == charge
    assert all(move.captures for move in legal_moves(position))
    assert refusal(position, charge.split("x")[0]).reason is Reason.MUST_JUMP_OUT


@every_home
def test_where_it_cannot_jump_it_leaves_by_plain_move_or_canter(home: Home) -> None:
    position = at(home, "{castle},{near}")
    assert accepted(position, f"{home.castle}-{home.far}")
    assert accepted(position, f"{home.castle}-{home.second}")


def test_a_player_who_cannot_leave_the_castle_has_no_legal_move() -> None:
    beside = "1B2,1C2,1D2,2C1,2B2,2C2,2D2"
    behind = "1A3,1C3,1E3,2A3,2C3,2E3,3A3,3C3,3E3,3C1"
    position = read_position(f"cam-3d White White:1C1,3A6 Black:{beside},{behind}")
    assert not has_legal_move(position)
    assert Game.from_position(position).outcome == (Cause.STALEMATE, (1,))


# The opponent's castle


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("camelot White White:D14,E15,F15,A5 Black:L12,K13", "D14-F16"),
        ("chivalry White White:E14,F15,G15,A6 Black:N11,M12", "E14-G16"),
    ],
)
def test_a_canter_stops_in_the_opponents_castle(text: str, move: str) -> None:
    position = read_position(text)
    assert accepted(position, move) == move
    on = {"D14-F16": "D14-F16-F14", "E14-G16": "E14-G16-G14"}[move]
    assert refusal(position, on).reason is Reason.CANNOT_LEAVE_GOAL


@pytest.mark.parametrize(
    ("text", "move", "on"),
    [
        ("camelot White White:H14,A5 Black:G15,E15,L12", "H14xF16", "xD14"),
        ("chivalry White White:I14,A6 Black:H15,F15,N11", "I14xG16", "xE14"),
        ("cam-3d White White:3C6,3A3 Black:3C7,3B7,1A6", "3C6x3C8", "x3A6"),
        ("tri-camelot Blue Blue:C14,G2 Red:B15,A14 Green:J15", "C14xA16", "xA12"),
    ],
)
def test_a_jump_stops_in_the_opponents_castle_with_leaps_open(text: str, move: str, on: str) -> None:
    # The bug: BrainKing lets the jumping go on out of it.
    position = read_position(text)
    assert accepted(position, move) == move
    assert refusal(position, move + on).reason is Reason.CANNOT_LEAVE_GOAL


GOALS = [("camelot", "F16", "E15", "D14", "G16"), ("chivalry", "G16", "F15", "E14", "H16")]
every_goal = pytest.mark.parametrize(("key", "goal", "over", "out", "other"), GOALS)


def in_goal(key: str, goal: str, foes: str, used: int = 0, own: str = "") -> Position:
    filler = {"camelot": ("A5", "L12"), "chivalry": ("A6", "N11")}[key]
    return read_position(
        f"{key} White White:N{goal},{filler[0]}{own} Black:{foes}{',' if foes else ''}{filler[1]},K13 castle:{used},0"
    )


@every_goal
def test_it_neither_jumps_nor_charges_nor_creates_a_duty(key: str, goal: str, over: str, out: str, other: str) -> None:
    # The bug: BrainKing offers a charge to a Knight in that castle.
    position = in_goal(key, goal, over)
    assert not Side(position).capture_due
    assert refusal(position, f"{goal}x{out}").reason is Reason.CANNOT_LEAVE_GOAL
    assert refusal(in_goal(key, goal, ""), f"{goal}-{over}").reason is Reason.CANNOT_LEAVE_GOAL
    assert all(
        move.start != position.variant.board.find_cell(goal) or not move.captures for move in legal_moves(position)
    )


@every_goal
def test_it_may_move_from_one_castle_cell_to_the_other(key: str, goal: str, over: str, out: str, other: str) -> None:
    position = in_goal(key, goal, "")
    after = position.after_move(parse_move(position, f"{goal}-{other}"))
    assert after.castle_moves == (1, 0)


@every_goal
def test_a_player_is_limited_to_two_castle_moves(key: str, goal: str, over: str, out: str, other: str) -> None:
    # The bug: Camelot Crown counted entries and applied no limit.
    assert accepted(in_goal(key, goal, "", used=1), f"{goal}-{other}")
    assert refusal(in_goal(key, goal, "", used=2), f"{goal}-{other}").reason is Reason.CASTLE_MOVES_USED


@every_goal
def test_entering_the_castle_is_no_castle_move(key: str, goal: str, over: str, out: str, other: str) -> None:
    filler = {"camelot": ("A5", "L12"), "chivalry": ("A6", "N11")}[key]
    position = read_position(f"{key} White White:{over},{filler[0]} Black:{filler[1]},K13")
    assert position.after_move(parse_move(position, f"{over}-{goal}")).castle_moves == (0, 0)


@every_goal
def test_no_castle_move_in_place_of_a_due_capture(key: str, goal: str, over: str, out: str, other: str) -> None:
    position = in_goal(key, goal, "E8", own=",E7")
    assert refusal(position, f"{goal}-{other}").reason is Reason.MUST_CAPTURE


@every_goal
def test_no_castle_move_while_a_piece_must_leave_the_own_castle(
    key: str, goal: str, over: str, out: str, other: str
) -> None:
    position = in_goal(key, goal, "", own=",F1" if key == "camelot" else ",G1")
    assert refusal(position, f"{goal}-{other}").reason is Reason.MUST_LEAVE_CASTLE


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("camelot White White:F15,G16,E7 Black:E8,L12", "F15-F16"),
        ("chivalry White White:G15,H16,E7 Black:E8,N11", "G15-G16"),
        ("cam-3d White White:3C7,2C2 Black:2C3,1A6", "3C7-3C8"),
        ("tri-camelot Blue Blue:A14,F5 Red:F7,B17 Green:J15", "A14-A16"),
    ],
)
def test_the_duty_to_capture_comes_before_winning(text: str, step: str) -> None:
    assert refusal(read_position(text), step).reason is Reason.MUST_CAPTURE


# The castle on the right, in Tri-Camelot


@pytest.mark.parametrize(
    ("side", "castle", "near", "far"),
    [("Blue", "K16", "J15", "I14"), ("Red", "F1", "F3", "F5"), ("Green", "A16", "B15", "C14")],
)
def test_the_castle_on_the_right_is_never_entered(side: str, castle: str, near: str, far: str) -> None:
    def position(own: str, foe: str = "") -> Position:
        others = [colour for colour in ("Blue", "Red", "Green") if colour != side]
        cells = {side: own, others[0]: "E8" + foe, others[1]: "G8"}
        return read_position(f"tri-camelot {side} " + " ".join(f"{c}:{cells[c]}" for c in ("Blue", "Red", "Green")))

    assert refusal(position(near), f"{near}-{castle}").reason is Reason.BARRED_CASTLE
    assert refusal(position(f"{far},{near}"), f"{far}-{castle}").reason is Reason.BARRED_CASTLE
    assert refusal(position(far, f",{near}"), f"{far}x{castle}").reason is Reason.BARRED_CASTLE
    assert not Side(position(far, f",{near}")).capture_due, "a jump that could only land there does not exist"


# More bugs that others made


def test_a_bare_canter_answers_no_due_capture_though_a_charge_is_open() -> None:
    # BrainKing.
    position = drawn(
        "camelot",
        "White",
        """
        9  b . . .
        8  . . . .
        7  w . . .
        6  W . . b
        5  . . . w
           E F G H
        """,
        elsewhere="White:A5 Black:L12",
    )
    assert refusal(position, "E6-E8").reason is Reason.MUST_CAPTURE
    assert listed(position) == {"H5xH7", "E6-E8xE10"}


def test_a_charge_goes_on_after_its_first_capture() -> None:
    # AbstractPlay cut charges off there.
    position = drawn(
        "camelot",
        "White",
        """
        12  . . .
        11  . b .
        10  . . .
         9  b . .
         8  . . .
         7  w . .
         6  W . .
            E F G
        """,
        elsewhere="White:A5 Black:L12",
    )
    assert "E6-E8xE10xG12" in listed(position)
    assert refusal(position, "E6-E8xE10").reason is Reason.MUST_GO_ON


def test_a_piece_with_only_jumps_can_move() -> None:
    # AbstractPlay counted it as unable to move.
    beside = "1B2,1C2,1D2,2C1,2B2,2C2,2D2"
    behind = "1A3,1E3,2A3,2C3,2E3,3A3,3C3,3E3,3C1"
    position = read_position(f"cam-3d White White:1C1 Black:{beside},{behind}")
    assert has_legal_move(position)
    assert listed(position) == {"1C1x1C3"}
