"""Explore: trees, private to their owner and limited in size, and openings."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.draft import list_move_choices
from bot.core.house_seats import free_house_players
from bot.core.match import Match, Phase, Substitute
from bot.core.problems import MatchError, Problem
from bot.core.settings import Sharing, UserSettings
from bot.explore import service as trees
from bot.explore.openings import (
    OPENING_LENGTH,
    WHOLE_POINT,
    count_opening,
    find_moves,
    follow_move_numbers,
    format_move_number,
    index_position,
    opening_rows,
)
from bot.explore.panel import ExplorePanel, ExploreState, ExploreToolsPanel
from bot.explore.tree import (
    MAX_NOTE_LENGTH,
    MAX_TREE_POSITIONS,
    MAX_TREES,
    TREE_RETENTION_S,
    Node,
    Tree,
    game_at,
    reach_node,
    tree_outline,
)
from bot.features import FEATURES
from bot.play.composer.panel import Look, PanelContent, panel_alt_text, panel_items, panel_text
from bot.play.context import Done
from bot.play.service import Service, people, upkeep
from bot.privacy.service import export_person, footprint_of, forget_person
from bot.store import Job
from bot.texts.i18n import Language
from render import run_steps
from rules import VARIANTS, Game, format_move, format_position, iter_moves, legal_moves, parse_position
from rules.symmetry import symmetries
from tests.bot import acts
from tests.bot.beginning import begun, set_up
from tests.bot.databases import change
from tests.bot.panels import check_items
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, PEOPLE, by, existing, refused, started

CAMELOT = format_position(VARIANTS["camelot"].start_position)


async def test_a_root_of_moves_taken_back_goes_with_its_last_note(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await service.current_match(await a_match(service), GUILD)
    gone = match.started_game.position.after_move(next(iter_moves(match.started_game.position)))
    tree = await trees.open_tree(service, by(ADA), match.id, "")
    tree = await trees.set_note(service, by(ADA), tree, root(1, format_position(gone)), "hm")
    board = board_at(tree, match, "n1")
    tree = await trees.set_note(service, by(ADA), tree, board.current_node, "")
    assert not tree.nodes
    boards = list[ExplorePanel]()

    async def reopen(_: object, place: ExploreState) -> ExplorePanel:
        return board_at(tree, match, place.at)

    async def show(_: object, shown: ExplorePanel) -> None:
        boards.append(shown)

    monkeypatch.setattr(ExplorePanel, "from_state", staticmethod(reopen))
    monkeypatch.setattr("bot.explore.panel.update_panel", show)
    interaction: Any = None
    await board.go_to(interaction, tree, "n1")
    assert boards[0].game.position == match.started_game.position


def root(ply: int = 0, place: str = CAMELOT) -> Node:
    """Returns a root that is not stored."""
    return Node(0, None, ply, place)


def board_at(tree: Tree, match: Match | None, at: str, kind: type[ExplorePanel] = ExplorePanel) -> ExplorePanel:
    """Returns the board at that position of the tree."""
    return run_steps(kind.in_tree(tree, match, at))


async def a_match(service: Service) -> int:
    """A game between Ada and Bo that has just begun."""
    return (await set_up(service, started())).id


async def grown(service: Service, user: int, match_id: int | None, *moves: str, start: str = "") -> Tree:
    """Returns that user's tree with a line of these moves from the start."""
    tree = await trees.open_tree(service, by(user), match_id, start)
    below = root(0, start or CAMELOT)
    for move in moves:
        tree, below = await trees.add_move(service, by(user), tree, below, move)
    return tree


async def test_comments_on_positions_count_as_well_but_not_the_note(service: Service) -> None:
    tree = await trees.open_tree(service, by(ADA), await a_match(service), "")
    for ply in range(1, MAX_TREE_POSITIONS + 1):
        tree = await trees.set_note(service, by(ADA), tree, root(ply), "x" * MAX_NOTE_LENGTH)
    assert tree.position_count == MAX_TREE_POSITIONS
    full = (
        trees.set_note(service, by(ADA), tree, root(MAX_TREE_POSITIONS + 1), "one more"),
        trees.add_move(service, by(ADA), tree, root(), "F7-F8"),
    )
    for asked in full:
        with refused(Problem.TREE_FULL, most=MAX_TREE_POSITIONS):
            await asked
    tree = await trees.set_note(service, by(ADA), tree, root(), "y" * MAX_NOTE_LENGTH)
    assert tree.position_count == MAX_TREE_POSITIONS
    assert await trees.load_game_note(service.reader, ADA, tree.match or 0) == "y" * MAX_NOTE_LENGTH
    await trees.set_note(service, by(ADA), tree, root(1), "another one")
    tree = await trees.set_note(service, by(ADA), tree, root(1), "")
    assert tree.position_count == MAX_TREE_POSITIONS - 1
    await trees.add_move(service, by(ADA), tree, root(), "F7-F8")


async def test_a_person_has_few_trees_that_are_only_opened(service: Service) -> None:
    kept = await grown(service, ADA, None, "F7-F8", start=CAMELOT)
    for number in range(3 * MAX_TREES):
        last = await trees.open_tree(service, by(ADA), None, f"position {number}")
    (rows,) = await service.reader.read_column("SELECT count(*) FROM trees WHERE user = ?", (ADA,))
    assert rows == MAX_TREES + 1
    for tree in (kept, last):
        assert await trees.tree_of_key(service.reader, ADA, str(tree.id))


async def test_a_tree_is_its_owners_and_nobody_elses(service: Service) -> None:
    match_id = await a_match(service)
    tree = await grown(service, ADA, match_id, "F7-F8", "F10-F9")
    assert [node.move for node in tree.line_to(3)] == [CAMELOT, "F7-F8", "F10-F9"]
    assert await trees.open_tree(service, by(ADA), match_id, "") == tree
    assert (await trees.open_tree(service, by(BO), match_id, "")).nodes == {}
    for asked in (
        trees.tree_of_key(service.reader, BO, str(tree.id)),
        trees.add_move(service, by(BO), tree, tree.nodes[2], "E10-E9"),
        trees.set_note(service, by(BO), tree, tree.nodes[2], "hm"),
        trees.delete_node(service, by(BO), tree, 2),
    ):
        with refused(Problem.NO_SUCH_TREE):
            await asked
    assert await trees.tree_of_key(service.reader, ADA, str(tree.id)) == tree


async def test_a_tried_line_is_not_stored_twice_and_goes_with_its_parent(service: Service) -> None:
    tree = await grown(service, ADA, None, "F7-F8", "F10-F9", start=CAMELOT)
    again = await grown(service, ADA, None, "F7-F8", "E10-E9", start=CAMELOT)
    assert again.id == tree.id
    assert again.position_count == 3
    tree = await trees.set_note(service, by(ADA), again, again.nodes[4], "`then`\nwhat?")
    said = tree_outline("en", tree, None)
    assert said == (
        "at the start:\n   1. F7-F8 F10-F9\n      1. ... E10-E9\n         1. ... E10-E9\n"
        "            'then'\n            what?"
    )
    tree = await trees.delete_node(service, by(ADA), tree, 2)
    assert tree.nodes == {}
    tree, node = await trees.add_move(service, by(ADA), tree, root(), "G7-G8")
    assert node.number == 6  # no number is reused: an old button keeps its meaning


async def test_a_tree_holds_two_hundred_positions_and_opens_at_once(service: Service) -> None:
    match_id = await a_match(service)
    game, tree = Game.start(VARIANTS["camelot"]), await trees.open_tree(service, by(ADA), match_id, "")
    below = root()
    while tree.position_count < MAX_TREE_POSITIONS:
        moves = [format_move(move, game.variant.board) for move in list(iter_moves(game.position))[:3]]
        for move in reversed(moves[: MAX_TREE_POSITIONS - tree.position_count]):
            tree, node = await trees.add_move(service, by(ADA), tree, below, move)
        below, game = node, game.play(moves[0])
        assert game.outcome is None
    with refused(Problem.TREE_FULL, most=MAX_TREE_POSITIONS):
        await trees.add_move(service, by(ADA), tree, root(), "G7-G8")
    match = await service.current_match(match_id, GUILD)
    began = process_time()
    board = board_at(await trees.tree_of_key(service.reader, ADA, str(tree.id)), match, f"n{below.number}")
    assert process_time() - began < 0.5  # some 10 ms
    assert board.game.position == game.position
    lines = tree_outline("en", tree, None).splitlines()
    assert len(lines) > 50
    assert max(map(len, lines)) <= 36  # more does not fit on a phone


async def test_of_the_twenty_sixth_game_nothing_is_kept_until_another_goes(service: Service) -> None:
    pieces = CAMELOT.removesuffix(" castle:0,0")
    starts = [f"{pieces} castle:{n // 3 % 3},{n % 3}" for n in range(9)]
    starts += [start.replace(cell, other) for start in starts for cell, other in ((",F6", ",A5"), (",F6", ",B5"))]
    kept = [await grown(service, ADA, None, "F7-F8", start=one) for one in starts[:MAX_TREES]]
    match_id = await a_match(service)
    with refused(Problem.TOO_MANY_TREES, most=MAX_TREES):
        await grown(service, ADA, match_id, "F7-F8")
    await trees.set_game_note(service, by(ADA), await service.current_match(match_id, GUILD), "Notes have room.")
    tree = await trees.find_tree(service.reader, ADA, match_id)
    assert tree
    assert len(await trees.other_trees(service.reader, tree.user, tree.id, GUILD)) == MAX_TREES
    await grown(service, BO, match_id, "F7-F8")
    await trees.delete_node(service, by(ADA), kept[3], 1)
    assert (await grown(service, ADA, match_id, "F7-F8")).position_count == 1


async def test_what_else_is_explored_is_offered_where_it_can_be_opened(service: Service) -> None:
    position = await grown(service, ADA, None, "F7-F8", start=CAMELOT)
    game = await grown(service, ADA, await a_match(service), "F7-F8")
    other = await trees.open_tree(service, by(ADA), await a_match(service), "")
    assert {one.id for one in await trees.other_trees(service.reader, ADA, other.id, GUILD)} == {position.id, game.id}
    assert {one.id for one in await trees.other_trees(service.reader, ADA, other.id, GUILD + 1)} == {position.id}


async def test_words_without_a_line_stand_at_a_position_and_vanish_without_trace(service: Service) -> None:
    tree = await trees.open_tree(service, by(ADA), await a_match(service), "")
    assert (await trees.set_note(service, by(ADA), tree, root(), "")).nodes == {}
    tree = await trees.set_note(service, by(ADA), tree, root(), "Hm.")
    (noted,) = tree.nodes.values()
    assert (noted.move, noted.note) == (CAMELOT, "Hm.")
    assert (await trees.set_note(service, by(ADA), tree, noted, "")).nodes == {}


async def test_lines_are_read_after_the_moves_before_them_are_taken_back(service: Service) -> None:
    match_id = await a_match(service)
    await acts.move(service, match_id, GUILD, ADA, "F7-F8", NOW + 2)
    match = await service.current_match(match_id, GUILD)
    place = format_position(match.started_game.position)
    tree = await trees.open_tree(service, by(BO), match_id, "")
    tree, node = await trees.add_move(service, by(BO), tree, root(1, place), "D10-D9")
    there = reach_node(tree, match, node.number)
    assert (there.ply, there.is_detached, there.games[-2].moves) == (2, False, match.started_game.moves)
    other = await a_match(service)
    await acts.move(service, other, GUILD, ADA, "G7-G8", NOW + 2)
    astray = reach_node(tree, await service.current_match(other, GUILD), node.number)
    assert astray.is_detached
    assert astray.game.position == there.game.position


async def test_a_tree_goes_on_from_where_the_game_has_come_to(service: Service) -> None:
    match_id = await a_match(service)
    tree = await grown(service, ADA, match_id, "F7-F8", "F10-F9", "G7-G8")
    for user, move in ((ADA, "F7-F8"), (BO, "F10-F9")):
        await acts.move(service, match_id, GUILD, user, move, NOW + 2)
    match = await service.current_match(match_id, GUILD)
    board = board_at(tree, match, "p2")
    assert board.next_positions == [("n4", "G7-G8")]  # the bug: an empty list, as if no move had been tried from there
    assert board_at(tree, match, "n3").cursor == board.cursor
    assert (board.before, board.line_ahead, board.title("en").count("F10-F9")) == ("p1", (), 0)
    tree, node = await trees.add_move(service, by(ADA), tree, board.current_node, "H7-H8")
    assert [one.number for one in tree.line_to(node.number)] == [1, 2, 3, node.number]
    ahead = board_at(tree, match, f"n{node.number}")
    assert ahead.line_ahead == ("H7-H8",)
    assert board_at(tree, match, str(ahead.before)).cursor == board.cursor


async def test_a_board_names_only_what_can_be_done_there(service: Service) -> None:
    match_id = await a_match(service)
    match, offered = await service.current_match(match_id, GUILD), dict[tuple[int, int], bool]()
    for user in (ADA, BO):
        tree = await grown(service, user, match_id, "F7-F8", "D10-D9", "G7-G8")
        for node in range(2, 5):
            board = board_at(tree, match, f"n{node}")
            offered[user, node] = ":plan:" in repr(panel_items(shown(board)).to_components())
    # The bug: everywhere, although nothing can be planned without a reply and an answer to it.
    assert [key for key, plan in offered.items() if plan] == [(ADA, 4), (BO, 3), (BO, 4)]
    assert "`1. F7-F8 D10-D9 2. G7-G8`" in board.title("en")  # the bug: 1, 2, 3
    assert "**Delete**" not in board_at(tree, match, "p0", ExploreToolsPanel).title("en")


async def test_forward_leads_along_the_game_and_then_to_what_was_tried(service: Service) -> None:
    match_id = await a_match(service)
    tree = await grown(service, ADA, match_id, "G7-G8")
    tree = await grown(service, ADA, match_id, "F7-F8")
    for user, move in ((ADA, "F7-F8"), (BO, "F10-F9")):
        await acts.move(service, match_id, GUILD, user, move, NOW + 2)
    board = board_at(tree, await service.current_match(match_id, GUILD), "p0")
    assert board.next_positions == [
        ("p1", "F7-F8"),
        ("n2", "G7-G8"),
    ]  # the bug: the game's move last, and an additional destination


async def test_who_takes_a_seat_over_finds_nothing_of_who_sat_there(service: Service) -> None:
    match_id = await a_match(service)
    await grown(service, ADA, match_id, "F7-F8")
    await trees.set_game_note(service, by(ADA), await service.current_match(match_id, GUILD), "Watch the castle!")
    await acts.replace_player(service, match_id, GUILD, DEE, ADA, CY, "away", NOW + 9)
    assert CY in (await service.current_match(match_id, GUILD)).players
    assert await trees.find_tree(service.reader, CY, match_id) is None
    assert await trees.load_game_note(service.reader, CY, match_id) == ""
    assert (await trees.open_tree(service, by(CY), match_id, "")).nodes == {}


async def test_who_has_resigned_does_not_end_what_can_be_tried(service: Service) -> None:
    match_id = await a_match(service)
    await acts.move(service, match_id, GUILD, ADA, "F7-F8", NOW + 2)
    await acts.resign(service, match_id, GUILD, BO, NOW + 3)
    match = await service.current_match(match_id, GUILD)
    assert match.started_game.outcome
    game = game_at(match, 1)
    assert game.outcome is None
    assert game.play("D10-D9").position.turn == 0
    assert game_at(match, 0).position == parse_position(CAMELOT)


async def test_everything_is_exported_and_goes_with_its_owner(service: Service) -> None:
    match_id = await a_match(service)
    await grown(service, ADA, match_id, "F7-F8")
    await grown(service, BO, match_id, "G7-G8")
    await trees.set_game_note(service, by(ADA), await service.current_match(match_id, GUILD), "Watch the castle!")
    await trees.open_tree(service, by(ADA), await a_match(service), "")  # an empty tree
    (told,) = (await export_person(service, ADA))["explored"]
    assert told["positions"][0]["note"] == "Watch the castle!"
    assert [one["move"] for one in told["positions"]] == [CAMELOT, "F7-F8"]
    assert "G7-G8" not in repr(await export_person(service, CY))
    assert (await footprint_of(service, ADA))["trees"] == 1
    await forget_person(service, ADA, NOW + 5)
    assert await trees.find_tree(service.reader, ADA, match_id) is None
    assert await trees.find_tree(service.reader, BO, match_id)
    assert await service.reader.read_column("SELECT count(*) FROM tree_nodes") == [2]


@pytest.mark.parametrize("over", [False, True])
async def test_a_tree_goes_one_year_after_its_game_ends_not_before(service: Service, over: bool) -> None:
    match_id = await a_match(service)
    await grown(service, ADA, match_id, "F7-F8")
    await grown(service, ADA, None, "F7-F8", start=CAMELOT)
    if over:
        await acts.resign(service, match_id, GUILD, BO, NOW + 100)
    for at, left in (
        (NOW + TREE_RETENTION_S - 1, 2),
        (NOW + TREE_RETENTION_S, 1),
        (NOW + TREE_RETENTION_S + 100, 0 if over else 1),
    ):
        await trees.drop_old_trees(service, at)
        assert await service.reader.read_column("SELECT count(*) FROM trees") == [left], at


def test_a_line_continues_with_its_longest_continuation() -> None:
    parents = {1: None, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 6, 8: 7, 9: 4, 10: 9}
    nodes = {number: Node(number, parent, None, "") for number, parent in parents.items()}
    tree = Tree(1, ADA, None, CAMELOT, nodes=nodes)
    lines = [(depth, [node.number for node in line]) for depth, line in tree.lines_below(1)]
    assert lines == [(0, [2, 3, 6, 7, 8]), (1, [4, 9, 10]), (1, [5])]


def test_a_tree_without_anything_in_it_says_so() -> None:
    tree = Tree(1, ADA, None, CAMELOT)
    assert tree_outline("en", tree, None) == ""
    with pytest.raises(KeyError):
        tree.line_to(1)
    with pytest.raises(MatchError):
        board_at(tree, None, "n7")


def test_the_list_of_lines_has_the_whole_of_a_long_comment() -> None:
    said = "x" * MAX_NOTE_LENGTH
    assert said in tree_outline("en", Tree(1, ADA, None, CAMELOT, {1: Node(1, None, 0, CAMELOT, said)}), None)


async def test_the_picture_of_a_position_is_told_in_words_with_every_piece(service: Service, locale: Language) -> None:
    tree = await grown(service, ADA, None, "F7-F8", start=CAMELOT)
    board = board_at(tree, None, "n2")
    said = board.board_words(locale)  # the bug: the move alone
    assert all(name in said for name in board.game.position.names(board.game.position.pieces))
    assert len(said) <= 1024


def shown(board: ExplorePanel, locale: Language = "en", form: str = "picture") -> PanelContent:
    """Returns the panel of that board, with all features."""
    return PanelContent(
        *(locale, board, board.cursor, list_move_choices(board.game, (), castles=False)),
        UserSettings(board=form),
        Look(remark="r" * 500),
        features=FEATURES,
    )


@pytest.mark.parametrize("board", ["picture", "text"])
def test_the_board_keeps_to_discords_limits_however_much_has_been_written(locale: Language, board: str) -> None:
    start = format_position(VARIANTS["cam-3d"].start_position)
    nodes, game = {1: Node(1, None, 0, start, "\n" * MAX_NOTE_LENGTH)}, Game.start(VARIANTS["cam-3d"])
    for number in range(2, 14):
        if game.outcome:
            break
        move = format_move(max(iter_moves(game.position), key=lambda move: len(move.path)), game.variant.board)
        game = game.play(move)
        nodes[number] = Node(number, number - 1, None, move, "*\n" * (MAX_NOTE_LENGTH // 2))
    last = max(nodes)
    nodes |= {number: nodes[3]._replace(number=number, note="`" * MAX_NOTE_LENGTH) for number in range(14, 201)}
    tree = Tree(10**15 - 1, ADA, None, start, nodes)
    places = ("p0", "n2", f"n{last}")
    for kind, at in product((ExplorePanel, ExploreToolsPanel), places):
        panel = shown(board_at(tree, None, at, kind), locale, board)
        assert len(panel_text(panel)) <= 2000
        assert len(panel_alt_text(panel)) > 20
        check_items(panel_items(panel).to_components())


# Openings


START = index_position(VARIANTS["camelot"].start_position)


async def move(service: Service, match: Match, rng: random.Random, count: int = 1) -> Match:
    for _ in range(count):
        if match.to_move is None:
            break
        chosen = rng.choice(legal_moves(match.started_game.position))
        match = await acts.play_move(service, match.id, GUILD, match.to_move, chosen, match.board_version, NOW + 1)
    return match


async def end(service: Service, match: Match, now: int = NOW + 3) -> Match:
    """Lets the players resign until the game is over."""
    while match.phase is Phase.LIVE:
        loser = match.still_in[-1]
        match = await acts.resign(service, match.id, GUILD, loser, now)
    return match


async def annul(service: Service, match: Match) -> Match:
    return await acts.annul(service, match.id, GUILD, ADA, "a wager", NOW + 4)


async def at_start(service: Service, *, every: bool = False) -> list[trees.PlayedMove]:
    return await trees.played_moves(service.reader, GUILD, START.number, 8, every=every)


async def stored(service: Service) -> set[tuple[object, ...]]:
    return {tuple(row) for row in await service.reader.run_sql("SELECT * FROM opening_games")}


@pytest.mark.parametrize("key", VARIANTS)
def test_mirrored_positions_share_their_number_and_the_names_of_moves(key: str) -> None:
    position, rng = VARIANTS[key].start_position, random.Random(7)
    for _ in range(4):
        indexed = index_position(position)
        names = Counter(map(indexed.name_move, legal_moves(position)))
        for symmetry in symmetries(VARIANTS[key]):
            turned = symmetry.turn_position(position)
            other = index_position(turned)
            assert other.number == indexed.number
            assert Counter(map(other.name_move, legal_moves(turned))) == names
        position = position.after_move(rng.choice(legal_moves(position)[:9]))


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_steps_lead_back_along_a_game(key: str) -> None:
    game, rng, steps = Game.start(VARIANTS[key]), random.Random(3), ""
    while not game.outcome and len(game.moves) < OPENING_LENGTH:
        indexed, move = index_position(game.position), rng.choice(legal_moves(game.position))
        found = run_steps(find_moves(game.position, indexed, {indexed.name_move(move)}))
        [(_, place)] = found.values()
        steps, game = f"{steps}{format_move_number(place)}", game.apply(legal_moves(game.position)[place])
    *_, reached = run_steps(follow_move_numbers(Game.start(VARIANTS[key]), steps))
    assert reached.position == game.position
    with pytest.raises(KeyError):
        run_steps(follow_move_numbers(Game.start(VARIANTS[key]), "ZZ"))


async def test_a_finished_game_counts_at_once_with_its_result(service: Service) -> None:
    match = await move(service, await begun(service), random.Random(1), 4)
    assert not await stored(service)
    await end(service, match)
    for every in (False, True):
        [first] = await at_start(service, every=every)
        assert (first.games, first.points) == (1, (WHOLE_POINT, 0, 0))
        latest = await trees.latest_games(service.reader, GUILD, START.number, 0, every=every)
        assert latest == ({match.id: first.name}, 1)


async def test_a_move_made_again_in_the_same_position_counts_once(service: Service) -> None:
    match = await begun(service)
    for _ in range(2):
        for start, to in (("C6", "C5"), ("J11", "J12"), ("C5", "C6"), ("J12", "J11")):
            cells = [match.variant.board.find_cell(name) for name in (start, to)]
            [chosen] = [one for one in legal_moves(match.started_game.position) if list(one.path) == cells]
            match = await acts.play_move(
                service, match.id, GUILD, existing(match.to_move), chosen, match.board_version, NOW + 1
            )
    await end(service, match)
    [first] = await at_start(service)
    assert first.games == 1
    assert len(await stored(service)) == 4


async def test_games_with_house_players_count_among_all_games_only(service: Service) -> None:
    match = await end(service, await move(service, await begun(service), random.Random(1), 2))
    substitute = Substitute(match.players[0], 0, free_house_players("easy", 1)[0], 0)
    with_house = replace(match, roster=replace(match.roster, substitutes=(substitute,)))
    assert {row[4] for row in opening_rows(match)} == {1}
    assert {row[4] for row in opening_rows(with_house)} == {0}
    await change(service.store, "UPDATE opening_games SET people = 0")
    assert await at_start(service) == []
    assert len(await at_start(service, every=True)) == 1


async def test_three_players_have_three_numbers_in_turn_order(service: Service) -> None:
    match = await end(service, await move(service, await begun(service, "tri-camelot"), random.Random(1), 5))
    assert [match.players[seat] for seat in match.outcome.winners] == [ADA] if match.outcome else False
    assert [row[5:] for row in opening_rows(match)[:3]] == [(6, 0, 0), (0, 0, 6), (0, 6, 0)]


async def test_whose_games_may_not_be_used_hides_them_at_once(service: Service) -> None:
    await end(service, await move(service, await begun(service), random.Random(2), 3))
    for sharing in (Sharing.RESULTS, Sharing.GAMES):
        await people.change_user_settings(service, by(BO), lambda one, way=sharing: replace(one, sharing=way))
        assert bool(await at_start(service)) is (sharing is Sharing.GAMES)
    await forget_person(service, BO, NOW + 5)
    assert await at_start(service, every=True) == []


async def test_the_rows_are_those_of_the_games_whatever_happened(service: Service) -> None:
    rng = random.Random(11)
    matches = [await begun(service, rng.choice(["camelot", "tri-camelot"])) for _ in range(8)]
    for number in range(60):
        place = rng.randrange(len(matches))
        match = matches[place]
        act = rng.choice(["move", "move", "end", "reopen", "annul"])
        if act == "move" and match.phase is Phase.LIVE:
            match = await move(service, match, rng, rng.randrange(1, 9))
        elif act == "end" and match.ply and match.phase is Phase.LIVE:
            match = await end(service, match, NOW + 10 + number)
        elif act == "reopen" and match.phase is Phase.OVER and not match.annulled and match.variant.key == "camelot":
            match = await acts.rewind(service, match.id, GUILD, PEOPLE[2], match.ply, "a slip", NOW + 99)
        elif act == "annul" and match.phase is Phase.OVER and not match.annulled and rng.random() < 0.3:
            match = await annul(service, match)
        matches[place] = match
    counted = [match for match in matches if match.phase is Phase.OVER and match.has_result]
    assert counted
    assert await stored(service) == {row for match in counted for row in opening_rows(match)}


async def test_games_that_an_earlier_version_left_are_counted(service: Service) -> None:
    match = await end(service, await move(service, await begun(service), random.Random(2), 3))
    annulled = await annul(service, await end(service, await move(service, await begun(service), random.Random(2), 3)))
    await change(service.store, "DELETE FROM opening_games")
    for number in (match.id, annulled.id):
        context: Any = SimpleNamespace(service=service)
        assert await count_opening(context, Job("opening", str(number), GUILD, number)) == Done()
    assert await stored(service) == {*opening_rows(match)}


async def test_deleted_matches_count_no_longer(service: Service) -> None:
    await end(service, await move(service, await begun(service), random.Random(2), 3))
    await upkeep.note_removed(service, GUILD, NOW)
    assert await upkeep.delete_abandoned(service, NOW + 10**7) == [GUILD]
    assert not await stored(service)
