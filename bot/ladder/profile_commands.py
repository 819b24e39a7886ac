"""Profiles, leaderboards and comparisons: their words and their commands."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.core.ratings import NEW_RATING
from bot.discordkit.components import Button
from bot.discordkit.errors import Declined
from bot.discordkit.paging import Page
from bot.discordkit.reply import Interaction, Row, RowList, fit_lines, picture_file, send_answer
from bot.discordkit.slash import slash_command
from bot.ladder import profile_rows
from bot.ladder.profile_rows import Comparison, LeaderboardRow, Profile
from bot.play.caller import caller_of, run_heavy_in_steps
from bot.play.context import PersonShown, feature_notes
from bot.play.info_commands import GAMES_SHEET, played_line, require_public_profiles, visible_games
from bot.play.options import VARIANT_CHOICES, require_known_variant
from bot.play.service.games import find_games
from bot.play.sheets import (
    ANY_VARIANT,
    OPEN_BUTTONS,
    Sheet,
    SheetContent,
    draws_sheets,
    open_sheet,
    page_buttons,
    sheet_menu,
    variant_buttons,
)
from bot.texts.i18n import Language, plural_text, text
from bot.texts.people import mention_user, rating_number, score_text
from bot.texts.sentences import MINUTE, duration_text, variant_called
from render import THEMES
from render.rating_chart import RatingCurve, render_curve_in_steps
from rules import VARIANTS


def profile_lines(locale: Language, user: int, profile: Profile, now: int) -> list[str]:
    """A user's record at one variant, a line each."""
    variant = variant_called(locale, profile.variant)
    lines = [text(locale, "profile.title", player=mention_user(user, locale), variant=variant)]
    lines.append(text(locale, "profile.rating", **_rating_and_step(locale, profile, now)))
    lines.append(text(locale, "profile.score", won=profile.won, drawn=profile.drawn, lost=profile.lost))
    if abs(profile.streak) > 1:
        key = "profile.winning" if profile.streak > 0 else "profile.losing"
        lines[-1] += " " + text(locale, key, count=abs(profile.streak))
    if profile.first_moves:
        moves = ", ".join(f"`{move}` ({times}×)" for move, times in profile.first_moves)
        lines.append(text(locale, "profile.first-moves", moves=moves))
    if profile.thinking is not None:
        brief = profile.thinking < MINUTE
        time = text(locale, "profile.brief") if brief else duration_text(locale, profile.thinking)
        lines.append(text(locale, "profile.thinking", time=time))
    if profile.late:
        lines.append(plural_text(locale, "profile.late", profile.late))
    if profile.against_house:
        won, drawn, lost = profile.against_house
        lines.append(text(locale, "profile.house", won=won, drawn=drawn, lost=lost))
    return lines


def _rating_and_step(locale: Language, profile: Profile, now: int) -> dict[str, str]:
    """Rating and rung as placeholder values."""
    rating = rating_number(locale, profile.rating, now) if profile.rating.games else text(locale, "profile.unrated")
    rung = text(locale, "profile.rung", rung=profile.rung) if profile.rung is not None else ""
    return {"rating": rating, "rung": rung}


def curve_words(locale: Language, curve: RatingCurve, variant: str) -> str:
    """The alt text of a rating curve."""
    numbers = curve.ratings
    return text(
        locale,
        "profile.curve",
        variant=variant_called(locale, variant),
        games=len(numbers) - 1,
        first=numbers[0],
        last=numbers[-1],
        highest=max(numbers),
        lowest=min(numbers),
    )


def leader_line(locale: Language, row: LeaderboardRow, now: int) -> str:
    """A person's place, rating and number of games."""
    player, rating = mention_user(row.user, locale), rating_number(locale, row.rating, now)
    return plural_text(locale, "leaderboard.row", row.rating.games, place=row.rank, player=player, rating=rating)


def leaderboard_footer(locale: Language, board: Page[LeaderboardRow], own: int | None) -> str:
    """What stands below a page of a leaderboard; for an empty one, that nobody has a rating."""
    if not board.items:
        return text(locale, "leaderboard.empty")
    foot = []
    if board.pages > 1:
        foot.append(text(locale, "sheet.page", page=board.number + 1, pages=board.pages))
    if own:
        foot.append(text(locale, "sheet.own", place=own))
    return f"-# {' · '.join(foot)}" if foot else ""


def comparison_lines(locale: Language, users: tuple[int, int], comparison: Comparison, now: int) -> list[str]:
    """Two people side by side: each one's record by variant, then their games with each other."""
    names = [mention_user(user, locale) for user in users]
    lines = [text(locale, "compare.title", one=names[0], two=names[1])]
    for user, name, profiles in zip(users, names, comparison.profiles, strict=True):
        if user in comparison.hidden:
            lines.append(text(locale, "profile.hidden", player=name))
        elif not profiles:
            lines.append(text(locale, "profile.none", player=name))
        else:
            lines.append(f"**{name}**")
        for profile in profiles:
            score = score_text(profile.won, profile.drawn, profile.lost)
            variant = variant_called(locale, profile.variant)
            standing = _rating_and_step(locale, profile, now)
            lines.append(text(locale, "compare.row", variant=variant, score=score, **standing))
    if comparison.together:
        lines.append(text(locale, "compare.together"))
        for variant, counts in comparison.together.items():
            lines.append(f"- {text(locale, f'variant.{variant}')}: **{score_text(*counts)}**")
    elif not comparison.hidden:
        lines.append(text(locale, "compare.never"))
    return lines


# The commands and their sheets

PROFILE_SHEET, LEADERBOARD_SHEET = "profile", "leaderboard"


@slash_command("ladder profile")
async def ladder_profile_command(
    interaction: Interaction, player: discord.User | None = None, other: discord.User | None = None
) -> None:
    """Shows a person's profile, at the variant that they play most; with `other`, the two side by side."""
    one = player or interaction.user
    if other is None:
        await open_sheet(interaction, Sheet(PROFILE_SHEET, ANY_VARIANT, one.id))
        return
    await interaction.response.defer(ephemeral=True, thinking=True)
    if one.id == other.id:
        raise Declined("compare.same")
    caller, users = caller_of(interaction), (one.id, other.id)
    comparison = await profile_rows.compare_people(caller.service.reader, caller.guild, *users)
    await send_answer(interaction, fit_lines(comparison_lines(caller.locale, users, comparison, caller.now)))


@slash_command("ladder leaderboard")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_leaderboard_command(interaction: Interaction, variant: str) -> None:
    """Shows the highest rated players."""
    await open_sheet(interaction, Sheet(LEADERBOARD_SHEET, variant))


def profile_button(locale: Language, user: int, variant: str = ANY_VARIANT) -> Button:
    """Returns the button that shows a person's profile, at the variant that they play most or at that one."""
    return OPEN_BUTTONS.make_button("", Sheet(PROFILE_SHEET, variant, user), text(locale, "button.profile"))


@draws_sheets(PROFILE_SHEET)
async def show_profile(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a person's profile at one variant, with rating curve and last games; their other variants as buttons."""
    caller, user = caller_of(interaction), request.subject
    locale = caller.locale
    await require_public_profiles(interaction, user)
    profiles = await profile_rows.profiles_of(caller.service.reader, caller.guild, user)
    played = {profile.variant: profile for profile in profiles}
    own_lines = (await feature_notes(caller.context, locale, PersonShown(caller.guild, user, in_profile=True))).lines
    if not played and not own_lines:
        raise Declined("profile.none", player=mention_user(user, locale))
    if not played:
        nothing = text(locale, "profile.none", player=mention_user(user, locale))
        return SheetContent(fit_lines([nothing, *own_lines]), [])
    variant = request.variant if request.variant in played else next(iter(played))
    lines = [*profile_lines(locale, user, played[variant], caller.now), *own_lines]
    finished = await find_games(caller.service, caller.guild, user, variant)
    if games := await visible_games(interaction, finished.items):
        lines.append(text(locale, "profile.last", variant=variant_called(locale, variant)))
        lines += [f"- {played_line(locale, user, played)}" for played in games]
    files = await _rating_picture(interaction, variant, user)
    variant_row = variant_buttons(locale, request._replace(variant=variant), list(played))
    more = OPEN_BUTTONS.make_button("", Sheet(GAMES_SHEET, variant, user), text(locale, "button.finished"))
    return SheetContent(fit_lines(lines), [more, variant_row], files)


async def _rating_picture(interaction: Interaction, variant: str, user: int) -> list[discord.File]:
    """Returns the rating curve in the reader's colours; no file before the first rated game."""
    caller = caller_of(interaction)
    ratings = await profile_rows.rating_curve(caller.service.reader, caller.guild, variant, user)
    if not ratings:
        return []
    theme = THEMES[(await caller.load_settings()).theme]
    curve = RatingCurve((NEW_RATING.shown_number, *ratings), theme)
    png = await run_heavy_in_steps(interaction, render_curve_in_steps(curve))
    return [picture_file(png, f"rating-{variant}", curve_words(caller.locale, curve, variant))]


@draws_sheets(LEADERBOARD_SHEET)
async def show_leaderboard(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of a leaderboard, each person with a button to their profile; below it the other variants."""
    require_known_variant(request.variant)  # one variant only, although a sheet can stand for all
    caller = caller_of(interaction)
    board, own = await profile_rows.leaderboard_page(
        caller.service.reader, caller.guild, request.variant, request.page, caller.now, caller.user
    )
    locale = caller.locale
    rows = [
        Row(leader_line(locale, row, caller.now), profile_button(locale, row.user, request.variant))
        for row in board.items
    ]
    others = [
        (Sheet(LEADERBOARD_SHEET, key), text(locale, f"variant.{key}")) for key in VARIANTS if key != request.variant
    ]
    pages = page_buttons(locale, request._replace(page=board.number), board.pages)
    controls = [*pages, sheet_menu(interaction, others, text(locale, "sheet.others"))]
    title = text(locale, "leaderboard.title", variant=variant_called(locale, request.variant))
    return RowList(title, rows, leaderboard_footer(locale, board, own), controls)
