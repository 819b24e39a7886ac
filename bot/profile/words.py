"""Profiles, leaderboards and comparisons in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.profile.service import Comparison, Leaderboard, LeaderboardRow, Profile
from bot.texts.clocks import MINUTE, duration_text
from bot.texts.i18n import Language, plural_text, text
from bot.texts.mentions import mention_user
from bot.texts.ratings import rating_number, score_text
from bot.texts.sentences import variant_called
from render.rating_chart import RatingCurve


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
    rating = rating_number(profile.rating, now) if profile.rating.games else text(locale, "profile.unrated")
    step = text(locale, "profile.step", step=profile.step) if profile.step is not None else ""
    return {"rating": rating, "step": step}


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
    values = {
        "place": row.place,
        "player": mention_user(row.user, locale),
        "rating": rating_number(row.rating, now),
    }
    return plural_text(locale, "leaderboard.row", row.rating.games, **values)


def leaderboard_footer(locale: Language, board: Leaderboard) -> str:
    """What stands below a page of a leaderboard; for an empty one, that nobody has a rating."""
    if not board.rows:
        return text(locale, "leaderboard.empty")
    foot = []
    if board.pages > 1:
        foot.append(text(locale, "sheet.page", page=board.page + 1, pages=board.pages))
    if board.own:
        foot.append(text(locale, "sheet.own", place=board.own))
    foot.append(text(locale, "leaderboard.uncertain"))
    return f"-# {' · '.join(foot)}"


def comparison_lines(locale: Language, users: tuple[int, int], comparison: Comparison, now: int) -> list[str]:
    """Two people side by side: each one's record by variant, then their games with each other."""
    first_name, second_name = (mention_user(user, locale) for user in users)
    lines = [text(locale, "compare.title", one=first_name, two=second_name)]
    for user, profiles in zip(users, comparison.profiles, strict=True):
        name = mention_user(user, locale)
        if user in comparison.hidden:
            lines.append(text(locale, "profile.hidden", player=name))
        elif not profiles:
            lines.append(text(locale, "profile.none", player=name))
        else:
            lines += [f"**{name}**", *_comparison_rows(locale, profiles, now)]
    if comparison.together:
        lines.append(text(locale, "compare.together"))
        for variant, counts in comparison.together.items():
            lines.append(f"- {text(locale, f'variant.{variant}')}: **{score_text(*counts)}**")
    elif not comparison.hidden:
        lines.append(text(locale, "compare.never"))
    return lines


def _comparison_rows(locale: Language, profiles: Sequence[Profile], now: int) -> list[str]:
    lines = []
    for profile in profiles:
        games = score_text(profile.won, profile.drawn, profile.lost)
        variant = variant_called(locale, profile.variant)
        lines.append(
            text(locale, "compare.row", variant=variant, score=games, **_rating_and_step(locale, profile, now))
        )
    return lines
