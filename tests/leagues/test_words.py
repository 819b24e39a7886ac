"""The words and pictures of leagues: whatever their size, they fit where Discord shows them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.match import MatchSummary, MessageRef, Phase, Place
from bot.discordkit.errors import Declined
from bot.discordkit.reply import MAX_LAYOUT_TEXT, MAX_MESSAGE_LENGTH
from bot.leagues import words
from bot.leagues.files import draw_tables, view_crosstable
from bot.leagues.groups import (
    Group,
    LeagueGame,
    LeagueSeat,
    Movement,
    SeatState,
    make_groups,
    make_schedule,
    split_groups,
)
from bot.leagues.league import MAX_PEOPLE, QUESTIONS, LeagueState, LeagueTerms, SignUp, new_league, score_game
from bot.leagues.panels import PanelState, chosen_role, league_panel, terms_panel
from bot.texts.i18n import Language, join_list, plural_text, text
from render import THEMES, run_steps
from rules import VARIANTS
from tests.bot.panels import check_names
from tests.repository import modules

CAMETTE, TRI = LeagueTerms("camette"), LeagueTerms("tri-camelot")
SMALL = CAMETTE._replace(least=3, most=4)
P = 10**18
"""The first of the people."""


def test_the_panels_have_room_for_their_controls_in_every_state(locale: Language) -> None:
    terms = [CAMETTE._replace(**one) for answers in QUESTIONS.values() for one in answers.values()]
    for one in terms:
        check_names(terms_panel(locale, P, PanelState(one, "0a")))
    panels = []
    role = SimpleNamespace(id=P, name="*" * 100, is_default=lambda: True, mentionable=True)
    server: Any = SimpleNamespace(me=SimpleNamespace(guild_permissions=SimpleNamespace(manage_roles=False)))
    flags = False, True
    for state, closing, is_due, channel, held in product(LeagueState, flags, flags, (0, P), (None, role)):
        league = replace(new_league(10**6, 1, channel, TRI, 0 if is_due else P), state=state, closing=closing)
        server.get_role = {league.role or 0: held}.get
        panels.append(league_panel(locale, server, league, "0a"))
        may_begin = state is LeagueState.SIGN_UP and channel != 0 and not is_due
        assert any(":start:" in getattr(item, "custom_id", "") for item in panels[-1][1].children) == may_begin
    assert all(len(content) <= MAX_MESSAGE_LENGTH and view.children for content, view in panels)


def test_a_league_with_a_name_says_which_game_is_played(locale: Language) -> None:
    league = replace(new_league(1, 1, 1, CAMETTE, 0), name="Winter cup")
    keys = ("open", "manage", "start", "season")
    said = [words.text_about(locale, league, f"league.{key}", season=1, players="") for key in keys]
    for one in (league, league.begin_season(0)):
        said += [words.joined_text(locale, one, SignUp(P, reserve=reserve), 0) for reserve in (False, True)]
    assert all("Winter cup (Camette)" in shown for shown in said)
    assert all(len(shown.splitlines()) == 1 for shown in said)
    assert "(Camette)" not in words.text_about(locale, replace(league, name=""), "league.manage")


SAID_ELSEWHERE = {"variant", "sign_up_days"}
"""Terms that the name of the league and the date of its start tell."""


@pytest.mark.parametrize("term", sorted({*LeagueTerms._fields} - SAID_ELSEWHERE))
def test_each_term_changes_what_is_said_of_the_terms(locale: Language, term: str) -> None:
    answers = [one for answers in QUESTIONS.values() for one in answers.values()]
    values = {getattr(CAMETTE, term), *(one[term] for one in answers if term in one)}
    assert len(values) > 1, "managers cannot choose it"
    said = {words.terms_text(locale, CAMETTE._replace(**{term: value})) for value in values}  # type: ignore[arg-type]
    assert len(said) == len(values)


@pytest.mark.parametrize("term", LeagueTerms._fields)
def test_something_obeys_each_term(term: str) -> None:
    obeying = [tree for path, tree in modules("bot/leagues") if not path.endswith(("words.py", "panels.py"))]
    nodes = [node for tree in obeying for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    read = {node.attr for node in nodes if ast.unparse(node.value).endswith("terms")}
    derived = {key: one.fget for key, one in vars(LeagueTerms).items() if isinstance(one, property)}
    assert {term, *(key for key, made in derived.items() if made and term in made.__code__.co_names)} & read


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_rules_are_shown_whole(locale: Language, variant: str) -> None:
    league = new_league(10**6, 1, 1, LeagueTerms(variant, double=True), 0)
    title = text(locale, "league.rules-title", league=words.league_name(locale, league))
    assert len(title) + sum(map(len, words.rules_lines(locale, league))) < MAX_LAYOUT_TEXT


@pytest.mark.parametrize("size", [3, 10])
def test_the_end_of_the_largest_season_names_as_many_groups_as_fit(locale: Language, size: int) -> None:
    league = new_league(1, 1, 1, CAMETTE, 0)
    places = product(range(MAX_PEOPLE // size), range(size))
    seats = [LeagueSeat(group, number, P + number, place=number + 1, movement=Movement.UP) for group, number in places]
    content = words.end_text(locale, league, 1, make_groups(seats, [], CAMETTE))
    assert len(content) <= MAX_MESSAGE_LENGTH
    assert "`/league table`" in content.splitlines()[-1]


@pytest.mark.parametrize("thread", [True, False])
def test_the_list_of_a_large_season_has_every_game_once(thread: bool) -> None:
    seats = [LeagueSeat(division, entrant, P + entrant) for division in range(6) for entrant in range(10)]
    planned = [game for division in range(6) for game in make_schedule(10, CAMETTE, division)]
    games = [replace(one, match=P + 100 * one.division + one.number if one.round < 8 else None) for one in planned]
    matches, turn = [game.match for game in games if game.match], MessageRef(1, P)
    places = {match: SimpleNamespace(thread=match if thread else None) for match in matches}
    begun: Any = {match: SimpleNamespace(place=places[match], id=match, turn=turn, guild=1) for match in matches}
    pages = words.season_games_pages("en", new_league(1, 1, 1, CAMETTE, 0), make_groups(seats, games, CAMETTE), begun)
    assert all(len(page) <= MAX_MESSAGE_LENGTH for page in pages)
    listed = [page.count(f"<#{match}>" if thread else f"[#{match}]") for match in begun for page in pages]
    assert sum(listed) == len(begun) == listed.count(1)
    assert "\n".join(pages).count(plural_text("en", "league.games-later", 5)) == 6


def three_of_four(*out: int) -> Group:
    """A group of four for three, in which the game of the first three is over and so many people were taken out."""
    seats = [LeagueSeat(0, number, P + number, SeatState.OUT if number in out else SeatState.IN) for number in range(4)]
    games = [
        replace(game, match=10 + game.number, points=None if 3 in game.entrants else (4, 4, 4))
        for game in make_schedule(4, TRI)
    ]
    (group,) = make_groups(seats, games, TRI)
    return group


@pytest.mark.parametrize("state", [SeatState.OUT, SeatState.LEFT])
def test_who_has_left_is_struck_out_and_said_to_have_left(locale: Language, state: SeatState) -> None:
    seats = [LeagueSeat(0, number, P + number, state if number == 1 else SeatState.IN) for number in range(3)]
    (group,) = make_groups(seats, make_schedule(3, CAMETTE), CAMETTE)
    view, left = view_crosstable(locale, group, {P + n: str(n) for n in range(3)}, THEMES["default"]), "abc"
    assert [line.name for line in view.lines if line.has_left] == ["1"]
    said = text(locale, "league-row.left") if state is SeatState.LEFT else text(locale, "league-row.out", player=left)
    assert sum(said in line for line in words.row_lines(locale, group, {P: "", P + 1: left, P + 2: ""})) == 1
    note, league = text(locale, "league.struck"), new_league(1, 1, 1, CAMETTE, 0)
    assert note in words.table_text(locale, league, 1, [group])
    assert note not in words.table_text(locale, league, 1, groups_of(3))


@pytest.mark.parametrize("state", SeatState)
def test_a_result_says_what_it_brings_in_the_league(state: SeatState) -> None:
    game, *others = make_schedule(3, CAMETTE)
    won, league = replace(game, points=(12, 0)), new_league(3, 1, 1, CAMETTE, 0)
    (group,) = make_groups([LeagueSeat(0, number, P + number, state) for number in range(3)], [won, *others], CAMETTE)
    ada, bo = group.users_of(won)
    said = f"Points in League 3, group A: <@{ada}> 1 (+1, place 1 of 3) · <@{bo}> 0 (+0, place 2 of 3)."
    assert words.gains_text("en", league, group, won) == ("" if state is SeatState.OUT else said)
    assert words.gains_text("en", league, group, others[0]) == ""


def test_finished_games_are_those_that_count() -> None:
    assert "finished games 1/4" in words.progress_text("en", three_of_four())
    assert "finished games 1/1" in words.progress_text("en", three_of_four(3))
    assert "finished games 0/1" in words.progress_text("en", three_of_four(0)), "the game that was over counts no more"


def test_a_table_says_what_a_credit_is_and_who_attacks_whom(locale: Language) -> None:
    seats = [LeagueSeat(0, entrant, P + entrant) for entrant in range(5)]
    (group,) = make_groups(seats, make_schedule(5, TRI), TRI)
    league = new_league(1, 1, 1, TRI, 0)
    credit = text(locale, "league.credit", points="⅓", players=join_list(locale, [f"<@{P + 3}>", f"<@{P + 4}>"]))
    assert credit in words.table_text(locale, league, 1, [group])
    assert credit in words.standings_text(locale, group)
    assert text(locale, "league.attacks") in words.table_text(locale, league, 1, [group])
    assert {row.rank for row in group.standings} == {None}, "nobody leads by a credit before the first move"


def test_a_table_says_how_ties_were_broken() -> None:
    results = {(0, 1): 0, (2, 0): 0, (0, 3): 0, (1, 2): 0, (1, 3): 0, (2, 3): 1}  # the seat that won
    seats = [LeagueSeat(0, entrant, P + entrant) for entrant in range(4)]
    games = [
        LeagueGame(0, n, 0, pair, None, score_game(CAMETTE, [won])) for n, (pair, won) in enumerate(results.items())
    ]
    (group,) = make_groups(seats, games, CAMETTE)
    notes = "Equal points: A before B by direct encounter; D before C by direct encounter"
    league = new_league(1, 1, 1, CAMETTE, 0)
    for shown in (
        words.table_text("en", league, 1, [group]),
        words.standings_text("en", group),
        words.end_text("en", league, 1, [group]),
    ):
        for entrant, name in enumerate("ABCD"):
            shown = shown.replace(f"<@{P + entrant}>", name)
        assert notes in shown
        assert text("en", "league.attacks") not in shown


def summary_of(number: int, to_move: int, runs_out_at: int) -> MatchSummary:
    """Returns a match of Tri-Camelot in a list."""
    place, players = Place(5, 6), (P, P + 1, P + 2)
    how = to_move, 9, 0, MessageRef(6, 7), runs_out_at
    return MatchSummary(number, place, VARIANTS["tri-camelot"], Phase.LIVE, players, (), *how)


def test_a_week_names_who_ran_out_of_time_with_a_link() -> None:
    group, league = three_of_four(), new_league(1, 1, 1, TRI, 0)
    late = {number: summary_of(number, P + 1, 100 if number < 12 else 300) for number in range(10, 14)}
    shown = words.week_text("en", league, [group], late, 200)
    over = next(game.match for game in group.games if game.points)
    expected = [
        f"[#{number}](https://discord.com/channels/5/6/7) · <@{P + 1}>" for number in (10, 11) if number != over
    ]
    assert [line for line in shown.splitlines() if "·" in line and "#" in line] == expected


MOST_ATTACHMENTS = 10


def groups_of(count: int) -> tuple[Group, ...]:
    """Returns the groups of that many people, numbered from 1, which have drawn the games of the first round."""
    seats, games, user = list[LeagueSeat](), list[LeagueGame](), 0
    for division, size in enumerate(split_groups(count, SMALL)):
        for entrant in range(size):
            user += 1
            seats.append(LeagueSeat(division, entrant, 10**18 + user))
        for game in make_schedule(size, SMALL, division):
            games.append(replace(game, match=100 + len(games), points=None if game.round else (6, 6)))
    return make_groups(seats, games, SMALL)


class Context:
    """What drawing needs of the bot."""

    def __init__(self) -> None:
        self.names = SimpleNamespace(find_names=self._find_names)
        self.pictures = SimpleNamespace(thread=SimpleNamespace(run_steps=self._run_steps))

    async def _find_names(self, guild: int, users: Iterable[int]) -> dict[int, str]:
        return {user: f"Player{user - 10**18}." for user in users}

    async def _run_steps(self, steps: Any) -> object:
        return run_steps(steps)


@pytest.mark.parametrize("count", [3, 40, 44, MAX_PEOPLE])
async def test_every_group_is_shown_in_at_most_ten_pictures(count: int) -> None:
    context: Any = Context()
    files = [make_file() for make_file in await draw_tables(context, "en", 1, groups_of(count))]
    assert len(files) <= MOST_ATTACHMENTS
    described = " ".join(file.description or "" for file in files)
    assert all(f"Player{user}." in described for user in range(1, count + 1))
    assert all(f"Group {chr(ord('A') + group.division)}" in described for group in groups_of(count))


def test_a_list_of_games_names_everybody_once_and_says_your_turn() -> None:
    (group,) = groups_of(3)
    game = group.games[-1]
    (first, second), third = group.users_of(game), P + 99

    def lines(reader: int, to_move: int) -> str:
        summaries = {game.match or 0: summary_of(game.match or 0, to_move, 100)}
        return words.league_game_line("en", group, game, summaries, reader).partition("7) · ")[2]

    assert lines(first, second) == f"<@{first}> – <@{second}> (to move)"
    assert lines(first, first) == f"<@{first}> (your turn) – <@{second}>"
    assert lines(first, third) == f"<@{first}> – <@{second}> · <@{third}> (to move)", "a substitute"


def test_a_list_of_games_is_whole_and_a_post_leads_there() -> None:
    league, groups = new_league(1, 1, 1, SMALL, 0).begin_season(0), groups_of(MAX_PEOPLE)
    ada = groups[7].users_by_entrant[0]
    own, *others = words.games_by_group("en", groups, ada, {})
    assert own.splitlines()[0] == "**Group H** · your group"
    assert [f"<@{ada}>" in line for line in own.splitlines()[1:]] == [True] * 3 + [False] * 3, "own games first"
    titles = [one.splitlines()[0] for one in others]
    assert titles == [f"**{words.group_name('en', group.division)}**" for group in groups if group is not groups[7]]
    assert sum(one.count(" – ") for one in (own, *others)) == sum(len(group.games) for group in groups)
    shown = words.warning_text("en", league, groups, {})
    assert len(shown) <= MAX_MESSAGE_LENGTH
    assert shown.endswith(text("en", "league.more"))


def test_the_post_of_the_largest_league_names_every_group(locale: Language) -> None:
    league = new_league(1, 1, 1, SMALL, 0).begin_season(0)
    shown = words.table_text(locale, league, 1, groups_of(MAX_PEOPLE))
    assert len(shown) <= MAX_MESSAGE_LENGTH
    assert all(words.group_name(locale, division) in shown for division in range(15))
    unplayed = [LeagueSeat(division, entrant, P + entrant) for division in range(3) for entrant in range(4)]
    games = [game for division in range(3) for game in make_schedule(4, SMALL, division)]
    begun = words.table_text(locale, league, 1, make_groups(unplayed, games, SMALL))
    assert len(begun.splitlines()) == 3
    assert f"**{text(locale, 'league.groups', letters='A–C')}**" in begun
    assert "0/18" in begun


def test_a_role_unknown_to_the_bot_is_not_taken_for_none() -> None:
    server = SimpleNamespace(get_role=lambda _: None)
    for given in ([], ["7"]):
        press: Any = SimpleNamespace(data={"values": given}, guild=server)
        with pytest.raises(Declined) if given else nullcontext():
            assert chosen_role(press) is None
