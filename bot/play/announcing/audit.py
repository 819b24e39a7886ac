"""Referees' acts: the words to the players, and the audit channel, in which each is entered once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.core.clock import HOUR
from bot.core.events import Event, EventKind, number_in, reason_of, title_of
from bot.core.match import Match
from bot.core.refereeing import MAX_REASON_LENGTH, Ruling, find_ruling
from bot.discordkit.permissions import Trouble, trouble_at
from bot.play.announcing.notice import NewsTelling, Notice, mention_all
from bot.play.announcing.outbox import UNSENT_ERRORS, send_with_retries
from bot.play.context import BotContext, Done, Outcome, Post
from bot.store import Job
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import absolute_time, escape_markup
from bot.texts.people import mention_user
from bot.texts.sentences import side_values, titled_name, turn_names


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
    event, users_called = telling.news.event, mention_all(telling.locale, concerned)
    act = _act_phrase(telling.locale, telling.match_before, event)
    return Notice(
        telling.sentence(
            key, players=users_called, name=escape_markup(telling.name), did=act, reason=_reason_text(event)
        )
    )


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
        case EventKind.RENAMED:
            title = title_of(event)
            key, values["title"] = (key, escape_markup(title)) if title else ("untitled", "")
    return text(locale, f"referee.{key}", **values)


def _reason_text(event: Event) -> str:
    return escape_markup(reason_of(event), MAX_REASON_LENGTH)


BOARD_PERMISSIONS = ("attach_files", "read_message_history")
"""Permissions that an entry does not need."""


async def enter_ruling(context: BotContext, job: Job) -> Done:
    """Enters a referee's act in the audit channel, if the server has one.

    An entry that Discord refuses is given up, since the channel may be gone permanently: the players still hear of the
    act, and the game's history keeps it.
    """
    match_id, seq = map(int, job.key.split(":"))
    channel = context.servers.settings_of(job.guild).audit
    if channel is None:
        return Done()
    ruling = find_ruling(match_id, await context.service.reader.load_events(match_id), seq)
    entry = audit_text(context.server_language(job.guild), ruling)
    nonce = f"a{ruling.match.table.created:x}:{match_id}:{seq}"
    post = Post(channel=channel, guild=job.guild, content=entry, nonce=nonce)
    await send_with_retries(context, post)
    return Done()


async def enter_at_once(context: BotContext, match_id: int) -> Trouble | None:
    """Enters the referees' acts in a match without waiting for their jobs. Returns what keeps an entry out."""
    return await do_at_once(
        context, "audit", match_id, enter_ruling, lambda job: context.servers.settings_of(job.guild).audit or 0
    )


async def do_at_once(
    context: BotContext,
    kind: str,
    match_id: int,
    post: Callable[[BotContext, Job], Awaitable[Outcome]],
    place_of: Callable[[Job], int],
) -> Trouble | None:
    """Makes the posts of the jobs of that kind about a match without waiting for the jobs. Returns what keeps one out.

    `place_of` returns where a job posts.
    """
    trouble = None
    for job in await context.service.reader.find_jobs("kind = ? AND match = ?", (kind, match_id)):
        found = None
        try:
            await post(context, job)
        except UNSENT_ERRORS as error:
            found = trouble_at(context.client, job.guild, place_of(job), error)
            found = found._replace(missing=tuple(name for name in found.missing if name not in BOARD_PERMISSIONS))
            trouble = found
        if found is None or not found.obstacle.is_temporary:
            async with context.service.store.write_transaction() as tx:
                await tx.end_jobs(job)
    return trouble
