"""What is said of players who leave: the vacant seat, who takes it over, the vote, and seats handed over."""

from __future__ import annotations

from collections.abc import Mapping

import discord

from bot.kit.components import ACTIONS, Action, Button, button
from bot.match.events import Ballot, EventKind, claimant, number, parse_fields, steward_sits
from bot.match.match import Match
from bot.match.vacancy import awaited_for_handover
from bot.people.house import is_house
from bot.posting.telling.moves import accepted, declined, yes_or_no
from bot.posting.telling.notice import Notice, Saying, Teller, everyone
from bot.texts.clocks import instant
from bot.texts.i18n import Language, text
from bot.texts.sentences import colour, emblem, mention, side
from rules import Cause, Seat


def _vacated(say: Saying) -> Notice:
    match, body = say.match, say.news.event.body
    seat, until = number(body, "seat"), instant(number(body, "until"))
    side = say.side(seat, say.name)
    if parse_fields(body)["cause"] == Cause.TIMEOUT.value:  # who is called, and need not know yet
        left = _late(say, {**side, "name": f" ({mention(match.players[seat], say.locale)})"})
    else:
        left = say.text("turn.gave-up", **side)
    call = say.text("leaver.call", colour=side["colour"], until=until, players=everyone(say.locale, match.people_in))
    clocks = f" {say.text('leaver.clocks-stand')}" if match.banks else ""
    return Notice(f"{left}\n{call}{clocks}", vacancy_buttons(say.locale, match))


def _taken_over(say: Saying) -> Notice:
    seat = number(say.news.event.body, "seat")
    player, former = mention(say.match.players[seat], say.locale), mention(say.was.players[seat], say.locale)
    if say.news.user is not None and is_house(say.news.user):
        lines = [say.text("vote.decided", votes=votes(say.locale, say.was))] if say.was.vacancy else []
        return Notice("\n".join([*lines, say.text("leaver.house-sits", player=player, **say.side(seat))]))
    if say.was.vacancy is None:
        return Notice(say.text("leaver.handed-over", player=player, former=former, **say.side(seat)))
    clocks = f" {say.text('leaver.clocks-run')}" if say.match.banks else ""
    return Notice(say.text("leaver.taken-over", player=player, **say.side(seat)) + clocks)


def _vote(say: Saying) -> Notice:
    vacancy = say.match.vacancy
    assert vacancy is not None
    side = say.side(vacancy.seat)["colour"]
    means = say.text("vote.means-steward" if vacancy.steward else "vote.means-skip", colour=side)
    if vacancy.house is not None:
        means += "\n" + say.text("vote.means-house", house=mention(vacancy.house, say.locale), colour=side)
    said = say.text("vote.asked", colour=side, means=means, until=instant(vacancy.until))
    return Notice(said, vacancy_buttons(say.locale, say.match))


def _voted(say: Saying) -> Notice | None:
    """That somebody has voted; what, only when that decides, or all have and do not agree."""
    locale, match = say.locale, say.match
    assert match.vacancy is not None
    cast = dict(match.vacancy.ballots)
    if not match.is_live:
        return Notice(say.text("vote.decided", votes=votes(locale, match)))
    if waited := [user for user in match.people_in if user not in cast]:
        return Notice(say.text("vote.cast", players=everyone(locale, waited)))
    if len({*cast.values()}) == 1:
        return None  # the board, which follows, says it
    return Notice(say.text("vote.split", votes=votes(locale, match), until=instant(match.vacancy.until)))


def votes(locale: Language, match: Match) -> str:
    """Who has voted what: "🔵 Blue: play on, 🟢 Green: agree a draw"."""
    assert match.vacancy is not None
    cast = sorted((match.players.index(user), ballot.value) for user, ballot in match.vacancy.ballots)
    return ", ".join(
        text(
            locale,
            "vote.entry",
            side=f"{emblem(match.variant, seat)} {colour(locale, match.variant, seat)}",
            ballot=text(locale, f"vote.{ballot}"),
        )
        for seat, ballot in cast
    )


def _passive(say: Saying) -> Notice:
    was, lines = say.was, []
    if was.vacancy and was.vacancy.voting:
        ballots = dict(was.vacancy.ballots)
        agreed = all(ballots.get(user) is Ballot.PLAY_ON for user in was.people_in)
        lines.append(say.text("vote.decided" if agreed else "vote.run-out", votes=votes(say.locale, was)))
    lines.append(_left_to(say, number(say.news.event.body, "seat")))
    return Notice("\n".join(line.strip() for line in lines))


def _timed_out(say: Saying) -> Notice:
    assert say.news.user is not None
    seat = say.match.players.index(say.news.user)
    said = _late(say, say.side(seat, say.name))
    return Notice(f"{said} {_left_to(say, seat)}" if say.match.is_live else said)


def _left_to(say: Saying, seat: Seat) -> str:
    """Who has that seat now that its player has left: nobody, or a steward, and what that means."""
    return say.text("leaver.steward" if steward_sits(say.news.event) else "leaver.passive", **say.side(seat))


def _late(say: Saying, who: Mapping[str, str]) -> str:
    """That somebody's time has run out, and which opponent has claimed it."""
    said, user = say.text("leaver.timed-out", **who), claimant(say.news.event)
    seat = say.match.seat_of(user) if user is not None else None
    return said if seat is None else f"{said} {say.text('leaver.claimed', **say.side(seat))}"


def _handover_asked(say: Saying) -> Notice:
    assert say.match.handover is not None
    said = say.text("handover.asked", to=mention(say.match.handover.to, say.locale))
    return Notice(said, yes_or_no(say, "substitute"))


def waiting(locale: Language, match: Match) -> str:
    """That it is the turn of a vacant seat, and what is waited for."""
    assert match.vacancy is not None
    seat, until = match.vacancy.seat, instant(match.vacancy.until)
    coming = text(locale, "leaver.waiting-vote" if match.vacancy.voting else "leaver.waiting-call", until=until)
    return text(locale, "leaver.waiting", next=coming, **side(locale, match.variant, seat))


def vacancy_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """What the vacant seat of a match waits for: somebody to take it over, or else the votes; nothing without one."""
    vacancy = match.vacancy
    if vacancy is None:
        return ()
    if not vacancy.voting:
        label = text(locale, "button.take-over", colour=colour(locale, match.variant, vacancy.seat))
        return (ACTIONS.button("take-over", Action(match.id, vacancy.seq), label, discord.ButtonStyle.primary),)
    return tuple(
        button(locale, f"vote-{ballot.value}", match=match.id, number=vacancy.seq) for ballot in vacancy.choices
    )


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
