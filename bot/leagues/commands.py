"""`/league`: joining and leaving the leagues of a server, and their tables, with the buttons below a league's post; and
`/referee league`, by which a referee decides a game of a running season.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import discord
from discord import app_commands

from bot.core.refereeing import MAX_REASON_LENGTH
from bot.discordkit.components import Button
from bot.discordkit.paging import page_footer, split_words
from bot.discordkit.permissions import trouble_sentence
from bot.discordkit.reply import (
    Interaction,
    Row,
    RowList,
    acknowledge_press,
    lay_out_rows,
    make_view,
    send_answer,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.leagues import rows, words
from bot.leagues import service as leagues
from bot.leagues.files import draw_tables
from bot.leagues.league import MAX_GAMES, League
from bot.leagues.posts import BESIDE_TABLE, LEAGUE_BUTTONS, LeagueRef, league_buttons, load_summaries
from bot.play.caller import caller_of, run_in_turn
from bot.play.options import find_visible_match, may_see, parse_game_number, require_manager, suggest_refereed_games
from bot.play.places import audit_trouble, shut_trouble
from bot.play.referee import seat_of_player
from bot.play.sheets import Sheet, SheetContent, draw_sheet, draws_sheets, page_buttons, show_sheet
from bot.texts.i18n import Language, text
from render import THEMES

MAX_CHOICES = 25
"""Leagues that an option suggests: Discord's limit."""


async def suggest_leagues(interaction: Interaction, current: str) -> list[app_commands.Choice[int]]:
    """Returns the leagues of the server whose name contains the typed text."""
    caller = caller_of(interaction)
    if caller.guild_or_none is None:
        return []
    leagues = await rows.leagues_of(caller.service.store.reader, caller.guild)
    named = {league.id: words.league_name(caller.locale, league) for league in leagues}
    choices = [app_commands.Choice(name=name, value=league_id) for league_id, name in named.items()]
    return [one for one in choices if str(current).casefold() in one.name.casefold()][:MAX_CHOICES]


@slash_command("league join")
@app_commands.autocomplete(league=suggest_leagues)
async def league_join_command(
    interaction: Interaction,
    league: int | None = None,
    at_once: app_commands.Range[int, 0, MAX_GAMES] | None = None,
    reserve: bool | None = None,
) -> None:
    """Signs the person up for the next season, or changes what they wish."""
    await _answer_about(interaction, league, partial(_join, at_once=at_once, reserve=reserve))


@slash_command("league leave")
@app_commands.autocomplete(league=suggest_leagues)
async def league_leave_command(interaction: Interaction, league: int | None = None) -> None:
    """Asks for confirmation before the person leaves a league."""
    await _answer_about(interaction, league, _ask_about_leaving)


@slash_command("league table")
@app_commands.autocomplete(league=suggest_leagues)
async def league_table_command(interaction: Interaction, league: int | None = None) -> None:
    """Shows the tables."""
    await _answer_about(interaction, league, _show_table)


@slash_command("referee league")
@app_commands.autocomplete(game=suggest_refereed_games)
async def referee_league_command(
    interaction: Interaction,
    game: str,
    reason: app_commands.Range[str, 1, MAX_REASON_LENGTH],
    winner: discord.User | None = None,
) -> None:
    """Decides how a league game counts: a win for that person, or a draw; its players are told."""
    require_manager(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    match = await find_visible_match(interaction, parse_game_number(game) or 0)
    seat = None if winner is None else seat_of_player(match, winner)
    league = await leagues.rule_game(caller.service, caller.actor, match.id, seat, reason)
    caller.context.jobs_due.set()
    trouble = shut_trouble(caller.context, match) or audit_trouble(caller.context, match.guild)
    won = words.winner_phrase(caller.locale, match, seat)
    said = words.text_about(caller.locale, league, "league.ruled-done", id=match.id, winner=won)
    if trouble:
        said += f" {text(caller.locale, 'league.ruling-unposted', why=trouble_sentence(caller.locale, trouble))}"
    await send_answer(interaction, said)


Answer = Callable[[Interaction, League], Awaitable[None]]


async def _answer_about(interaction: Interaction, league_id: int | None, answer: Answer) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    found = await leagues.find_league(caller.service, caller.guild, league_id, channel_here(interaction))
    await answer(interaction, found)


def channel_here(interaction: Interaction) -> int | None:
    """Returns the channel of an interaction; in a thread, the one above it."""
    return getattr(interaction.channel, "parent_id", None) or interaction.channel_id


async def _press(answer: Answer, interaction: Interaction, ref: LeagueRef) -> None:
    await _answer_about(interaction, ref.league_id, answer)


async def _join(
    interaction: Interaction, league: League, at_once: int | None = None, reserve: bool | None = None
) -> None:
    """Signs the person up, with their wishes; during their season `at_once` alone changes only their limit."""
    caller = caller_of(interaction)
    has_limit = at_once is not None and await leagues.change_limit(
        caller.service, caller.guild, league.id, caller.user, at_once
    )
    if has_limit and reserve is None:
        await send_answer(interaction, words.limit_text(caller.locale, at_once))
        return
    league, sign_up = await leagues.join_league(caller.service, caller.actor, league.id, at_once, reserve)
    caller.context.jobs_due.set()
    await send_answer(interaction, words.joined_text(caller.locale, league, sign_up, caller.now))


async def _ask_about_leaving(interaction: Interaction, league: League) -> None:
    """Says what leaving means, with a button that does it."""
    caller = caller_of(interaction)
    leaving = await leagues.find_leaving(caller.service.store.reader, league, caller.user)
    names = ["leave-sure", "sign-off"] if leaving.seat is not None and leaving.is_signed_up else ["leave-sure"]
    view = make_view(*league_buttons(caller.locale, league, *names))
    await send_answer(interaction, words.leaving_text(caller.locale, league, leaving), view=view)


@LEAGUE_BUTTONS.register_handler("leave-sure", first=acknowledge_press)
async def leave_league(interaction: Interaction, ref: LeagueRef) -> None:
    """Takes the person out of the league."""
    caller = caller_of(interaction)
    league = await leagues.leave_league(caller.service, caller.guild, ref.league_id, caller.user, caller.now)
    caller.context.jobs_due.set()
    await update_message(interaction, words.text_about(caller.locale, league, "league.left"), view=None)


@LEAGUE_BUTTONS.register_handler("sign-off", first=acknowledge_press)
async def sign_off(interaction: Interaction, ref: LeagueRef) -> None:
    """Takes back the person's sign-up for the next season."""
    caller = caller_of(interaction)
    league = await leagues.sign_off(caller.service, caller.guild, ref.league_id, caller.user)
    await update_message(interaction, words.text_about(caller.locale, league, "league.signed-off"), view=None)


async def _show_table(interaction: Interaction, league: League) -> None:
    """Shows the tables of the latest season, as pictures, or as text to those who read boards as text."""
    caller = caller_of(interaction)
    settings = await caller.load_settings()
    if settings.reads_text:
        await _show_sheet(TABLE_SHEET, interaction, league)
        return
    season, groups = await leagues.load_latest_season(caller.service.reader, league, caller.now)
    title = words.table_text(caller.locale, league, season, groups)
    drawn = draw_tables(caller.context, caller.locale, caller.guild, groups, theme=THEMES[settings.theme])
    files = await run_in_turn(interaction, drawn)
    view = make_view(*league_buttons(caller.locale, league, *BESIDE_TABLE))
    await send_answer(interaction, title, files=[make_file() for make_file in files], view=view)


TABLE_SHEET, GAMES_SHEET, HISTORY_SHEET = "league-table", "league-games", "league-history"
"""Names of sheets whose `other` is a league."""


async def _show_sheet(name: str, interaction: Interaction, league: League) -> None:
    """Shows the first page of something about a league."""
    await show_sheet(interaction, await draw_sheet(interaction, Sheet(name, other=league.id)))


def _draw_page(
    locale: Language, request: Sheet, title: str, parts: Sequence[str], buttons: Sequence[Button] = ()
) -> SheetContent:
    """Returns the wanted page of the parts, or the last one."""
    pages = split_words(title, parts)
    request = request._replace(page=min(request.page, len(pages) - 1))
    content = f"{pages[request.page]}\n{page_footer(locale, request.page, len(pages))}".rstrip()
    return SheetContent(content, [page_buttons(locale, request, len(pages)), buttons])


@draws_sheets(TABLE_SHEET)
async def draw_table_page(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of the tables of the latest season as text."""
    caller = caller_of(interaction)
    league = await leagues.find_league(caller.service, caller.guild, request.other)
    season, groups = await leagues.load_latest_season(caller.service.reader, league, caller.now)
    standings = [words.standings_text(caller.locale, group) for group in groups]
    title = words.season_title(caller.locale, league, season)
    return _draw_page(caller.locale, request, title, standings, league_buttons(caller.locale, league, *BESIDE_TABLE))


@draws_sheets(GAMES_SHEET)
async def draw_games_page(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of the games of the latest season, the person's own group first; before a season, above them, all
    who have signed up for it.
    """
    caller = caller_of(interaction)
    league = await leagues.find_league(caller.service, caller.guild, request.other)
    season, groups = await leagues.load_latest_season(caller.service.reader, league, caller.now)
    summaries = await load_summaries(caller.service.store.reader, caller.guild, groups)
    seen = {match_id: summary for match_id, summary in summaries.items() if may_see(interaction, summary)}
    title = words.text_about(caller.locale, league, "league.games-title", season=season)
    ready = () if league.is_on else (await leagues.load_sign_ups(caller.service.reader, league)).ready
    parts = words.signed_up_lines(caller.locale, ready) + words.games_by_group(caller.locale, groups, caller.user, seen)
    return _draw_page(caller.locale, request, title, parts)


@draws_sheets(HISTORY_SHEET)
async def draw_history_page(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of the hall of fame."""
    caller = caller_of(interaction)
    league, reader = await leagues.find_league(caller.service, caller.guild, request.other), caller.service.store.reader
    seasons = await rows.past_seasons(reader, league.id)
    title = words.text_about(caller.locale, league, "league.history-title")
    lines = words.history_lines(caller.locale, seasons, await rows.winners_of(reader, league.id))
    return _draw_page(caller.locale, request, title, lines)


async def _show_rules(interaction: Interaction, league: League) -> None:
    """Shows the rules."""
    locale = caller_of(interaction).locale
    title, lines = words.text_about(locale, league, "league.rules-title"), words.rules_lines(locale, league)
    await send_answer(interaction, None, view=lay_out_rows(RowList(title, [Row(line) for line in lines])))


ANSWERS: Mapping[str, Answer] = {
    "join": _join,
    "leave": _ask_about_leaving,
    "table": _show_table,
    "games": partial(_show_sheet, GAMES_SHEET),
    "rules": _show_rules,
    "history": partial(_show_sheet, HISTORY_SHEET),
}
"""By the names of the buttons."""
for _name, _answer in ANSWERS.items():
    LEAGUE_BUTTONS.register_handler(_name)(partial(_press, _answer))
