"""Referees' acts: the words to the players, and the audit channel, in which each is entered once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import discord

from bot.core.clock import HOUR
from bot.core.events import REFEREE_EVENTS, Event, EventKind, number_in, reason_of, title_of
from bot.core.match import Match
from bot.core.refereeing import MAX_REASON_LENGTH, Ruling
from bot.discordkit.permissions import Trouble, trouble_at
from bot.play.announcing.notice import NewsTelling, Notice, Teller, mention_all
from bot.play.announcing.outbox import Outbox
from bot.play.context import Post
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import absolute_time, escape_markup
from bot.texts.people import mention_user
from bot.texts.sentences import side_values, titled_name


def audit_text(locale: Language, ruling: Ruling) -> str:
    """Returns the entry for the audit channel: the game, the referee, the act and the reason."""
    match, event = ruling.match, ruling.event
    assert event.user is not None
    return text(
        locale,
        "referee.entry-player" if event.user in _users_concerned(ruling.match_before, match) else "referee.entry",
        id=match.id,
        variant=titled_name(locale, match.variant, match.title),
        where=f"<#{match.thread_or_channel}>",
        referee=mention_user(event.user, locale),
        did=_act_phrase(locale, ruling.match_before, event),
        reason=_reason_text(event),
        at=absolute_time(event.at),
    )


def _tell_ruling(telling: NewsTelling) -> Notice:
    """Announces any of a referee's acts. Calls everybody concerned, including a replaced player."""
    concerned = _users_concerned(telling.match_before, telling.match)
    key = "referee.told-player" if telling.news.user in concerned else "referee.told"
    event, users_called = telling.news.event, mention_all(telling.locale, concerned)
    act = _act_phrase(telling.locale, telling.match_before, event)
    return Notice(
        telling.sentence(
            key, players=users_called, name=escape_markup(telling.name), did=act, reason=_reason_text(event)
        )
    )


def _users_concerned(*matches: Match) -> tuple[int, ...]:
    """Returns the players of those matches, or the people who joined a match that has not begun."""
    return tuple(dict.fromkeys(user for match in matches for user in match.players or match.joined))


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
            values["ply"] = number_in(event.body, "ply")
            if not values["ply"]:
                key = "rewound-start"
            elif values["ply"] == match_before.ply:
                key = "reopened"
        case EventKind.RENAMED:
            title = title_of(event)
            key, values["title"] = (key, escape_markup(title)) if title else ("untitled", "")
    return text(locale, f"referee.{key}", **values)


def _reason_text(event: Event) -> str:
    return escape_markup(reason_of(event), MAX_REASON_LENGTH)


REFEREE_TELLERS: Mapping[EventKind, Teller] = dict.fromkeys(REFEREE_EVENTS, _tell_ruling)


BOARD_PERMISSIONS = ("attach_files", "read_message_history")
"""Permissions that an entry does not need."""


class Auditor(Outbox[int, Ruling]):
    """Enters what referees have done to a match since the last entry.

    After an outage the next call tries again. An entry that Discord refuses is given up, since the channel may be gone
    permanently: the players still hear of the act, and the game's history keeps it.
    """

    async def load_due(self, match_id: int) -> Sequence[Ruling]:
        """Returns the acts that have not been entered."""
        return await self._context.service.unaudited_rulings(match_id)

    async def post_item(self, ruling: Ruling) -> discord.Message | None:
        """Posts the entry, if the server has an audit channel."""
        match = ruling.match
        channel = self._audit_channel(ruling)
        if channel is None:
            return None
        entry = audit_text(self._context.server_language(match.guild), ruling)
        nonce = f"a{match.created:x}:{match.id}:{ruling.event.seq}"
        return await self.send_post(Post(channel=channel, guild=match.guild, content=entry, nonce=nonce))

    async def mark_told(self, ruling: Ruling, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the act as entered."""
        await self._context.service.mark_audited(ruling.match.id, ruling.event.seq)

    def trouble_with(self, ruling: Ruling, error: Exception) -> Trouble:
        """Returns what kept the entry out."""
        trouble = trouble_at(self._context.client, ruling.match.guild, self._audit_channel(ruling) or 0, error)
        return trouble._replace(missing=tuple(name for name in trouble.missing if name not in BOARD_PERMISSIONS))

    def gives_up(self, trouble: Trouble) -> bool:
        """True unless a later try may succeed."""
        return not trouble.obstacle.is_temporary

    def log_fields(self, match_id: int) -> dict[str, object]:
        """Returns the audit entry for the log."""
        return {"audit": match_id}

    def _audit_channel(self, ruling: Ruling) -> int | None:
        return self._context.servers.settings_of(ruling.match.guild).audit
