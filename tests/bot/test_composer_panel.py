"""The composer's panel in words and menus: within Discord's limits in every position, and in every language."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.draft import Draft, MoveWarning, format_path, list_move_choices
from bot.core.settings import Preferences
from bot.features import FEATURES
from bot.play.composer.choices import panel_items
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.panel import PanelContent, panel_alt_text, panel_text, panel_view, question_text
from bot.play.composer.state import COMPOSER, MAX_CELLS_CARRIED, ComposerState
from bot.play.why import MAX_COMPOSER_LINKS, explain_refused_move, reason_text
from bot.texts.i18n import LANGUAGES, text
from rules import VARIANTS, Game, IllegalMove, Position, RulesError, format_move, iter_moves, parse_move
from tests.bot.panels import check_items
from tests.bot.playing import live
from tests.rules.positions import built_positions

locales = st.sampled_from(LANGUAGES)
preferences = st.builds(
    Preferences, board=st.sampled_from(("default", "text")), confirm=st.sampled_from(("risky", "never"))
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
        *(data.draw(locales), ComposerPanel(place, match), place, found, data.draw(preferences)),
        open_pages=pages,
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
    assert taught.words.startswith(reason_text(locale, refused, position))
    assert 1 <= len(taught.links) <= 25
    assert len(taught.words) <= 2000
    assert all(Draft.from_path(position, path).path == path for _, path in taught.links)
    if isinstance(refused, IllegalMove):
        if (
            refused.captures and len(taught.links) < MAX_COMPOSER_LINKS
        ):  # the panel must name pieces that can move instead
            assert {path[0] for _, path in taught.links} == {*Draft.from_path(position).start_cells}
        assert {mark.cell for mark in taught.marks} >= {names.index(name) for name in refused.cells}


@pytest.mark.parametrize("locale", LANGUAGES)
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
    assert refused is not None
    start, end = (f"**{name}**" for name in typed.split("-"))
    sentence = text(locale, f"reason.{reason}", first=start, second=end)
    assert explain_refused_move(locale, position, typed, refused).words.split("\n")[0] == sentence


def refusal_of(position: Position, typed: str) -> RulesError | None:
    """Returns the refusal of the text, if it is refused."""
    try:
        parse_move(position, typed)
    except RulesError as error:
        return error
    return None


@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_peril_has_a_name_in_every_language(locale: Any) -> None:
    assert all(text(locale, f"composer.peril.{peril.value}", colour="White", reply="F7-F9") for peril in MoveWarning)


def test_the_longest_place_fits_into_a_custom_id() -> None:
    place = ComposerState(10**15 - 1, 10**6 - 1, 35, "zz" * MAX_CELLS_CARRIED)
    assert len(COMPOSER.format_id("w" * 8, place)) == 100
    assert len(ComposerPanel.menus.format_id("w" * 5, place._replace(fresh="zz"))) == 99
