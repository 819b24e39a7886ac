"""Profiles, leaderboards, comparisons and lists of games in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.ladder.standings import Board, Comparison, Profile
from bot.match.results import Summary
from bot.texts.clocks import MINUTE, duration, instant
from bot.texts.i18n import Language, plural, text
from bot.texts.ladder import number, score
from bot.texts.sentences import mention, mentions, message_url, titled, variant_called
from render.curve import Curve


def profile_lines(locale: Language, user: int, profile: Profile, now: int) -> list[str]:
    """What somebody has done at one variant, a line each."""
    variant = variant_called(locale, profile.variant)
    lines = [text(locale, "profile.title", player=mention(user, locale), variant=variant)]
    lines.append(text(locale, "profile.rating", **_standing(locale, profile, now)))
    lines.append(text(locale, "profile.score", won=profile.won, drawn=profile.drawn, lost=profile.lost))
    if abs(profile.streak) > 1:
        key = "profile.winning" if profile.streak > 0 else "profile.losing"
        lines[-1] += " " + text(locale, key, count=abs(profile.streak))
    if profile.first_moves:
        moves = ", ".join(f"`{move}` ({times}×)" for move, times in profile.first_moves)
        lines.append(text(locale, "profile.first-moves", moves=moves))
    if profile.thinking is not None:
        brief = profile.thinking < MINUTE
        time = text(locale, "profile.brief") if brief else duration(locale, profile.thinking)
        lines.append(text(locale, "profile.thinking", time=time))
    if profile.late:
        lines.append(plural(locale, "profile.late", profile.late))
    if profile.against_house:
        won, drawn, lost = profile.against_house
        lines.append(text(locale, "profile.house", won=won, drawn=drawn, lost=lost))
    return lines


def _standing(locale: Language, profile: Profile, now: int) -> dict[str, str]:
    """Rating and rung, as sentences take them."""
    rating = number(profile.rating, now) if profile.rating.games else text(locale, "profile.unrated")
    step = text(locale, "profile.step", step=profile.step) if profile.step is not None else ""
    return {"rating": rating, "step": step}


def curve_words(locale: Language, curve: Curve, variant: str) -> str:
    """The picture of a rating curve for those who do not see it."""
    numbers = curve.numbers
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


def board_lines(locale: Language, variant: str, board: Board, now: int) -> list[str]:
    """A page of a leaderboard."""
    lines = [text(locale, "leaderboard.title", variant=variant_called(locale, variant))]
    if not board.rows:
        return [*lines, text(locale, "leaderboard.empty")]
    for place, user, rating in board.rows:
        values = {"place": place, "player": mention(user, locale), "rating": number(rating, now)}
        lines.append(plural(locale, "leaderboard.row", rating.games, **values))
    foot = []
    if board.pages > 1:
        foot.append(text(locale, "sheet.page", page=board.page + 1, pages=board.pages))
    if board.own:
        foot.append(text(locale, "sheet.own", place=board.own))
    foot.append(text(locale, "leaderboard.uncertain"))
    return [*lines, f"-# {' · '.join(foot)}"]


def comparison_lines(locale: Language, users: tuple[int, int], found: Comparison, now: int) -> list[str]:
    """Two people side by side: what each has done by variant, then their games with each other."""
    one, two = (mention(user, locale) for user in users)
    lines = [text(locale, "compare.title", one=one, two=two)]
    for user, profiles in zip(users, found.profiles, strict=True):
        name = mention(user, locale)
        if user in found.hidden:
            lines.append(text(locale, "profile.hidden", player=name))
        elif not profiles:
            lines.append(text(locale, "profile.none", player=name))
        else:
            lines += [f"**{name}**", *_compared(locale, profiles, now)]
    if found.together:
        lines.append(text(locale, "compare.together"))
        for variant, counts in found.together.items():
            lines.append(f"- {text(locale, f'variant.{variant}')}: **{score(*counts)}**")
    elif not found.hidden:
        lines.append(text(locale, "compare.never"))
    return lines


def _compared(locale: Language, profiles: Sequence[Profile], now: int) -> list[str]:
    lines = []
    for one in profiles:
        games = score(one.won, one.drawn, one.lost)
        variant = variant_called(locale, one.variant)
        lines.append(text(locale, "compare.row", variant=variant, score=games, **_standing(locale, one, now)))
    return lines


LONGEST = 1900
"""Characters of the list, the line that counts the rest included."""


def games_text(locale: Language, user: int, viewer: int, games: Sequence[Summary], now: int) -> str:
    """The games of `user` as `viewer` reads them, with links to their last boards, as many as fit."""
    own = user == viewer
    if not games:
        return text(locale, "games.none-own" if own else "games.none-other", player=mention(user, locale))
    lines = [f"**{text(locale, 'games.title-own' if own else 'games.title-other', player=mention(user, locale))}**"]
    room = LONGEST - len(lines[0])
    for left, summary in zip(range(len(games), 0, -1), games, strict=True):
        line = _line(locale, viewer, summary, now)
        more = text(locale, "games.more", count=left)
        if len(line) + len(more) + 2 > room:
            lines.append(more)
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines)


def _line(locale: Language, viewer: int, summary: Summary, now: int) -> str:
    mine = summary.to_move == viewer
    link = f"<#{summary.where}>"
    if summary.turn:
        link = f"[{text(locale, 'games.board')}]({message_url(summary.guild, summary.turn)})"
    return text(
        locale,
        "games.line",
        mark="▶️" if mine else "•",
        id=summary.id,
        variant=titled(locale, summary.variant, summary.title),
        players=", ".join(mentions(locale, summary.players)),
        number=summary.ply + 1,
        turn=_turn(locale, viewer, summary, now),
        where=text(locale, "games.homeless", id=summary.id) if summary.homeless else link,
    )


def _turn(locale: Language, viewer: int, summary: Summary, now: int) -> str:
    """Whose turn it is, and until when; without a clock, since when."""
    if summary.to_move is None:
        return text(locale, "games.vacant")
    own = summary.to_move == viewer
    if summary.flag is not None and summary.flag <= now:  # the grace as well: the tick sees to the bank's own end
        opponent = viewer in summary.players and viewer not in summary.resigned
        key = "games.overdue-own" if own else "games.overdue-opponent" if opponent else "games.overdue"
        return text(locale, key, player=mention(summary.to_move, locale))
    if summary.flag is not None:
        key, at = "games.clock-own" if own else "games.clock", summary.flag
    else:
        key, at = "games.turn-own" if own else "games.turn", summary.moved_at
    return text(locale, key, player=mention(summary.to_move, locale), at=instant(at))
