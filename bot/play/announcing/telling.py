"""The notice made from one piece of news: a few lines with their buttons, by a teller for each kind of event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import discord

from bot.core.clock import DAY, HOUR
from bot.core.deadlines import stillness_ends_at, time_runs_out_at
from bot.core.events import (
    ACCEPTING_EVENTS,
    ASKING_EVENTS,
    DECLINING_EVENTS,
    FRESH_BOARD_EVENTS,
    REFEREE_EVENTS,
    Ballot,
    Event,
    EventKind,
    RequestKind,
    claimant_of,
    number_in,
    parse_fields,
    reason_of,
    steward_sits,
)
from bot.core.house_seats import is_house
from bot.core.match import Match, Vacancy
from bot.core.news import News
from bot.core.offers import users_awaited
from bot.core.refereeing import MAX_REASON_LENGTH, Ruling
from bot.core.time_acts import LONG_ABSENCE
from bot.discordkit.components import Button
from bot.play.context import ACTIONS, Action, action_button
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import absolute_time, escape_markup, relative_time
from bot.texts.people import house_name, mention_user, mention_users
from bot.texts.sentences import (
    attack_sentence,
    claim_label,
    colour_name,
    due_text,
    duration_text,
    in_brackets,
    moment_phrase,
    played_sentence,
    seat_emblem,
    side_values,
    titled_name,
    turn_names,
)
from rules import Cause, Seat, format_move


class Notice(NamedTuple):
    """The words for a piece of news, including mentions of the people it calls, and its buttons."""

    text: str
    buttons: tuple[Button, ...] = ()
    ping: tuple[int, ...] = ()
    """The people that the news of a ladder calls. For news of a match, they are in `News.calls`."""


class NewsTelling(NamedTuple):
    """A piece of news about to be put into words."""

    locale: Language
    news: News
    name: str
    """The name of `news.user` for plain words that ping nobody; empty if unknown in time."""

    @property
    def match(self) -> Match:
        return self.news.match

    @property
    def match_before(self) -> Match:
        """The match just before the news. Not available for a start."""
        assert self.news.match_before is not None, self.news.event
        return self.news.match_before

    @property
    def actor_name(self) -> str:
        """The person who caused the news, by colour and name: "🔴 **Red** (Bo)"; by name alone if they have no seat."""
        seat = self.match.seat_of(self.news.user) if self.news.user is not None else None
        if seat is None:
            return f"**{escape_markup(self.name) if self.name else text(self.locale, 'unknown-player')}**"
        side = self.side_values(seat, self.name)
        return f"{side['emblem']} **{side['colour']}**{side['name']}"

    def side_values(self, seat: Seat, name: str = "") -> dict[str, str]:
        """Returns the seat's emblem and colour, and the name in brackets, as sentences take them."""
        return {**side_values(self.locale, self.match.variant, seat), "name": in_brackets(name)}

    def sentence(self, key: str, **values: object) -> str:
        """Returns the sentence filled with `values`, the person who acted, the game's number, mentions of the people it
        calls, and the label of the button to claim.
        """
        called, claim = mention_all(self.locale, self.news.calls), f"button.{claim_label(self.match)}"
        known = {"who": self.actor_name, "id": self.match.id, "players": called, "claim": text(self.locale, claim)}
        return text(self.locale, key, **known | values)


Teller = Callable[[NewsTelling], Notice | None]
"""Puts a piece of news into words. Returns None if a later post says it."""


def order_lines(locale: Language, news: News) -> list[str]:
    """Returns a line for each seat without pieces since that move, and for each turn passed after the news: of a seat
    that could not move, or a steward without a capture.
    """
    match, lines = news.match, list[str]()
    for seat in news.seats_without_pieces:
        side, armies = side_values(locale, match.variant, seat), match.variant.armies
        is_told = match.players[seat] in news.users_out
        name = f" ({mention_user(match.players[seat], locale)})" if is_told else ""
        lines.append(text(locale, "turn.out", **side, name=name))
        attacker = next(other for other in match.variant.seats if armies[other].goal == armies[seat].castle)
        if match.started_game.position.is_playing(attacker):
            attacks = text(locale, "turn.out-castle", attacker=colour_name(locale, match.variant, attacker), **side)
            lines[-1] += f" {attacks}"
        if news.match_before and news.match_before.vacancy and not match.vacancy:
            lines[-1] += f" {text(locale, 'turn.out-vacant')}"
    stewards = news.match.started_game.position.stewards if news.passed else ()
    for seat in news.passed:
        key = "turn.passed-steward" if seat in stewards else "turn.passed"
        lines.append(text(locale, key, **side_values(locale, match.variant, seat)))
    return lines


def _tell_asked(telling: NewsTelling) -> Notice:
    """Says what a player asks of the others, with the buttons to answer, which carry the number of its event."""
    match, event, kind = telling.match, telling.news.event, ASKING_EVENTS[telling.news.kind]
    request, values, subject = match.requests.of_kind(kind), dict[str, str](), kind.value
    assert request is not None
    match kind:
        case RequestKind.TAKEBACK:
            values = _taken_back_values(telling.locale, match, request.ply)
        case RequestKind.PAUSE:
            values["until"] = absolute_time(number_in(event.body, "until"))
        case RequestKind.HANDOVER:
            subject, values["to"] = "substitute", mention_user(request.to, telling.locale)
    accept, decline = (
        action_button(telling.locale, f"{subject}-{answer}", primary=primary, match=match.id, number=event.seq)
        for answer, primary in (("accept", True), ("decline", False))
    )
    return Notice(telling.sentence(f"{kind.value}.asked", **values), (accept, decline))


def _tell_accepted(telling: NewsTelling) -> Notice | None:
    """Says who still has to agree to a request. Once all have, the next news says it; only a draw has words for it."""
    kind = ACCEPTING_EVENTS[telling.news.kind]
    if still_awaited := users_awaited(telling.match, kind):
        return Notice(telling.sentence(f"{kind.value}.accepted", players=mention_all(telling.locale, still_awaited)))
    return Notice(telling.sentence("draw.agreed")) if kind is RequestKind.DRAW else None


def _tell_declined(telling: NewsTelling) -> Notice:
    """Says that somebody refused a request, or withdrew their own."""
    kind = DECLINING_EVENTS[telling.news.kind]
    request = telling.match_before.requests.of_kind(kind)
    how = "withdrawn" if request is not None and request.user == telling.news.user else "declined"
    return Notice(telling.sentence(f"{kind.value}.{how}"))


def mention_all(locale: Language, users: Sequence[int]) -> str:
    """Returns those people as a list of mentions; empty for nobody."""
    return join_list(locale, mention_users(locale, users))


def _tell_vacated(telling: NewsTelling) -> Notice:
    match, body = telling.match, telling.news.event.body
    seat, until = number_in(body, "seat"), relative_time(number_in(body, "until"))
    side = telling.side_values(seat, telling.name)
    if parse_fields(body)["cause"] == Cause.TIMEOUT.value:  # mentions the player, who may not know yet
        side["name"] = f" ({mention_user(match.players[seat], telling.locale)})"
        cause_text = _timed_out_text(telling, side)
    else:
        cause_text = telling.sentence("turn.gave-up", **side)
    players = mention_all(telling.locale, match.people_in)
    call = telling.sentence("leaver.call", colour=side["colour"], until=until, players=players)
    clocks = f" {telling.sentence('leaver.clocks-stand')}" if match.clock.banks else ""
    return Notice(f"{cause_text}\n{call}{clocks}", vacancy_buttons(telling.locale, match))


def _tell_taken_over(telling: NewsTelling) -> Notice:
    seat, was = number_in(telling.news.event.body, "seat"), telling.match_before
    player, former = (mention_user(match.players[seat], telling.locale) for match in (telling.match, was))
    if telling.news.user is not None and is_house(telling.news.user):
        lines = [telling.sentence("vote.decided", votes=list_votes(telling.locale, was))] if was.vacancy else []
        lines.append(telling.sentence("leaver.house-sits", player=player, **telling.side_values(seat)))
        return Notice("\n".join(lines))
    if was.vacancy is None:
        return Notice(telling.sentence("leaver.handed-over", player=player, former=former, **telling.side_values(seat)))
    runs = telling.match.clock.banks and not telling.match.paused_until
    clocks = f" {telling.sentence('leaver.clocks-run')}" if runs else ""
    return Notice(telling.sentence("leaver.taken-over", player=player, **telling.side_values(seat)) + clocks)


def _tell_vote(telling: NewsTelling) -> Notice:
    vacancy = telling.match.vacancy
    assert vacancy is not None
    side = telling.side_values(vacancy.seat)["colour"]
    means = telling.sentence("vote.means-steward", colour=side)
    if vacancy.house_player is not None:
        house = mention_user(vacancy.house_player, telling.locale)
        means += "\n" + telling.sentence("vote.means-house", house=house, colour=side)
    sentence = telling.sentence(
        "vote.asked",
        why=telling.sentence("vote.why-agreed" if telling.news.user else "vote.why-nobody", colour=side),
        players=mention_all(telling.locale, telling.match.people_in),
        means=means,
        until=relative_time(vacancy.until),
    )
    return Notice(sentence, vacancy_buttons(telling.locale, telling.match))


def _tell_vote_proposed(telling: NewsTelling) -> Notice:
    proposal = telling.match.requests.of_kind(RequestKind.VOTE)
    assert proposal is not None
    buttons = tuple(
        action_button(telling.locale, key, match=telling.match.id, number=proposal.seq)
        for key in ("vote-now", "vote-later")
    )
    return Notice(telling.sentence("vote.proposed"), buttons)


def _tell_voted(telling: NewsTelling) -> Notice | None:
    """Says that somebody has voted; shows the votes only if they decide, or if all have voted and disagree."""
    locale, match = telling.locale, telling.match
    assert match.vacancy is not None
    ballot_by_user, votes = dict(match.vacancy.ballots), list_votes(locale, match)
    if not match.is_live:
        return Notice(telling.sentence("vote.decided", votes=votes))
    if awaited := [user for user in match.people_in if user not in ballot_by_user]:
        return Notice(telling.sentence("vote.cast", players=mention_all(locale, awaited)))
    if len({*ballot_by_user.values()}) == 1:
        return None  # the board that follows says it
    return Notice(telling.sentence("vote.split", votes=votes, until=relative_time(match.vacancy.until)))


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
        key = "vote.decided" if agreed else "vote.run-out"
        lines.append(telling.sentence(key, votes=list_votes(telling.locale, was)))
    key = "leaver.steward" if steward_sits(telling.news.event) else "leaver.passive"
    lines.append(telling.sentence(key, **telling.side_values(number_in(telling.news.event.body, "seat"))))
    return Notice("\n".join(line.strip() for line in lines))


def _tell_timed_out(telling: NewsTelling) -> Notice:
    assert telling.news.user is not None
    seat = telling.match.players.index(telling.news.user)
    return Notice(_timed_out_text(telling, telling.side_values(seat, telling.name)))


def _timed_out_text(telling: NewsTelling, who: Mapping[str, str]) -> str:
    """Says that a player's time has run out, and which opponent claimed it."""
    sentence, user = telling.sentence("leaver.timed-out", **who), claimant_of(telling.news.event)
    seat = telling.match.seat_of(user) if user is not None else None
    return sentence if seat is None else f"{sentence} {telling.sentence('leaver.claimed', **telling.side_values(seat))}"


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
        vote = action_button(locale, "vote-now", match=match.id, number=vacancy.seq)
        return take_over_button(locale, match, vacancy), vote
    return tuple(
        action_button(locale, f"vote-{ballot.value}", match=match.id, number=vacancy.seq)
        for ballot in vacancy.ballot_choices
    )


def take_over_button(locale: Language, match: Match, vacancy: Vacancy) -> Button:
    """Returns the button that takes the vacant seat over."""
    label = text(locale, "button.take-over", colour=colour_name(locale, match.variant, vacancy.seat))
    return ACTIONS.make_button("take-over", Action(match.id, vacancy.seq), label, discord.ButtonStyle.primary)


def moves_since(locale: Language, match: Match, ply: int) -> str:
    """Returns the match's moves after the first `ply` ones, each with its player's sign: "⚪ `F7-F8` and …"."""
    moves, variant = [(change.seat, change.move) for change in match.changes if change.move][ply:], match.variant
    signed = [f"{seat_emblem(variant, seat)} `{format_move(move, variant.board)}`" for seat, move in moves]
    return join_list(locale, signed)


def _taken_back_values(locale: Language, match: Match, ply: int) -> dict[str, str]:
    """Returns the match's moves after the first `ply` ones and the board before them, as sentences take them."""
    return {"moves": moves_since(locale, match, ply), "when": moment_phrase(locale, match.started_game, ply)}


MAX_ARROWS = 40
"""Moves of a chain drawn as arrows and listed, the latest ones: more would hide each other."""
MAX_CHAIN_LENGTH = 1000
"""Characters for the moves of a chain, which leave room for the rest of the message."""


def _tell_chain(telling: NewsTelling, moves: Sequence[News]) -> Notice:
    """Lists the moves of a chain by their arrows, one to a line; only the latest if there are too many."""
    links = [_chain_line(telling, number, item) for number, item in enumerate(moves[-MAX_ARROWS:], 1)]
    shown, room = list[str](), MAX_CHAIN_LENGTH
    for lines in reversed(links):
        room -= len(lines) + 1
        if room < 0:
            break
        shown.insert(0, lines)
    more = [telling.sentence("plan.chain.more")] if len(moves) > len(shown) else []
    return Notice("\n".join([*more, *shown]))


def _chain_line(telling: NewsTelling, number: int, item: News) -> str:
    name = house_name(item.user, telling.locale) if item.user is not None and is_house(item.user) else ""
    played = _played_text(telling, item, name, "plan.chain.planned", "plan.chain.auto")
    line = telling.sentence("plan.chain.move", number=number, played=played)
    return "\n".join([line, *order_lines(telling.locale, item)])


def _tell_moved(telling: NewsTelling) -> Notice:
    news, moves = telling.news, [item for item in telling.news.told_together if item.move]
    if len(moves) > 1:
        return _tell_chain(telling, moves)
    return Notice(_played_text(telling, news, telling.name, "plan.alone", "time.auto"))


def _played_text(telling: NewsTelling, item: News, name: str, planned: str, auto: str) -> str:
    """Returns who moved what, with the sentence of the key `planned` or `auto` if the bot played it for its player."""
    assert item.position_before is not None
    assert item.move is not None
    name = telling.sentence("turn.steward") if item.is_by_steward else name
    sentence = played_sentence(telling.locale, item.position_before, item.move, name)
    if item.is_by_steward or not (item.planned or item.auto):
        return sentence
    return f"{sentence} {telling.sentence(planned if item.planned else auto)}"


def _tell_resigned(telling: NewsTelling) -> Notice:
    assert telling.news.user is not None
    seat = telling.match.players.index(telling.news.user)
    return Notice(telling.sentence("turn.gave-up", **telling.side_values(seat, telling.name)))


BOARD_LINK_EVENTS = frozenset(
    {EventKind.REMINDED, EventKind.NUDGED, EventKind.GRACE, EventKind.GIVEN, EventKind.STILL, EventKind.OVERDUE}
) | {EventKind.PROLONGED, EventKind.RESUMED}
"""Events posted below a board that may be far above, so that the post links to the board."""


def _tell_reminded(telling: NewsTelling) -> Notice:
    match, deadline = telling.match, time_runs_out_at(telling.match, telling.news.people)
    since, key = match.clock.turn_began_at, "time.reminded" if deadline is None else "time.reminded-clock"
    times = {"since": relative_time(since)} if deadline is None else {"falls": relative_time(deadline)}
    sentence = _text_to_mover(telling, key, **times)
    return Notice(sentence, (action_button(telling.locale, "snooze", match=match.id, number=match.board_version),))


def _tell_grace(telling: NewsTelling) -> Notice:
    key = "time.grace-ladder" if telling.match.needs_no_claim else "time.grace"
    sentence = _text_to_mover(telling, key, until=_until_text(telling))
    return Notice(sentence, grace_buttons(telling.locale, telling.match))


def _tell_prolonged(telling: NewsTelling) -> Notice | None:
    seconds = number_in(telling.news.event.body, "lost")
    if not telling.match.is_live or seconds < LONG_ABSENCE:
        return None  # the table says it, or nobody needs to know
    vacancy, lost = telling.match.vacancy, duration_text(telling.locale, seconds)
    if vacancy is None:
        return Notice(_text_to_mover(telling, "time.prolonged", until=_until_text(telling), lost=lost))
    key = "time.prolonged-vote" if vacancy.voting else "time.prolonged-call"
    return Notice(telling.sentence(key, **telling.side_values(vacancy.seat), until=_until_text(telling), lost=lost))


def grace_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """Returns the buttons for the opponents of a player whose time is up; none without opponents. A ladder game needs
    no claim.
    """
    if not match.opponents_of(match.players[match.turn]):
        return ()
    give = action_button(locale, "give-time", match=match.id, number=match.board_version)
    if match.needs_no_claim:
        return (give,)
    return action_button(locale, "claim", label=claim_label(match), match=match.id, number=match.board_version), give


def _text_with_deadline(telling: NewsTelling, key: str) -> str:
    """Returns a sentence to the player to move, with their deadline if there is one."""
    deadline, sentence = time_runs_out_at(telling.match, telling.news.people), _text_to_mover(telling, key)
    due = "" if deadline is None else f" {telling.sentence('clock.due', falls=relative_time(deadline))}"
    return f"{sentence}{due}"


def _text_to_mover(telling: NewsTelling, key: str, **values: str) -> str:
    """Returns a sentence to the player to move."""
    player = mention_all(telling.locale, telling.news.calls)
    return telling.sentence(key, player=player, emblem=seat_emblem(telling.match.variant, telling.match.turn), **values)


def _until_text(telling: NewsTelling) -> str:
    return relative_time(number_in(telling.news.event.body, "until"))


def _tell_still(telling: NewsTelling) -> Notice:
    match, people = telling.match, telling.news.people
    closes, since = relative_time(stillness_ends_at(match, people)), relative_time(match.clock.turn_began_at)
    key, buttons = "time.still", tuple[Button, ...]()
    if match.clock.is_overdue:
        key, buttons = "time.still-claim", grace_buttons(telling.locale, match)
    return Notice(telling.sentence(key, since=since, closes=closes), buttons)


def _tell_closed_still(telling: NewsTelling) -> Notice:
    return Notice(telling.sentence("time.closed-still", since=relative_time(telling.match.clock.turn_began_at)))


def _tell_unreached(telling: NewsTelling) -> Notice:
    since = number_in(telling.news.event.body, "since")
    return Notice(telling.sentence("time.unreached", since=absolute_time(since)))


def _tell_away(telling: NewsTelling) -> Notice:
    match, news = telling.match, telling.news
    sentence = telling.sentence("time.away", until=absolute_time(number_in(news.event.body, "until")))
    if not match.clock.banks:
        return Notice(sentence)
    if not match.terms.vacations:
        return Notice(f"{sentence} {telling.sentence('time.away-runs')}")
    if match.terms.vacation_cap is not None:
        capped = plural_text(telling.locale, "time.away-capped", match.terms.vacation_cap.seconds // DAY)
        return Notice(" ".join([sentence, capped, *_new_deadline_lines(telling)]))
    # A vacation does not stop the grace of a player whose time is already up.
    is_in_grace = news.user == match.to_move and match.clock.grace_ends_at is not None
    stands = [] if is_in_grace else [telling.sentence("time.away-stands")]
    return Notice(" ".join([sentence, *stands, *_new_deadline_lines(telling)]))


def _tell_back(telling: NewsTelling) -> Notice:
    return Notice(" ".join([telling.sentence("time.back"), *_new_deadline_lines(telling)]))


def _new_deadline_lines(telling: NewsTelling) -> list[str]:
    """Returns the new deadline if the player to move went on or returned from vacation: the board may be far above."""
    match = telling.match
    if telling.news.user != match.to_move or not match.terms.vacations:
        return []
    due = due_text(telling.locale, match, telling.news.people)
    return [due] if due else []


def _tell_started(telling: NewsTelling) -> Notice:
    lines, locale = [telling.sentence("turn.begins")], telling.locale
    for seat, user in enumerate(telling.match.players):
        key = "turn.attack-bot" if is_house(user) else "turn.attack"
        lines.append(attack_sentence(locale, telling.match.variant, seat, key, player=mention_user(user, locale)))
    return Notice("\n".join([*lines, *set_position_lines(locale, telling.match)]))


def set_position_lines(locale: Language, match: Match) -> list[str]:
    """Returns who begins without a piece, and that the game counts for nothing; empty without a set position."""
    if not match.set_position:
        return []
    lines = []
    for cell, (seat, kind) in match.missing_pieces.items():
        player, piece = mention_user(match.players[seat], locale), text(locale, f"moves.{kind.value}", cell=cell)
        lines.append(text(locale, "table.handicap", player=player, piece=piece))
    return [*lines, text(locale, "table.set-position")]


# Referees' acts


def audit_text(locale: Language, ruling: Ruling) -> str:
    """Returns the entry for the audit channel: the game, the referee, the act and the reason."""
    match, event = ruling.match, ruling.event
    assert event.user is not None
    return text(
        locale,
        "referee.entry-player" if event.user in _users_concerned(ruling.match_before, match) else "referee.entry",
        id=match.id,
        variant=titled_name(locale, match.variant, match.title),
        where=f"<#{match.place.thread_or_channel}>",
        referee=mention_user(event.user, locale),
        did=_act_phrase(locale, ruling.match_before, event),
        reason=_reason_text(event),
        at=absolute_time(event.at),
    )


def tell_ruling(telling: NewsTelling) -> Notice:
    """Announces any of a referee's acts. Calls everybody concerned, including a replaced player."""
    concerned = _users_concerned(telling.match_before, telling.match)
    key = "referee.told-player" if telling.news.user in concerned else "referee.told"
    event, name = telling.news.event, escape_markup(telling.name)
    users_called, reason = mention_all(telling.locale, concerned), _reason_text(event)
    act = _act_phrase(telling.locale, telling.match_before, event)
    return Notice(telling.sentence(key, players=users_called, name=name, did=act, reason=reason))


def _users_concerned(*matches: Match) -> tuple[int, ...]:
    """Returns the players of those matches, or the people who joined a match that has not begun."""
    return tuple(dict.fromkeys(user for match in matches for user in match.players or match.table.joined))


def _act_phrase(locale: Language, match_before: Match, event: Event) -> str:
    """Returns what the referee did, as the predicate of a sentence about the referee."""
    values: dict[str, object] = {"id": match_before.id}
    key = event.kind.name.lower().replace("_", "-")
    if event.kind in (EventKind.CLOCK_SET, EventKind.REPLACED):
        seat = number_in(event.body, "seat")
        values |= side_values(locale, match_before.variant, seat)
    match event.kind:
        case EventKind.CLOCK_SET:
            values["time"] = plural_text(locale, "referee.hours", number_in(event.body, "bank") // HOUR)
        case EventKind.REPLACED:
            old, new = match_before.players[number_in(event.body, "seat")], number_in(event.body, "by")
            values |= {"old": mention_user(old, locale), "new": mention_user(new, locale)}
        case EventKind.REWOUND:
            ply, names = number_in(event.body, "ply"), turn_names(locale, match_before.started_game)
            key = "rewound-start" if not ply else "reopened" if ply == match_before.ply else key
            values["turn"] = names[ply - 1]
    return text(locale, f"referee.{key}", **values)


def _reason_text(event: Event) -> str:
    return escape_markup(reason_of(event), MAX_REASON_LENGTH)


TELLERS: Mapping[EventKind, Teller] = {
    EventKind.STARTED: _tell_started,
    EventKind.MOVED: _tell_moved,
    EventKind.RESIGNED: _tell_resigned,
    EventKind.REHOMED: lambda telling: Notice(telling.sentence("place.rehomed", player=telling.actor_name)),
    **dict.fromkeys(ASKING_EVENTS, _tell_asked),
    **dict.fromkeys(ACCEPTING_EVENTS, _tell_accepted),
    **dict.fromkeys(DECLINING_EVENTS, _tell_declined),
    EventKind.DRAW_CLAIMED: lambda telling: Notice(telling.sentence("draw.claimed")),
    EventKind.UNDONE: lambda telling: Notice(
        telling.sentence(
            "takeback.undone", **_taken_back_values(telling.locale, telling.match_before, telling.match.ply)
        )
    ),
    EventKind.PAUSED: lambda telling: Notice(
        telling.sentence("pause.begun", until=absolute_time(number_in(telling.news.event.body, "until")))
    ),
    EventKind.REMINDED: _tell_reminded,
    EventKind.NUDGED: lambda telling: Notice(_text_with_deadline(telling, "time.nudged")),
    EventKind.GRACE: _tell_grace,
    EventKind.GIVEN: lambda telling: Notice(_text_with_deadline(telling, "time.given")),
    EventKind.RESUMED: lambda telling: (
        Notice(_text_with_deadline(telling, "pause.over")) if telling.news.calls else None  # a bot moves at once
    ),
    EventKind.STILL: _tell_still,
    EventKind.CLOSED_STILL: _tell_closed_still,
    EventKind.AWAY: _tell_away,
    EventKind.BACK: _tell_back,
    EventKind.OVERDUE: lambda one: Notice(one.sentence("time.overdue"), grace_buttons(one.locale, one.match)),
    EventKind.PROLONGED: _tell_prolonged,
    EventKind.UNREACHED: _tell_unreached,
    EventKind.VACATED: _tell_vacated,
    EventKind.TAKEN_OVER: _tell_taken_over,
    EventKind.VOTE: _tell_vote,
    EventKind.VOTED: _tell_voted,
    EventKind.VOTE_PROPOSED: _tell_vote_proposed,
    EventKind.PASSIVE: _tell_passive,
    EventKind.TIMED_OUT: _tell_timed_out,
    **dict.fromkeys(REFEREE_EVENTS, tell_ruling),
}


def make_notice(locale: Language, news: News, name: str) -> Notice | None:
    """Returns the notice for the news; None if there is nothing to tell. `name` is the name of the person
    who caused it.
    """
    teller, first = TELLERS.get(news.kind), news.told_together[0]
    notice = teller(NewsTelling(locale, news, name)) if teller else None
    if notice and first is not news and first.move is None:  # a steward moved right after that event
        before = make_notice(locale, first, name)
        lines = [*([before.text] if before else []), *order_lines(locale, first), notice.text]
        notice = notice._replace(text="\n".join(lines))
    if news.seconds_stood < LONG_ABSENCE or not news.match.is_live or news.kind is EventKind.PROLONGED:
        return notice
    stood = f"-# {text(locale, 'time.stood', lost=duration_text(locale, news.seconds_stood))}"
    if notice is None:
        return Notice(stood) if news.kind in FRESH_BOARD_EVENTS else None
    return notice._replace(text=f"{notice.text}\n{stood}")
