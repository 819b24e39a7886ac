"""What is said of players who leave: the vacant seat, who takes it over, the vote, and seats handed over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import discord

from bot.kit.components import ACTIONS, Action, Button, button
from bot.match.events import Ballot, EventKind, claimant, number, parse_fields
from bot.match.match import Match
from bot.match.news import News
from bot.match.vacancy import awaited_for_handover
from bot.posting.telling.moves import accepted, declined, yes_or_no
from bot.posting.telling.notice import Notice, Teller, doer, everyone
from bot.texts.clocks import instant
from bot.texts.i18n import Language, text
from bot.texts.sentences import colour, emblem, in_brackets, mention
from rules import Cause, Seat


def _vacated(locale: Language, news: News, name: str) -> Notice:
    match, seat = news.match, number(news.event.body, "seat")
    late = parse_fields(news.event.body)["cause"] == Cause.TIMEOUT.value
    who = _side(locale, match, seat, name)
    if late:  # he is called, and need not know yet
        who["name"] = f" ({mention(match.players[seat], locale)})"
    left = _late(locale, news, who) if late else text(locale, "turn.gave-up", **who)
    said = text(
        locale,
        "leaver.call",
        colour=colour(locale, match.variant, seat),
        id=match.id,
        until=instant(number(news.event.body, "until")),
        players=everyone(locale, match.still_in),
    )
    clocks = f" {text(locale, 'leaver.clocks-stand')}" if match.banks else ""
    return Notice(f"{left}\n{said}{clocks}", vacancy_buttons(locale, match))


def _taken_over(locale: Language, news: News, name: str) -> Notice:
    match, seat = news.match, number(news.event.body, "seat")
    assert news.user is not None
    assert news.was is not None
    variant, player, former = match.variant, mention(news.user, locale), mention(news.was.players[seat], locale)
    values = {"emblem": emblem(variant, seat), "colour": colour(locale, variant, seat)}
    if news.was.vacancy is None:
        return Notice(text(locale, "leaver.handed-over", player=player, former=former, **values))
    clocks = f" {text(locale, 'leaver.clocks-run')}" if match.banks else ""
    return Notice(text(locale, "leaver.taken-over", player=player, **values) + clocks)


def _vote(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    assert match.vacancy is not None
    said = text(
        locale,
        "vote.asked",
        colour=colour(locale, match.variant, match.vacancy.seat),
        id=match.id,
        until=instant(number(news.event.body, "until")),
        players=everyone(locale, match.still_in),
    )
    return Notice(said, vacancy_buttons(locale, match))


def _voted(locale: Language, news: News, name: str) -> Notice | None:
    """That somebody has voted; what, only when that decides, or all have and do not agree."""
    match, who = news.match, doer(locale, news, name)
    assert match.vacancy is not None
    cast = dict(match.vacancy.ballots)
    if match.game and match.game.outcome:
        return Notice(text(locale, "vote.decided", votes=votes(locale, match)))
    waited = [user for user in match.still_in if user not in cast]
    if waited:
        return Notice(text(locale, "vote.cast", who=who, id=match.id, players=everyone(locale, waited)))
    if len({*cast.values()}) == 1:
        return None  # the board, which follows, says it
    until, others = instant(match.vacancy.until), everyone(locale, match.opponents(news.user or 0))
    said = text(locale, "vote.split", players=others, who=who, id=match.id, votes=votes(locale, match), until=until)
    return Notice(said)


def votes(locale: Language, match: Match) -> str:
    """Who has voted what: "🔵 Blue: play on, 🟢 Green: agree a draw"."""
    assert match.vacancy is not None
    return ", ".join(_votes(locale, match, match.vacancy.ballots))


def _votes(locale: Language, match: Match, ballots: Iterable[tuple[int, Ballot]]) -> Iterable[str]:
    for user, ballot in sorted(ballots, key=lambda one: match.players.index(one[0])):
        seat = match.players.index(user)
        side = f"{emblem(match.variant, seat)} {colour(locale, match.variant, seat)}"
        yield text(locale, "vote.entry", side=side, ballot=text(locale, f"vote.{ballot.value}"))


def _passive(locale: Language, news: News, name: str) -> Notice:
    was, seat = news.was, number(news.event.body, "seat")
    assert was is not None
    lines = []
    if was.vacancy and was.vacancy.voting:
        ballots = dict(was.vacancy.ballots)
        agreed = all(ballots.get(user) is Ballot.PLAY_ON for user in was.still_in)
        lines.append(text(locale, "vote.decided" if agreed else "vote.run-out", votes=votes(locale, was)))
    lines.append(text(locale, "leaver.passive", **_side(locale, news.match, seat, "")))
    return Notice("\n".join(line.strip() for line in lines))


def _timed_out(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    assert news.user is not None
    seat = match.players.index(news.user)
    said = _late(locale, news, _side(locale, match, seat, name))
    if match.is_live:
        said += " " + text(locale, "leaver.passive", **_side(locale, match, seat, ""))
    return Notice(said)


def _late(locale: Language, news: News, who: Mapping[str, str]) -> str:
    """That somebody's time has run out, and which opponent has claimed it."""
    said, match, user = text(locale, "leaver.timed-out", **who), news.match, claimant(news.event)
    seat = match.seat_of(user) if user is not None else None
    return said if seat is None else f"{said} {text(locale, 'leaver.claimed', **_side(locale, match, seat, ''))}"


def waiting(locale: Language, match: Match) -> str:
    """That it is the turn of a vacant seat, and what is waited for."""
    assert match.vacancy is not None
    seat, until = match.vacancy.seat, instant(match.vacancy.until)
    coming = text(locale, "leaver.waiting-vote" if match.vacancy.voting else "leaver.waiting-call", until=until)
    side = {"emblem": emblem(match.variant, seat), "colour": colour(locale, match.variant, seat)}
    return text(locale, "leaver.waiting", next=coming, **side)


def _handover_asked(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    assert match.handover is not None
    said = text(
        locale,
        "handover.asked",
        who=doer(locale, news, name),
        id=match.id,
        to=mention(match.handover.to, locale),
        players=everyone(locale, awaited_for_handover(match)),
    )
    return Notice(said, yes_or_no(locale, "substitute", news))


def _side(locale: Language, match: Match, seat: Seat, name: str) -> dict[str, str]:
    """The emblem, the colour and the name in brackets of who plays that seat, as sentences take them."""
    return {
        "emblem": emblem(match.variant, seat),
        "colour": colour(locale, match.variant, seat),
        "name": in_brackets(name),
    }


def vacancy_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """What the vacant seat of a match waits for: somebody to take it over, or else the votes; nothing without one."""
    vacancy = match.vacancy
    if vacancy is None:
        return ()
    if not vacancy.voting:
        colour = text(locale, f"colour.{match.variant.armies[vacancy.seat].colour}")
        label = text(locale, "button.take-over", colour=colour)
        return (ACTIONS.button("take-over", Action(match.id, vacancy.seq), label, discord.ButtonStyle.primary),)
    return tuple(button(locale, f"vote-{ballot.value}", match=match.id, number=vacancy.seq) for ballot in Ballot)


TELLERS: Mapping[EventKind, Teller] = {
    EventKind.VACATED: _vacated,
    EventKind.TAKEN_OVER: _taken_over,
    EventKind.VOTE: _vote,
    EventKind.VOTED: _voted,
    EventKind.PASSIVE: _passive,
    EventKind.TIMED_OUT: _timed_out,
    EventKind.HANDOVER_ASKED: _handover_asked,
    EventKind.HANDOVER_ACCEPTED: accepted(awaited_for_handover, "handover.accepted"),
    EventKind.HANDOVER_DECLINED: declined(lambda match: match.handover, "handover.declined", "handover.withdrawn"),
}
