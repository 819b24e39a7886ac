"""The annotated game in Discord: one message with a board on each page. Anybody who sees it can turn the pages."""

from __future__ import annotations

from typing import NamedTuple

from discord import ButtonStyle

from bot.core.match import Match
from bot.core.preferences import Preferences
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Button, CountField, Family, IdField, given_number, make_view
from bot.discordkit.errors import Declined
from bot.discordkit.reply import (
    Interaction,
    acknowledge_press,
    make_attachment,
    may_manage_server,
    reader_language,
    send_answer,
    update_message,
)
from bot.play.app import Caller, app_of, draw_picture, public_language, run_heavy, run_heavy_in_steps
from bot.play.composer.choices import make_option
from bot.play.record import record_name
from bot.play.visible_games import find_visible_match
from bot.texts import records
from bot.texts.i18n import Language, text
from bot.texts.mentions import mention_user
from bot.thoughts.annotated import AnnotatedGame
from bot.thoughts.html_page import make_page
from bot.thoughts.service import Thoughts, require_may_take_out
from bot.thoughts.words import page_alt_text, page_of_next_words, page_text, page_view, record_comments

MAX_AUTHORS_LISTED = 25
"""The most people in the menu. After their words are out, it offers the others."""
TURNING_BUTTONS = 3
"""The most turning points with a button. A review has no more than that."""


class PageState(NamedTuple):
    """The page to which a button leads."""

    match: IdField
    page: CountField = 0
    """The number of moves on the board."""


PAGER = Family("rt-annotated", PageState)


def page_buttons(locale: Language, game: AnnotatedGame, page: int) -> list[Button]:
    """Returns the buttons below a page."""
    match, last = game.match.id, len(game.moves)

    def button(name: str, to: int, row: int, style: ButtonStyle = ButtonStyle.secondary, **values: object) -> Button:
        label = text(locale, f"button.annotated-{name}", **values)
        return PAGER.make_button(
            name if name != "turning" else f"turning-{values['number']}", _to(to), label, style, row
        )

    def _to(page: int) -> PageState:
        return PageState(match, page)

    words = page_of_next_words(game, page)
    steps = [button("back", max(page - 1, 0), 0), button("on", min(page + 1, last), 0, ButtonStyle.primary)]
    steps[0].disabled, steps[1].disabled = page == 0, page == last
    steps.append(button("words", words or 0, 0))
    steps[2].disabled = words is None
    turnings = [
        button("turning", ply, 1, number=number)
        for number, ply in enumerate(game.turning_points[:TURNING_BUTTONS], start=1)
        if ply <= last
    ]
    return [*steps, *turnings, *(button(name, page, 2) for name in ("record", "print", "take-out"))]


async def show_page(interaction: Interaction, match: Match, page: int, *, private: bool) -> None:
    """Shows that page: in the message whose button was pressed or, if `private`, in an answer for the person alone."""
    locale = reader_language(interaction) if private else public_language(interaction)
    try:
        game = await Caller(interaction).part(Thoughts).annotated_game(match, interaction.user.id)
    except MatchError as error:
        if error.problem is not Problem.NOT_OVER or private:
            raise
        await update_message(interaction, text(locale, "annotated.reopened", id=match.id), view=None, files=())
        return
    if not game.sharers:
        await update_message(interaction, text(locale, "annotated.gone", id=match.id), view=None, files=())
        return
    page = min(page, len(game.moves))
    preferences = await Caller(interaction).load_preferences() if private else Preferences()
    view, words = page_view(game, page), page_alt_text(locale, game, page)
    file = await draw_picture(interaction, view, preferences, f"annotated-{match.id}-{page}", words)
    content = page_text(locale, game, page)
    await update_message(interaction, content, view=make_view(*page_buttons(locale, game, page)), files=[file])


async def turn_page(interaction: Interaction, state: PageState) -> None:
    """Turns the message to another page."""
    match = await find_visible_match(interaction, state.match)
    private = interaction.message is not None and interaction.message.flags.ephemeral
    await show_page(interaction, match, state.page, private=private)


for _name in ("back", "on", "words", *(f"turning-{number}" for number in range(1, TURNING_BUTTONS + 1))):
    PAGER.register_handler(_name)(turn_page)


@PAGER.register_handler("animation")
async def refuse_animation(_: Interaction, state: PageState) -> None:
    """Answers the button below old annotated games, which showed them as an animation."""
    raise Declined("annotated.no-animation", id=state.match)


@PAGER.register_handler("record")
async def hand_over_record(interaction: Interaction, state: PageState) -> None:
    """Answers with the record of the game, in which the shared words are comments."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    game, names = await _shared_game(interaction, await find_visible_match(interaction, state.match))
    exported = await Caller(interaction).service.archive.export_match(game.match)
    comments = record_comments(game, names)
    record = await run_heavy(interaction, records.record_text, exported, names, comments)
    file = make_attachment(record.encode(), f"annotated-{game.match.id}.txt")
    await send_answer(interaction, text(reader_language(interaction), "annotated.record"), files=[file])


@PAGER.register_handler("print")
async def hand_over_page(interaction: Interaction, state: PageState) -> None:
    """Answers with the annotated game as one page of HTML."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match, locale = await find_visible_match(interaction, state.match), reader_language(interaction)
    game, names = await _shared_game(interaction, match)
    exported = await Caller(interaction).service.archive.export_match(game.match)
    page = await run_heavy_in_steps(interaction, make_page(locale, [(exported, game)], names))
    file = make_attachment(page.encode(), f"annotated-{game.match.id}.html")
    await send_answer(interaction, text(locale, "annotated.print"), files=[file])


@PAGER.register_handler("take-out")
async def ask_whose_words(interaction: Interaction, state: PageState) -> None:
    """Asks a player or a referee whose words to take out of the annotated game."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match, caller = await find_visible_match(interaction, state.match), Caller(interaction)
    require_may_take_out(match, caller.user, referee=may_manage_server(interaction))
    game, names = await _shared_game(interaction, match)
    others = [user for user in game.sharers if user != caller.user][:MAX_AUTHORS_LISTED]
    if not others:
        raise Declined("annotated.only-own", id=state.match)
    options = [make_option(names[user], str(user)) for user in others]
    menu = PAGER.make_menu("whose", state, options, text(caller.locale, "annotated.whose"))
    await send_answer(interaction, text(caller.locale, "annotated.ask", id=state.match), view=make_view(menu))


@PAGER.register_handler("whose")
async def take_words_out(interaction: Interaction, state: PageState) -> None:
    """Takes the words of the chosen person out of the annotated game."""
    author, caller = given_number(interaction), Caller(interaction)
    await find_visible_match(interaction, state.match)
    await acknowledge_press(interaction)
    await caller.part(Thoughts).take_out(
        state.match, caller.guild, caller.user, author, referee=may_manage_server(interaction)
    )
    app_of(interaction).announcements_due.set()
    person = mention_user(author, caller.locale)
    await update_message(
        interaction, text(caller.locale, "annotated.taken-out", id=state.match, person=person), view=None
    )


async def _shared_game(interaction: Interaction, match: Match) -> tuple[AnnotatedGame, dict[int, str]]:
    """Returns the annotated game and the names of the people in it.

    Raises NOT_OVER if the game is not over, and Declined if nothing is shared any more.
    """
    app = app_of(interaction)
    game = await Caller(interaction).part(Thoughts).annotated_game(match, interaction.user.id)
    if not game.sharers:
        raise Declined("annotated.gone", id=match.id)
    people = (*records.people_named(match), *game.sharers)
    found_names = await app.names.find_names(match.guild, people)
    unknown = text("en", "unknown-player")
    return game, {user: record_name(found_names.get(user, unknown)) for user in people}
