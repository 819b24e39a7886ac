"""What is said of each piece of a ladder's news, and whom it calls. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from bot.kit.components import Button, button
from bot.ladder.entries import EXCUSED, EntryKind
from bot.ladder.standings import Digest, LadderNews, Waiting
from bot.texts.clocks import instant
from bot.texts.i18n import Language, join, plural, text
from bot.texts.ladder import RULES, moved
from bot.texts.sentences import mention, mentions
from rules import format_move

MEDALS = ("🥇", "🥈", "🥉")
SHOWN = 5
"""Climbs, queueing people and open tables that a digest names."""


class Told(NamedTuple):
    """A message about a ladder: its words, whom it pings, and its buttons."""

    text: str
    ping: tuple[int, ...] = ()
    buttons: tuple[Button, ...] = ()


def challenge_told(locale: Language, news: LadderNews, waiting: Waiting) -> Told:
    """A challenge that waits for its answer, with the buttons to give it; the one says where refusing costs a step."""
    challenger, challenged = news.entry.users
    said = text(
        locale,
        "ladder.told.challenged",
        **_common(locale, news),
        challenger=mention(challenger, locale),
        challenged=mention(challenged, locale),
        own=_step(news, challenger),
        other=_step(news, challenged),
        until=instant(waiting.challenge.until),
    )
    cost = text(locale, "ladder.told.costs" if waiting.costs else "ladder.told.free", **RULES)
    asked, variant = news.entry.seq, news.variant
    label = "ladder-refuse-costs" if waiting.costs else "ladder-refuse"
    accept = button(locale, "ladder-accept", primary=True, number=asked, variant=variant)
    refuse = button(locale, "ladder-refuse", label=label, danger=waiting.costs, number=asked, variant=variant)
    return Told(f"{said}\n-# {cost}", (challenged,), (accept, refuse))


def digest_told(locale: Language, news: LadderNews, digest: Digest) -> Told:
    """What the week was like, and what comes next."""
    title = text(locale, "ladder.digest.title", **_common(locale, news))
    games = plural(locale, "ladder.digest.games", digest.games)
    return Told("\n".join([title, games, *_happened(locale, digest), *_ahead(locale, digest)]))


def told(locale: Language, news: LadderNews) -> Told:
    """Any other news: an answer, a pairing, a season."""
    return _TELLERS[news.entry.kind](locale, news)


def _accepted(locale: Language, news: LadderNews) -> Told:
    challenger, challenged = mentions(locale, news.entry.users)
    names = {"challenger": challenger, "challenged": challenged, "id": news.entry.matches[0]}
    return Told(text(locale, "ladder.told.accepted", **_common(locale, news), **names))


def _refused(locale: Language, news: LadderNews) -> Told:
    return _unanswered(locale, news, "ladder.told.refused", news.entry.users[:1])


def _lapsed(locale: Language, news: LadderNews) -> Told:
    excused = news.entry.body == EXCUSED
    return _unanswered(
        locale, news, "ladder.told.lapsed-excused" if excused else "ladder.told.lapsed", news.entry.users
    )


def _unanswered(locale: Language, news: LadderNews, key: str, ping: tuple[int, ...]) -> Told:
    challenger, challenged = news.entry.users
    names = {"challenger": mention(challenger, locale), "challenged": mention(challenged, locale)}
    said = text(locale, key, **_common(locale, news), **names, **RULES)
    before, after = news.steps.get(challenged, (None, 0))
    if before is not None and before != after:
        said += " " + text(locale, "ladder.told.paid", step=moved(locale, challenged, before, after), **RULES)
    return Told(said, ping)


def _paired(locale: Language, news: LadderNews) -> Told:
    players = join(locale, mentions(locale, news.entry.users))
    games = join(locale, [f"#{match}" for match in news.entry.matches])
    key = "ladder.told.triad" if len(news.entry.matches) > 1 else "ladder.told.paired"
    return Told(text(locale, key, **_common(locale, news), players=players, games=games))


def _season_started(locale: Language, news: LadderNews) -> Told:
    number, until = map(int, news.entry.body.split())
    when = {"until": f"<t:{until}:D>", "again": instant(until)}
    return Told(text(locale, "ladder.told.season-started", **_common(locale, news), number=number, **when))


def _season_ended(locale: Language, news: LadderNews) -> Told:
    best = news.entry.users
    lines = [text(locale, "ladder.told.season-ended", **_common(locale, news), number=news.entry.body)]
    for medal, user in zip(MEDALS, best, strict=False):
        lines.append(
            text(locale, "ladder.told.podium", medal=medal, player=mention(user, locale), step=_step(news, user))
        )
    if not best:
        lines.append(text(locale, "ladder.told.no-podium"))
    return Told("\n".join([*lines, text(locale, "ladder.told.halved")]), best)


_TELLERS: Mapping[EntryKind, Callable[[Language, LadderNews], Told]] = {
    EntryKind.ACCEPTED: _accepted,
    EntryKind.REFUSED: _refused,
    EntryKind.LAPSED: _lapsed,
    EntryKind.PAIRED: _paired,
    EntryKind.SEASON_STARTED: _season_started,
    EntryKind.SEASON_ENDED: _season_ended,
}


def _happened(locale: Language, digest: Digest) -> Iterator[str]:
    if digest.climbs:
        climbs = (
            text(locale, "ladder.digest.climb", player=mention(user, locale), gained=gained, step=step)
            for user, gained, step in digest.climbs[:SHOWN]
        )
        yield text(locale, "ladder.digest.climbs", climbs=", ".join(climbs))
    if upset := digest.upset:
        names = {"winner": mention(upset.winner, locale), "beaten": mention(upset.beaten, locale)}
        yield text(locale, "ladder.digest.upset", **names, points=upset.points, id=upset.match)
    if (charge := digest.charge) and digest.charge_match:
        move = format_move(charge.move, digest.charge_match.variant.board)
        yield text(locale, "ladder.digest.charge", move=move, ply=charge.ply, id=charge.match)


def _ahead(locale: Language, digest: Digest) -> Iterator[str]:
    if digest.waiting:
        players = ", ".join(mentions(locale, digest.waiting[:SHOWN]))
        yield plural(locale, "ladder.digest.waiting", len(digest.waiting), players=players)
    if digest.tables:
        tables = ", ".join(f"#{match}" for match in digest.tables[:SHOWN])
        yield text(locale, "ladder.digest.tables", tables=tables)
    if digest.deadlines:
        due = (
            text(locale, "ladder.digest.deadline", player=mention(user, locale), id=match, flag=instant(flag))
            for match, user, flag in digest.deadlines
        )
        yield text(locale, "ladder.digest.deadlines", deadlines=", ".join(due))


def _common(locale: Language, news: LadderNews) -> dict[str, object]:
    return {"variant": text(locale, f"variant.{news.variant}"), "key": news.variant}


def _step(news: LadderNews, user: int) -> int:
    """On which step they stood as it happened, before it changed that."""
    before, after = news.steps.get(user, (None, 0))
    return after if before is None else before
