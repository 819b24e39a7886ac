"""Moves from menus: every walk ends in a legal move, panels fit Discord's limits, and every refusal says why."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.draft import Draft, MoveWarning, UnfitPathError, format_path, list_move_choices, parse_path, preview_move
from bot.core.match import Match
from bot.core.settings import DEFAULT_USER_SETTINGS, UserSettings
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction
from bot.features import FEATURES
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.panel import (
    FIRST_LOOK,
    Look,
    PanelContent,
    build_panel,
    panel_alt_text,
    panel_items,
    panel_text,
    panel_view,
    question_text,
)
from bot.play.context import COMPOSER, MAX_CELLS_CARRIED, ComposerState
from bot.play.why import MAX_COMPOSER_LINKS, explain_refused_move, marks_text, reason_text
from bot.texts.i18n import LANGUAGES, text
from render import Mark, MarkKind
from render.layout import layout_of
from rules import (
    VARIANTS,
    Game,
    IllegalMove,
    Move,
    Position,
    RulesError,
    Variant,
    find_move_into_castle,
    format_move,
    iter_moves,
    legal_moves,
    parse_move,
    parse_position,
    read_position,
)
from rules.board import LegKind
from rules.landings import MAX_LANDINGS_SEARCHED
from tests.bot.panels import check_items
from tests.bot.playing import existing, live, moved
from tests.rules.positions import built_positions, random_game, variants
from tests.rules.scenes import LETTERS, cells, scene

every_variant = pytest.mark.parametrize("key", VARIANTS)


def outcomes(position: Position) -> set[tuple[int, int, frozenset[int]]]:
    """Returns the outcomes of all legal moves."""
    return {move.outcome for move in legal_moves(position)}


def reached_leg_by_leg(position: Position, most: int = 20_000) -> set[tuple[int, int, frozenset[int]]]:
    """Returns the moves that can be made by choosing pieces and legs. Examines each landing with its captures once."""
    found, seen = set(), set()
    todo = [Draft.from_path(position, [start]) for start in Draft.from_path(position).start_cells]
    while todo:
        draft = todo.pop()
        state = draft.path[0], frozenset(draft.path), draft.path[-1], frozenset(existing(draft.turn).captures)
        if state in seen:
            continue
        seen.add(state)
        assert len(seen) < most
        if draft.is_complete:
            found.add(existing(draft.turn).move.outcome)
        todo += [draft.choose_cell(leg.to) for leg in draft.next_legs]
    return found


@given(built_positions(), st.randoms(use_true_random=False))
def test_any_walk_through_the_menus_ends_in_a_legal_move(position: Position, rng: random.Random) -> None:
    choose: Callable[[Sequence[Any]], Any] = rng.choice
    draft = Draft.from_path(position)
    if position.variant.ending(position) or not draft.start_cells:
        return
    draft = draft.choose_cell(choose(draft.start_cells))
    for _ in range(2 * len(position.variant.board.names)):
        legs = draft.next_legs
        assert legs or draft.is_complete, draft.path
        if draft.is_complete and (not legs or choose((True, False))):
            break
        ends = draft.find_ends()
        assert ends.by_cell or not legs
        if ends.by_cell and choose((True, False, False)):
            draft = draft.follow_move(choose(ends.by_cell[choose(sorted(ends.by_cell))]))
        else:
            draft = draft.choose_cell(choose(legs).to)
    assert draft.is_complete
    text = format_move(existing(draft.turn).move, position.variant.board)
    # The same move, without canters that only returned to an earlier cell.
    assert parse_move(position, text).outcome == existing(draft.turn).move.outcome
    assert Draft.from_path(position, parse_path(format_path(draft.path))).path == draft.path


@given(built_positions(most=8))
def test_every_outcome_can_be_reached_leg_by_leg(position: Position) -> None:
    if not position.variant.ending(position):
        assert reached_leg_by_leg(position) == outcomes(position)


@given(built_positions())
def test_every_outcome_can_be_reached_by_its_destination(position: Position) -> None:
    if position.variant.ending(position):
        return
    found = set()
    for start in Draft.from_path(position).start_cells:
        ends = Draft.from_path(position, [start]).find_ends()
        if not ends.whole:
            return
        for cell, ways in ends.by_cell.items():
            assert len({frozenset(way.captures) for way in ways}) == len(ways), "routes differ in their captures"
            assert (ends.only_way(cell) is not None) == (len(ways) == 1)
            found |= {way.outcome for way in ways}
    assert found == outcomes(position)


@given(variants, st.integers(0, 50))
def test_the_pieces_offered_are_those_that_have_a_legal_move(variant: Variant, seed: int) -> None:
    for game in islice(random_game(variant, seed, 30), 0, None, 7):
        expected = {move.start for move in legal_moves(game.position)}
        if not game.outcome:
            assert set(Draft.from_path(game.position).start_cells) == expected


@every_variant
def test_a_canter_in_a_circle_is_not_offered(key: str) -> None:
    draft = Draft.from_path(scene(key, "a,b,d"), [VARIANTS[key].board.find_cell(LETTERS[key][name]) for name in "ac"])
    assert draft.is_complete
    offered = {leg.to for leg in draft.next_legs if leg.kind is LegKind.CANTER}
    assert VARIANTS[key].board.find_cell(LETTERS[key]["a"]) not in offered
    assert VARIANTS[key].board.find_cell(LETTERS[key]["e"]) in offered


@given(variants, st.integers(0, 50), st.integers(1, 3))
def test_no_destination_is_offered_through_a_cell_the_piece_has_visited(
    variant: Variant, seed: int, landings: int
) -> None:
    for game in islice(random_game(variant, seed, 30), 0, None, 7):
        moves = [] if game.outcome else [move for move in legal_moves(game.position) if len(move.path) >= landings]
        for move in moves:
            draft = Draft.from_path(game.position, move.path[:landings])
            jumps = {leg.to for leg in draft.next_legs if leg.kind is LegKind.JUMP}
            for way in chain.from_iterable(draft.find_ends().by_cell.values()):
                assert way.path[landings] not in {*draft.path} - jumps


@every_variant
def test_a_knight_is_not_led_out_of_reach_of_its_due_capture(key: str) -> None:
    """The Knight on c may canter on to e, from where the only way to the jump over p leads back over c."""
    position = scene(key, "Na,b,d", "p")
    draft = Draft.from_path(position, [VARIANTS[key].board.find_cell(LETTERS[key][name]) for name in "ac"])
    assert not draft.is_complete
    assert [format_move(leg.alone, draft.side.board) for leg in draft.next_legs] == [cells(key, "cxq")]


@pytest.mark.parametrize("path", ["zz", "00zz", "0000"])
def test_a_path_that_no_menu_led_to_is_refused(path: str) -> None:
    with pytest.raises(UnfitPathError):
        Draft.from_path(VARIANTS["camelot"].start_position, parse_path(path))


def test_lists_of_destinations_are_bounded_in_built_positions() -> None:
    crowd = ",".join(f"{file}{rank}" for file in "CEGI" for rank in (5, 7, 9, 11))
    foes = ",".join(f"{file}{rank}" for file in "DFHJ" for rank in (6, 8, 10))
    position = read_position(f"camelot White White:NC4,ND5,{crowd} Black:{foes} castle:0,0")
    for start in Draft.from_path(position).start_cells:
        ends = Draft.from_path(position, [start]).find_ends()
        assert sum(map(len, ends.by_cell.values())) <= MAX_LANDINGS_SEARCHED


def game_at(text: str) -> Game:
    return Game.from_position(parse_position(text))


def move_in(game: Game, text: str) -> Move:
    return parse_move(game.position, text)


@pytest.mark.parametrize(
    ("position", "move", "peril"),
    [
        ("camelot White White:F15,G16,A5 Black:L12,K12,NC4 castle:0,0", "F15-F16", MoveWarning.WINS),
        ("camelot White White:F6 Black:F7,L12 castle:0,0", "F6xF8", MoveWarning.ENDS),
        ("camelot White White:A5,A6,A7 Black:F2,L12 castle:0,0", "A5-B5", MoveWarning.CASTLE_OPEN),
        ("camelot White White:A5,A6,A7 Black:F1,L12 castle:0,0", "A5-B5", None),
        ("camelot White White:A5,A6,A7 Black:D5,L12 castle:0,0", "A5-B5", None),
    ],
)
def test_what_a_move_would_lead_to_is_told(position: str, move: str, peril: MoveWarning | None) -> None:
    game = game_at(position)
    found = preview_move(game, move_in(game, move))
    assert found.warning == peril
    assert (found.reply is not None) == (peril is MoveWarning.CASTLE_OPEN)
    if peril is MoveWarning.CASTLE_OPEN:
        assert preview_move(game, move_in(game, move), castles=False).warning is None


@given(variants, st.integers(0, 50))
def test_an_open_castle_is_reported_exactly_when_the_next_player_can_enter(variant: Variant, seed: int) -> None:
    for game in islice(random_game(variant, seed, 60), 0, None, 9):
        goal = game.variant.armies[game.position.turn].goal
        moves = () if game.outcome else legal_moves(game.position)
        can = [move for move in moves if move.end in goal and move.start not in goal]
        found = find_move_into_castle(game.position)
        assert game.outcome or (found is None) == (not can)
        assert found is None or found.outcome in {move.outcome for move in can}


def test_a_steward_is_offered_its_only_move() -> None:
    offered = 0
    for seed in range(40):
        rng, game = random.Random(seed), Game.start(VARIANTS["tri-camelot"])
        for ply in range(60):
            if game.outcome:
                break
            if ply == 12:
                game = game.resign(game.position.turn, steward=True)
                continue
            if game.position.steward_to_move:
                (only,) = legal_moves(game.position)
                draft = Draft.from_path(game.position)
                assert draft.start_cells == [only.start]
                assert [*draft.choose_cell(only.start).find_ends().by_cell] == [only.end]
                with pytest.raises(UnfitPathError):
                    draft.choose_cell(next(cell for cell in draft.side.iter_starts() if cell != only.start))
                offered += 1
            game = game.apply(rng.choice(legal_moves(game.position)))
    assert offered


# The panel in words and menus


locales = st.sampled_from(LANGUAGES)
settings = st.builds(
    UserSettings, board=st.sampled_from(("default", "text")), confirm=st.sampled_from(("risky", "never"))
)


def panel_at(game: Game, draft: Draft, data: st.DataObject) -> PanelContent:
    """Returns the panel for that draft, in some language and with some settings."""
    match = replace(live(game.variant.key), game=game)
    found = list_move_choices(game, draft.path)
    ends = sorted(cell for cell in found.ends.by_cell if not found.ends.only_way(cell))
    end = data.draw(st.sampled_from(ends)) if ends else None
    pages = {name: data.draw(st.integers(0, 3)) for name in ("leg", "end", "way")}
    place = ComposerState(999_999_999_999_999, 999_999, end, format_path(draft.path[:MAX_CELLS_CARRIED]))
    return PanelContent(
        *(data.draw(locales), ComposerPanel(place, match), place, found, data.draw(settings)),
        look=Look(pages=pages),
        features=FEATURES,
    )


@given(built_positions(), st.data())
def test_a_panel_keeps_to_discords_limits_wherever_the_move_is(position: Position, data: st.DataObject) -> None:
    game = Game.from_position(position)
    if game.outcome or game.position != position:
        return
    draft = Draft.from_path(position)
    for _ in range(6):
        panel = panel_at(game, draft, data)
        assert 0 < len(panel_text(panel)) <= 2000
        assert panel_alt_text(panel)
        assert panel_view(panel).position == position
        check_items(panel_items(panel).to_components())
        if draft.is_complete:
            assert question_text(panel)
        choices = draft.start_cells if draft.turn is None else [leg.to for leg in draft.next_legs]
        if not choices:
            break
        draft = draft.choose_cell(data.draw(st.sampled_from(choices)))


def opening_panel(
    settings: UserSettings = DEFAULT_USER_SETTINGS, look: Look = FIRST_LOOK, match: Match | None = None
) -> PanelContent:
    """Returns the panel with which a game begins, by default of Camelot."""
    match, place = match or live("camelot"), ComposerState(1, 1)
    choices = list_move_choices(match.started_game, look.path)
    return PanelContent("en", ComposerPanel(place, match), place, choices, settings, look)


@pytest.mark.parametrize(
    ("key", "moves", "told"),
    [
        ("camelot", "F7-F8 F10-F9 F8xF10xF12 G11xE13", "Black jumped G11xE13 and took F12."),
        (
            "tri-camelot",
            "F7-G8 C14-A12 J11-J9 D5-F7-H9 B11-B9 J13-H11xH7xF9",
            "Red moved B11-B9.\nGreen charged J13-H11xH7xF9 and took H9 and G8 from Blue.",
        ),
    ],
)
def test_by_ear_the_last_moves_come_first_and_nothing_twice(key: str, moves: str, told: str) -> None:
    # The bugs: no step told the opponents' moves; pieces to choose from and castles were told twice.
    match = moved(live(key), *moves.split())
    start, reads = next(iter(iter_moves(match.started_game.position))).path[0], UserSettings(board="text")
    said = panel_text(opening_panel(reads, match=match))
    assert said.split("\n", 1)[1].startswith(f"{told}\n**Which piece?** 1. ")
    assert said.lower().count("attack") == len(match.variant.seats)
    assert f"\n{match.variant.armies[match.turn].colour}, " not in said
    later = panel_text(opening_panel(reads, Look([start]), match))
    assert said.count("```") == later.count("```") == 2
    assert "attack" not in later
    panel = opening_panel(match=match)
    assert panel_view(panel).last_move == match.started_game.moves[-1]
    alt = panel_alt_text(panel)
    assert told.split("\n")[-1] in alt
    assert (panel_text(panel) + alt).count("ttack") == len(match.variant.seats) + (len(match.variant.seats) > 2)


def test_a_text_board_comes_after_the_list_of_choices() -> None:
    # The bug: the words called the pieces numbered, but no text board had numbers.
    said, grid = panel_text(opening_panel(UserSettings(board="text"))).split("```")[:2]
    assert "**Which piece?** 1. Knight D7; 2. Man E7; 3. Man F7; " in said
    ranks = [line.split() for line in grid.splitlines()]
    assert ["7", *"···123456···"] in ranks
    assert ["6", *"··", *map(str, range(7, 15)), *"··"] in ranks
    said_aloud = panel_items(opening_panel(UserSettings(board="text"))).to_components()[0]["components"][0]["label"]
    assert said_aloud == "1. Knight D7"  # the bug: "1 · D7 ♞"
    said = panel_text(opening_panel(UserSettings(board="text"), Look([VARIANTS["camelot"].board.find_cell("F7")])))
    assert "; 6. D5 · canter over E6 (can stop there or continue); " in said
    assert "**Or go straight to a destination** " in said


def test_a_move_in_the_making_has_its_piece_where_it_stands() -> None:
    # The bug: it was told at its start.
    look = Look([VARIANTS["camelot"].board.find_cell(name) for name in ("E6", "E8")])
    by_ear = panel_text(opening_panel(UserSettings(board="text"), look))
    for said in (by_ear, panel_alt_text(opening_panel(look=look))):
        assert "White, 14 pieces: Knights C6, J6, D7, I7; Men D6, F6, G6, H6, I6, E7, F7, G7, H7, E8." in said
    assert "\n 8  · · · · w · · · · · · ·\n" in by_ear


def test_the_alt_text_names_every_marked_cell() -> None:
    # The bug: it said nothing of the cells that a refusal marks.
    marks = (Mark(0, MarkKind.WRONG), Mark(5, MarkKind.HINT))
    said = panel_alt_text(opening_panel(look=Look(marks=marks)))
    assert said.startswith("The board with F1 and F2 marked. Camelot, ")


def test_with_a_capture_due_a_knight_charging_to_it_is_a_door() -> None:
    game = Game.start(VARIANTS["tri-camelot"])
    for move in ("F7-F9", "D13-D11", "H13-G12", "E4-E8-G10xG14", "D11-E12"):
        game = game.play(move)
    refused = refusal_of(game.position, "J11-J9")
    assert isinstance(refused, IllegalMove)
    taught = explain_refused_move("en", game.position, "J11-J9", refused)
    assert [label for label, _ in taught.links] == ["H15xF13", "Move I14"]
    ways = {format_move(move, game.variant.board)[:3] for move in iter_moves(game.position)}
    assert ways == {"H15", "I14"}


@given(built_positions(), locales, st.data())
def test_every_refusal_says_why_and_leads_on(position: Position, locale: Any, data: st.DataObject) -> None:
    game = Game.from_position(position)
    if game.outcome or game.position != position:
        return
    names = position.variant.board.names
    typed = "-".join(data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=4)))
    refused = refusal_of(position, typed)
    if refused is None:
        return
    taught = explain_refused_move(locale, position, typed, refused)
    assert taught.words.startswith(reason_text(locale, refused, position, typed))
    assert 1 <= len(taught.links) <= 25
    assert len(taught.words) <= 2000
    assert all(Draft.from_path(position, path).path == path for _, path in taught.links)
    if isinstance(refused, IllegalMove):
        if (
            refused.captures and len(taught.links) < MAX_COMPOSER_LINKS
        ):  # the panel must name pieces that can move instead
            assert {path[0] for _, path in taught.links} == {*Draft.from_path(position).start_cells}
        assert {mark.cell for mark in taught.marks} >= {names.index(name) for name in refused.cells}
    assert all(names[mark.cell] in marks_text(locale, position, taught.marks) for mark in taught.marks)


@pytest.mark.parametrize(
    ("key", "typed", "reason"),
    [
        ("tri-camelot", "D5-F5", "not-straight-hexagons"),
        ("camelot", "E6-F8", "not-straight"),
        ("cam-3d", "1B3-1C5", "not-straight"),
    ],
)
def test_only_on_hexagons_a_refusal_speaks_of_going_sideways(locale: Any, key: str, typed: str, reason: str) -> None:
    position = Game.start(VARIANTS[key]).position
    refused = refusal_of(position, typed)
    start, end = (f"**{name}**" for name in typed.split("-"))
    why = text(locale, f"reason.{reason}", first=start, second=end)
    sentence = text(locale, "why.refused", move=f"`{typed}`", reason=why)
    assert explain_refused_move(locale, position, typed, existing(refused)).words.split("\n")[0] == sentence


def refusal_of(position: Position, typed: str) -> RulesError | None:
    """Returns the refusal of the text, if it is refused."""
    try:
        parse_move(position, typed)
    except RulesError as error:
        return error
    return None


def test_every_peril_has_a_name_in_every_language(locale: Any) -> None:
    values = {"colour": "White", "castle": "F16", "owner": "Black", "reply": "F7-F9"}
    assert all(text(locale, f"composer.peril.{peril.value}", **values) for peril in MoveWarning)


def test_the_longest_place_fits_into_a_custom_id() -> None:
    place = ComposerState(10**15 - 1, 10**6 - 1, 35, "zz" * MAX_CELLS_CARRIED)
    assert len(COMPOSER.format_id("w" * 8, place)) == 100
    assert len(ComposerPanel.menus.format_id("w" * 5, place._replace(fresh="zz"))) == 99


async def test_a_path_too_long_for_the_buttons_is_to_be_typed() -> None:
    match = live("camelot")
    board = ComposerPanel(ComposerState(match.id, match.board_version), match)
    with pytest.raises(Declined) as declined:  # before anything is asked of the interaction
        await build_panel(cast("Interaction", None), board, Look(range(MAX_CELLS_CARRIED + 1)))
    assert text("en", declined.value.key).endswith("Type it with `/move` instead.")
    short = COMPOSER.format_id("commit", board.cursor._replace(path="0a0b"))
    assert COMPOSER.parse_id(short)
    assert COMPOSER.parse_id(short.replace("0a0b", "~0123abcd")) is None  # of an earlier version: stored elsewhere


@pytest.mark.parametrize("key", VARIANTS)
def test_choices_are_numbered_as_their_reader_sees_the_board(key: str) -> None:
    start, vectors = VARIANTS[key].start_position, VARIANTS[key].board.vectors
    for turned in ("always", "never"):
        for seat in start.variant.seats:
            match = replace(live(key), game=Game.from_position(replace(start, turn=seat)))
            view = panel_view(opening_panel(UserSettings(turned=turned), match=match))
            areas = layout_of(start.variant, seat if turned == "always" else 0).areas
            places = [
                (vectors[cell][2:], round(areas[cell].centre.y), areas[cell].centre.x) for cell, _ in view.numbers
            ]
            assert places == sorted(places)
            assert [number for _, number in view.numbers] == [*range(1, len(places) + 1)]
