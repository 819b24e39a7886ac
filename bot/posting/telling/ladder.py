"""What is said of each piece of a ladder's news, and whom it calls. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from bot.kit.components import button
from bot.ladder.entries import EXCUSED, EntryKind
from bot.ladder.standings import Digest, LadderNews, Waiting
from bot.posting.telling.notice import Notice
from bot.texts.clocks import instant
from bot.texts.i18n import Language, join, plural, text
from bot.texts.ladder import RULES, moved
from bot.texts.sentences import mention, mentions
from rules import format_move

MEDALS = ("🥇", "🥈", "🥉")
SHOWN = 5
"""Climbs, queueing people and open tables that a digest names."""


class _Saying(NamedTuple):
    """A piece of a ladder's news about to be told."""

    locale: Language
    news: LadderNews

    def text(self, key: str, **values: object) -> str:
        """The sentence, filled also with the variant, the first two people and the numbers of the rules."""
        news = self.news
        one, two, *_ = [*mentions(self.locale, news.entry.users), "", ""]
        common = {"variant": text(self.locale, f"variant.{news.variant}"), "key": news.variant}
        return text(self.locale, key, **{**RULES, **common, "challenger": one, "challenged": two, **values})

    def step(self, user: int) -> int:
        """On which rung they stood as it happened, before it changed that."""
        before, after = self.news.steps.get(user, (None, 0))
        return after if before is None else before


def challenge_notice(locale: Language, news: LadderNews, waiting: Waiting) -> Notice:
    """A challenge that waits for its answer, with the buttons to give it; the one says where refusing costs a rung."""
    say, (challenger, challenged) = _Saying(locale, news), news.entry.users
    steps = {"own": say.step(challenger), "other": say.step(challenged)}
    said = say.text("ladder.told.challenged", **steps, until=instant(waiting.challenge.until))
    cost = say.text("ladder.told.costs" if waiting.costs else "ladder.told.free")
    asked, variant = news.entry.seq, news.variant
    label = "ladder-refuse-costs" if waiting.costs else "ladder-refuse"
    accept = button(locale, "ladder-accept", primary=True, number=asked, variant=variant)
    refuse = button(locale, "ladder-refuse", label=label, danger=waiting.costs, number=asked, variant=variant)
    return Notice(f"{said}\n-# {cost}", (accept, refuse), (challenged,))


def digest_notice(locale: Language, news: LadderNews, digest: Digest) -> Notice:
    """What the week was like, and what comes next."""
    title = _Saying(locale, news).text("ladder.digest.title")
    games = plural(locale, "ladder.digest.games", digest.games)
    return Notice("\n".join([title, games, *_happened(locale, digest), *_ahead(locale, digest)]))


def other_notice(locale: Language, news: LadderNews) -> Notice:
    """Any other news: an answer, a pairing, a season."""
    return _TELLERS[news.entry.kind](_Saying(locale, news))


def _accepted(say: _Saying) -> Notice:
    return Notice(say.text("ladder.told.accepted", id=say.news.entry.matches[0]))


def _refused(say: _Saying) -> Notice:
    return _unanswered(say, "ladder.told.refused", say.news.entry.users[:1])


def _lapsed(say: _Saying) -> Notice:
    excused = say.news.entry.body == EXCUSED
    return _unanswered(say, "ladder.told.lapsed-excused" if excused else "ladder.told.lapsed", say.news.entry.users)


def _unanswered(say: _Saying, key: str, ping: tuple[int, ...]) -> Notice:
    said, challenged = say.text(key), say.news.entry.users[1]
    before, after = say.news.steps.get(challenged, (None, 0))
    if before is not None and before != after:
        said += " " + say.text("ladder.told.paid", step=moved(say.locale, challenged, before, after))
    return Notice(said, ping=ping)


def _paired(say: _Saying) -> Notice:
    entry = say.news.entry
    players = join(say.locale, mentions(say.locale, entry.users))
    games = join(say.locale, [f"#{match}" for match in entry.matches])
    key = "ladder.told.triad" if len(entry.matches) > 1 else "ladder.told.paired"
    return Notice(say.text(key, players=players, games=games))


def _season_started(say: _Saying) -> Notice:
    number, until = map(int, say.news.entry.body.split())
    return Notice(say.text("ladder.told.season-started", number=number, until=f"<t:{until}:D>", again=instant(until)))


def _season_ended(say: _Saying) -> Notice:
    best = say.news.entry.users
    podium = [
        say.text("ladder.told.podium", medal=medal, player=mention(user, say.locale), step=say.step(user))
        for medal, user in zip(MEDALS, best, strict=False)
    ]
    lines = [
        say.text("ladder.told.season-ended", number=say.news.entry.body),
        *(podium or [say.text("ladder.told.no-podium")]),
        say.text("ladder.told.halved"),
    ]
    return Notice("\n".join(lines), ping=best)


_TELLERS: Mapping[EntryKind, Callable[[_Saying], Notice]] = {
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
