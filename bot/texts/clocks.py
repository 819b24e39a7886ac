"""Clocks in words: how much is left, when it is up, and where a clock stands still."""

from __future__ import annotations

from bot.match.match import Match
from bot.match.timing import flag, left, standing
from bot.match.turns import People
from bot.people.clock import DAY, HOUR, Pace
from bot.people.house import is_house
from bot.people.zones import is_known_zone
from bot.texts.i18n import Language, text
from bot.texts.sentences import emblem, plain

MINUTE = 60


def instant(at: int) -> str:
    """An instant as Discord shows it to each reader: "2 days ago", "in 3 hours"."""
    return f"<t:{at}:R>"


def moment(at: int) -> str:
    """An instant as Discord shows it to each reader: "20 November 2026 14:30"."""
    return f"<t:{at}:f>"


def zone_text(locale: Language, zone: str) -> str:
    """A stored time zone, and which one holds where that is not known here."""
    return zone if is_known_zone(zone) else text(locale, "unknown-name.zone", zone=plain(zone))


def duration(locale: Language, seconds: int) -> str:
    """A span in its two largest units: "3 d 4 h", "5 h", "12 min".

    Rounded down, but to the nearest hour from a day on: a bank of four days is not 3 d 23 h a minute later.
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
    """What the clock of a game is like, as its table says."""
    if pace.terms is None:
        return text(locale, "clock.terms-none")
    said = text(locale, "clock.terms", pace=text(locale, f"choice.pace.{pace.value}"))
    return said if vacations else f"{said} {text(locale, 'clock.no-vacations')}"


def due_text(locale: Language, match: Match, people: People) -> str | None:
    """When the time of the player to move is up, or their last deadline if it is up already; None without a clock."""
    falls = flag(match, people)
    if falls is None:
        return None
    if match.pings.grace is not None:
        return text(locale, "clock.grace-ladder" if match.needs_no_claim else "clock.grace", until=instant(falls))
    return text(locale, "clock.due", falls=instant(falls))


def clock_lines(locale: Language, match: Match, now: int, people: People) -> list[str]:
    """When the time of the player to move is up, and what everybody has left, in small print; empty without a clock."""
    due = due_text(locale, match, people)
    if due is None or match.to_move is None:
        return []
    if match.pings.grace is not None:
        return [f"-# {due}"]
    if (again := standing(match, now, people)) is not None:
        due += " " + text(locale, "clock.stands", again=moment(again))
    banks = [
        f"{emblem(match.variant, seat)} {duration(locale, seconds)}"
        for seat, seconds in enumerate(left(match, now, people))
        if match.started_game.position.plays(seat) and not is_house(match.players[seat])
    ]
    if len(banks) < 2:  # whoever plays the house alone has read the deadline
        return [f"-# {due}"]
    return [f"-# {due}", f"-# {text(locale, 'clock.banks', banks=' · '.join(banks))}"]
