"""Clocks in words: how much time is left, when it runs out, and when a clock stands still."""

from __future__ import annotations

from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import PeopleById, clock_resumes_at, seconds_left, time_runs_out_at
from bot.core.house_seats import is_house
from bot.core.match import Match
from bot.core.zones import is_known_zone
from bot.texts.i18n import Language, text
from bot.texts.markup import absolute_time, escape_markup, relative_time
from bot.texts.sentences import seat_emblem

MINUTE = 60


def zone_text(locale: Language, zone: str) -> str:
    """A stored time zone; if it is not known here, also the zone in use."""
    return zone if is_known_zone(zone) else text(locale, "unknown-name.zone", zone=escape_markup(zone))


def duration_text(locale: Language, seconds: int) -> str:
    """A span in its two largest units: "3 d 4 h", "5 h", "12 min".

    Rounded down, but to the nearest hour from a day on, so that a bank of four days is not 3 d 23 h a minute later.
    """
    if seconds >= DAY:
        seconds += HOUR // 2
    days, rest = divmod(seconds, DAY)
    hours, minutes = rest // HOUR, rest % HOUR // MINUTE
    parts = [text(locale, "clock.days", count=days)] if days else []
    if hours:
        parts.append(text(locale, "clock.hours", count=hours))
    if not days and (minutes or not hours):
        parts.append(text(locale, "clock.minutes", count=minutes))
    return " ".join(parts)


def terms_text(locale: Language, pace: Pace, *, vacations: bool) -> str:
    """The terms of a game's clock, as its table states them."""
    if pace.clock_terms is None:
        return text(locale, "clock.terms-none")
    sentence = text(locale, "clock.terms", pace=text(locale, f"choice.pace.{pace.value}"))
    return sentence if vacations else f"{sentence} {text(locale, 'clock.no-vacations')}"


def due_text(locale: Language, match: Match, people: PeopleById) -> str | None:
    """When the player to move runs out of time, or of grace if the time is up; None without a clock."""
    deadline = time_runs_out_at(match, people)
    if deadline is None:
        return None
    if match.pings.grace_ends_at is not None:
        return text(
            locale, "clock.grace-ladder" if match.needs_no_claim else "clock.grace", until=relative_time(deadline)
        )
    return text(locale, "clock.due", falls=relative_time(deadline))


def clock_lines(locale: Language, match: Match, now: int, people: PeopleById) -> list[str]:
    """The deadline of the player to move and the time each player has left, in small print; empty without a clock."""
    due = due_text(locale, match, people)
    if due is None or match.to_move is None:
        return []
    if match.pings.grace_ends_at is not None:
        return [f"-# {due}"]
    if (again := clock_resumes_at(match, now, people)) is not None:
        due += " " + text(locale, "clock.stands", again=absolute_time(again))
    banks = [
        f"{seat_emblem(match.variant, seat)} {duration_text(locale, seconds)}"
        for seat, seconds in enumerate(seconds_left(match, now, people))
        if match.started_game.position.is_playing(seat) and not is_house(match.players[seat])
    ]
    if len(banks) < 2:  # a player against house players alone has read the deadline
        return [f"-# {due}"]
    return [f"-# {due}", f"-# {text(locale, 'clock.banks', banks=' · '.join(banks))}"]
