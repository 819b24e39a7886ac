"""The people of leagues in words: who has signed up, who is signed off, and what leaving means. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.discordkit.reply import fit_lines
from bot.leagues.league import League, SignOff, SignUp
from bot.leagues.season import SeatState
from bot.leagues.service import Leaving
from bot.leagues.sign_ups import SignUpList
from bot.leagues.words import league_name, season_title, terms_lines
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import absolute_time, relative_time
from bot.texts.mentions import mention_user, mention_users

NAMES_LISTED = 30
"""The most people named in a line of the post of a sign-up."""


def sign_up_text(locale: Language, league: League, listed: SignUpList) -> str:
    """Returns the post of a sign-up."""
    lines = [
        text(locale, "league.open", league=league_name(locale, league), season=league.season),
        *terms_lines(locale, league.terms),
        text(locale, "league.begins", at=absolute_time(league.begins_at), when=relative_time(league.begins_at)),
    ]
    if listed.ready:
        lines.append(
            f"{plural_text(locale, 'league.signed-up', len(listed.ready))} {_list_names(locale, listed.users)}"
        )
    if listed.reserve:
        lines.append(text(locale, "league.in-reserve", players=_list_names(locale, listed.reserve)))
    return fit_lines([*lines, *_sign_off_lines(locale, listed)])


def sign_offs_text(locale: Language, league: League, listed: SignUpList, kind: str) -> str:
    """Returns the post that calls people who have to do something before they can play ("recall"), or names those who
    have left the server ("gone").
    """
    title = season_title(locale, league, league.season)
    lines = _sign_off_lines(locale, listed)
    is_gone = SignOff.GONE in listed.signed_off  # the last line
    return fit_lines([title, *(lines[-1:] if kind == "gone" else lines[:-1] if is_gone else lines)])


def _sign_off_lines(locale: Language, listed: SignUpList) -> list[str]:
    """Returns a line each for people who have games to finish, who have to sign up again, and who are gone."""
    lines = list[str]()
    if listed.unready:
        names = [f"{mention_user(user, locale)} ({count})" for user, count in listed.unready.items()][:NAMES_LISTED]
        more = " …" if len(listed.unready) > NAMES_LISTED else ""
        lines.append(text(locale, "league.unready", players=", ".join(names) + more))
    for reason in (SignOff.IDLE, SignOff.GONE):
        if users := listed.signed_off.get(reason):
            lines.append(text(locale, f"league.signed-off-{reason.value}", players=_list_names(locale, users)))
    return lines


def _list_names(locale: Language, users: Sequence[int]) -> str:
    return ", ".join(mention_users(locale, users[:NAMES_LISTED])) + (" …" if len(users) > NAMES_LISTED else "")


def joined_text(locale: Language, league: League, sign_up: SignUp) -> str:
    """Returns what a sign-up means for the person."""
    name = league_name(locale, league)
    when = relative_time(league.ends_at if league.is_on else league.begins_at)
    lines = [text(locale, "league.joined-next" if league.is_on else "league.joined", league=name, when=when)]
    if sign_up.at_once is not None:
        lines.append(limit_text(locale, sign_up.at_once))
    if sign_up.is_reserve:
        lines.append(text(locale, "league.reserve"))
    return "\n".join(lines)


def limit_text(locale: Language, at_once: int | None) -> str:
    """Returns how many games a person plays at a time, and what that means; 0 or None: all of them."""
    return plural_text(locale, "league.at-once", at_once) if at_once else text(locale, "league.all-at-once")


def leaving_text(locale: Language, league: League, leaving: Leaving, other: int | None = None) -> str:
    """Returns a question that says what leaving would mean. A manager asks it about an `other` person."""
    reserve = "" if leaving.reserve is None else mention_user(leaving.reserve.user, locale)
    if leaving.seat is None:
        key = "sign-up"
    elif not leaving.games:
        key = "over"
    elif reserve:
        key = "reserve"
    else:
        key = "out" if leaving.state is SeatState.OUT else "left"
    games = plural_text(locale, "league.unfinished-games", leaving.games)
    name, player = league_name(locale, league), "" if other is None else mention_user(other, locale)
    asked = "leave" if other is None else "remove"
    return text(locale, f"league.{asked}.{key}", league=name, games=games, reserve=reserve, player=player)


def removal_text(locale: Language, league: League, manager: int, user: int, at: int | None) -> str:
    """Returns the post that tells a person that a manager has taken them out; with a time, the entry for the audit."""
    return text(
        locale,
        "league.removed" if at is None else "league.removed-entry",
        at=absolute_time(at or 0),
        player=mention_user(user, locale),
        manager=mention_user(manager, locale),
        league=league_name(locale, league),
    )
