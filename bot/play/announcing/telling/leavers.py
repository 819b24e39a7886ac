"""The words for players who leave: the vacant seat, its takeover, the vote, and seats handed over."""

from __future__ import annotations

from collections.abc import Mapping

import discord

from bot.core.events import Ballot, EventKind, claimant_of, number_in, parse_fields, steward_sits
from bot.core.house_seats import is_house
from bot.core.leaving import awaited_for_handover
from bot.core.match import Match
from bot.core.match_state import Vacancy
from bot.discordkit.components import Button
from bot.play.announcing.telling.moves import accept_decline_buttons, teller_of_acceptance, teller_of_refusal
from bot.play.announcing.telling.notice import NewsTelling, Notice, Teller, mention_all
from bot.play.shared_components import ACTIONS, Action, action_button
from bot.texts.i18n import Language, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user
from bot.texts.sentences import colour_name, seat_emblem, side_values
from rules import Cause, Seat

PROPOSAL_BUTTONS = ("vote-now", "vote-later")
"""To agree that the vote begins, and to go on waiting for a substitute."""


def _tell_vacated(telling: NewsTelling) -> Notice:
    match, body = telling.match, telling.news.event.body
    seat, until = number_in(body, "seat"), relative_time(number_in(body, "until"))
    side = telling.side_values(seat, telling.name)
    if parse_fields(body)["cause"] == Cause.TIMEOUT.value:  # mentions the player, who may not know yet
        cause_text = _timed_out_text(
            telling, {**side, "name": f" ({mention_user(match.players[seat], telling.locale)})"}
        )
    else:
        cause_text = telling.sentence("turn.gave-up", **side)
    call = telling.sentence(
        "leaver.call", colour=side["colour"], until=until, players=mention_all(telling.locale, match.people_in)
    )
    clocks = f" {telling.sentence('leaver.clocks-stand')}" if match.banks else ""
    return Notice(f"{cause_text}\n{call}{clocks}", vacancy_buttons(telling.locale, match))


def _tell_taken_over(telling: NewsTelling) -> Notice:
    seat = number_in(telling.news.event.body, "seat")
    player, former = (
        mention_user(telling.match.players[seat], telling.locale),
        mention_user(telling.match_before.players[seat], telling.locale),
    )
    if telling.news.user is not None and is_house(telling.news.user):
        lines = (
            [telling.sentence("vote.decided", votes=list_votes(telling.locale, telling.match_before))]
            if telling.match_before.vacancy
            else []
        )
        return Notice(
            "\n".join([*lines, telling.sentence("leaver.house-sits", player=player, **telling.side_values(seat))])
        )
    if telling.match_before.vacancy is None:
        return Notice(telling.sentence("leaver.handed-over", player=player, former=former, **telling.side_values(seat)))
    clocks = f" {telling.sentence('leaver.clocks-run')}" if telling.match.banks else ""
    return Notice(telling.sentence("leaver.taken-over", player=player, **telling.side_values(seat)) + clocks)


def _tell_vote(telling: NewsTelling) -> Notice:
    vacancy = telling.match.vacancy
    assert vacancy is not None
    side = telling.side_values(vacancy.seat)["colour"]
    means = telling.sentence("vote.means-steward" if vacancy.steward else "vote.means-skip", colour=side)
    if vacancy.house is not None:
        means += "\n" + telling.sentence(
            "vote.means-house", house=mention_user(vacancy.house, telling.locale), colour=side
        )
    sentence = telling.sentence(
        "vote.asked",
        why=telling.sentence("vote.why-agreed" if telling.news.user else "vote.why-nobody", colour=side),
        players=mention_all(telling.locale, telling.match.people_in),
        means=means,
        until=relative_time(vacancy.until),
    )
    return Notice(sentence, vacancy_buttons(telling.locale, telling.match))


def _tell_vote_proposed(telling: NewsTelling) -> Notice:
    proposal = telling.match.vote_proposal
    assert proposal is not None
    buttons = tuple(
        action_button(telling.locale, key, match=telling.match.id, number=proposal.seq) for key in PROPOSAL_BUTTONS
    )
    return Notice(telling.sentence("vote.proposed"), buttons)


def _tell_proposal_dropped(telling: NewsTelling) -> Notice:
    proposal = telling.match_before.vote_proposal
    is_own = proposal is not None and proposal.user == telling.news.user
    return Notice(telling.sentence("vote.proposal-withdrawn" if is_own else "vote.proposal-declined"))


def _tell_voted(telling: NewsTelling) -> Notice | None:
    """Says that somebody has voted; shows the votes only if they decide, or if all have voted and disagree."""
    locale, match = telling.locale, telling.match
    assert match.vacancy is not None
    ballot_by_user = dict(match.vacancy.ballots)
    if not match.is_live:
        return Notice(telling.sentence("vote.decided", votes=list_votes(locale, match)))
    if awaited := [user for user in match.people_in if user not in ballot_by_user]:
        return Notice(telling.sentence("vote.cast", players=mention_all(locale, awaited)))
    if len({*ballot_by_user.values()}) == 1:
        return None  # the board that follows says it
    return Notice(
        telling.sentence("vote.split", votes=list_votes(locale, match), until=relative_time(match.vacancy.until))
    )


def list_votes(locale: Language, match: Match) -> str:
    """Returns all votes: "🔵 Blue: play on, 🟢 Green: agree a draw"."""
    assert match.vacancy is not None
    ballots = sorted((match.players.index(user), ballot.value) for user, ballot in match.vacancy.ballots)
    return ", ".join(
        text(
            locale,
            "vote.entry",
            side=f"{seat_emblem(match.variant, seat)} {colour_name(locale, match.variant, seat)}",
            ballot=text(locale, f"vote.{ballot}"),
        )
        for seat, ballot in ballots
    )


def _tell_passive(telling: NewsTelling) -> Notice:
    was, lines = telling.match_before, []
    if was.vacancy and was.vacancy.voting:
        ballots = dict(was.vacancy.ballots)
        agreed = all(ballots.get(user) is Ballot.PLAY_ON for user in was.people_in)
        lines.append(
            telling.sentence("vote.decided" if agreed else "vote.run-out", votes=list_votes(telling.locale, was))
        )
    lines.append(_seat_left_text(telling, number_in(telling.news.event.body, "seat")))
    return Notice("\n".join(line.strip() for line in lines))


def _tell_timed_out(telling: NewsTelling) -> Notice:
    assert telling.news.user is not None
    seat = telling.match.players.index(telling.news.user)
    sentence = _timed_out_text(telling, telling.side_values(seat, telling.name))
    return Notice(f"{sentence} {_seat_left_text(telling, seat)}" if telling.match.is_live else sentence)


def _seat_left_text(telling: NewsTelling, seat: Seat) -> str:
    """Says what happens to the seat of a player who left: its turns are skipped, or a steward plays it."""
    return telling.sentence(
        "leaver.steward" if steward_sits(telling.news.event) else "leaver.passive", **telling.side_values(seat)
    )


def _timed_out_text(telling: NewsTelling, who: Mapping[str, str]) -> str:
    """Says that a player's time has run out, and which opponent claimed it."""
    sentence, user = telling.sentence("leaver.timed-out", **who), claimant_of(telling.news.event)
    seat = telling.match.seat_of(user) if user is not None else None
    return sentence if seat is None else f"{sentence} {telling.sentence('leaver.claimed', **telling.side_values(seat))}"


def _tell_handover_asked(telling: NewsTelling) -> Notice:
    assert telling.match.handover is not None
    sentence = telling.sentence("handover.asked", to=mention_user(telling.match.handover.to, telling.locale))
    return Notice(sentence, accept_decline_buttons(telling, "substitute"))


def vacancy_text(locale: Language, match: Match) -> str:
    """Says that a vacant seat is to move, and what the game waits for."""
    assert match.vacancy is not None
    seat, until = match.vacancy.seat, relative_time(match.vacancy.until)
    coming = text(locale, "leaver.waiting-vote" if match.vacancy.voting else "leaver.waiting-call", until=until)
    return text(locale, "leaver.waiting", next=coming, **side_values(locale, match.variant, seat))


def vacancy_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """Returns the buttons for a vacant seat: to take it over or to propose the vote, later to vote. None otherwise."""
    vacancy = match.vacancy
    if vacancy is None:
        return ()
    if not vacancy.voting:
        return take_over_button(locale, match, vacancy), action_button(
            locale, "vote-now", match=match.id, number=vacancy.seq
        )
    return tuple(
        action_button(locale, f"vote-{ballot.value}", match=match.id, number=vacancy.seq)
        for ballot in vacancy.ballot_choices
    )


def take_over_button(locale: Language, match: Match, vacancy: Vacancy) -> Button:
    """Returns the button that takes the vacant seat over."""
    label = text(locale, "button.take-over", colour=colour_name(locale, match.variant, vacancy.seat))
    return ACTIONS.make_button("take-over", Action(match.id, vacancy.seq), label, discord.ButtonStyle.primary)


LEAVER_TELLERS: Mapping[EventKind, Teller] = {
    EventKind.VACATED: _tell_vacated,
    EventKind.TAKEN_OVER: _tell_taken_over,
    EventKind.VOTE: _tell_vote,
    EventKind.VOTED: _tell_voted,
    EventKind.VOTE_PROPOSED: _tell_vote_proposed,
    EventKind.VOTE_PROPOSAL_DROPPED: _tell_proposal_dropped,
    EventKind.PASSIVE: _tell_passive,
    EventKind.TIMED_OUT: _tell_timed_out,
    EventKind.HANDOVER_ASKED: _tell_handover_asked,
    EventKind.HANDOVER_ACCEPTED: teller_of_acceptance(awaited_for_handover, "handover.accepted"),
    EventKind.HANDOVER_DECLINED: teller_of_refusal(
        lambda match: match.handover, "handover.declined", "handover.withdrawn"
    ),
}
