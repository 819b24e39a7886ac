"""The posts of leagues and rulings, and what falls due in their channels and about the winners' roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import discord
import structlog
from discord import ButtonStyle

from bot.core.match import MatchSummary
from bot.discordkit.components import Button, Family, IdField
from bot.discordkit.permissions import Obstacle, missing_to_bot, trouble_at
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, NO_MENTIONS, make_view, now
from bot.leagues import rows, seasons, words
from bot.leagues.files import draw_tables
from bot.leagues.groups import Group
from bot.leagues.league import POST_LOOK_S, REPORT_NEWS, TABLE_NEWS, League, LeagueNews, LeagueState, NewsKind
from bot.leagues.service import load_groups, load_sign_ups, require_league
from bot.play.announcing.outbox import UNSENT_ERRORS, send_to_first, send_with_retries
from bot.play.context import BotContext, Done, GiveUp, Later, MakeFile, Outcome, Post, pinging_only
from bot.play.places import is_place_gone, open_thread_below
from bot.store import Job, Reader, Writer
from bot.texts.i18n import Language, text
from bot.texts.markup import cut_text, relative_time
from bot.texts.people import users_mentioned

log = structlog.get_logger()

EDIT_INTERVAL_S = 60
"""The least seconds between two edits of a league's post."""
EARLY_INTERVAL_S = 5
"""The same while few people have signed up, for each of them: the first see that it has counted."""


class LeagueRef(NamedTuple):
    """The league that a button is about."""

    league_id: IdField


LEAGUE_BUTTONS = Family("rt-league", LeagueRef)


STYLES = {
    **dict.fromkeys(("join", "start-sure"), ButtonStyle.primary),
    **dict.fromkeys(("leave-sure", "close", "close-sure"), ButtonStyle.danger),
}
"""By the names of buttons. The others are plain."""
BESIDE_TABLE = ("games", "rules", "history")
"""The names of the buttons below a table."""


def league_buttons(locale: Language, league: League, *names: str) -> list[Button]:
    """Returns the buttons of a league that have these names."""
    labels = {name: text(locale, f"button.league-{name}") for name in names}
    ref, plain = LeagueRef(league.id), ButtonStyle.secondary
    styles = STYLES | {"join": plain} if league.is_on else STYLES  # while a season runs, one joins the next
    return [LEAGUE_BUTTONS.make_button(name, ref, label, styles.get(name, plain)) for name, label in labels.items()]


def post_buttons(locale: Language, league: League) -> list[Button]:
    """Returns the buttons below the post of a league."""
    present = {"join": league.takes_sign_ups, "leave": league.state is not LeagueState.CLOSED, "table": league.is_on}
    return league_buttons(locale, league, *(name for name, is_there in present.items() if is_there), *BESIDE_TABLE)


AUDIT_END = ":audit"
"""The end of the key of a job that makes an entry in the audit channel."""


async def post_news(context: BotContext, job: Job) -> Done:
    """Posts what happens in a league, in order. Without a channel, only an audit channel can be told that."""
    reader, audit = context.service.reader, context.servers.settings_of(job.guild).audit
    while True:
        league = await require_league(reader, job.guild, int(job.key))
        due = await rows.news_of(reader, league.id)
        due = [news for news in due if league.channel or (audit and news.kind is NewsKind.NO_CHANNEL)]
        if not due:
            return Done()
        await _post_item(context, league, due[0])


async def _post_item(context: BotContext, league: League, news: LeagueNews) -> None:
    """Composes and posts a piece of news, unless it is outdated, and notes that."""
    message, locale = None, context.server_language(league.guild)
    if not news.is_outdated(league):
        content, files = await compose_news(context, league, news)
        if news.kind in (NewsKind.BEGIN, NewsKind.END):
            await _finish_post(context, league, news, files)
        nonce = f"l{news.league:x}:{news.season}:{news.kind.value}:{news.at:x}"[-25:]
        ping = await _find_called(context, league, news)
        buttons = league_buttons(locale, league, "games") if news.kind in REPORT_NEWS else list[Button]()
        buttons += post_buttons(locale, league) if news.kind in TABLE_NEWS else []
        post = Post(league.channel, league.guild, content, nonce, ping, buttons, files)
        try:
            message = await send_to_first(context, post, await _places_of(context, league, news))
        except discord.NotFound:
            if not league.channel:
                raise
            await seasons.note_channel_lost(context.service, league, now())
            return
    shown = message.id if message and news.kind in TABLE_NEWS else None
    async with context.service.store.write_transaction() as tx:
        await rows.drop_news(tx, news)
        if shown is not None or news.kind is NewsKind.END:  # the post of a season that is over is finished
            await tx.update_rows("leagues", {"id": league.id}, message=shown, edited_at=now())


async def _find_called(context: BotContext, league: League, news: LeagueNews) -> discord.AllowedMentions:
    """Returns whom a piece of news pings: those who have to do something, or the league's role."""
    if news.kind is NewsKind.RECALL:
        return pinging_only((await load_sign_ups(context.service.reader, league)).users_called)
    role, ping = find_called_role(context.client.get_guild(league.guild), league), pinging_only(())
    ping.roles = [role] if role and news.kind in (NewsKind.OPEN, NewsKind.BEGIN) else False
    return ping


def find_called_role(server: discord.Guild | None, league: League) -> discord.Role | None:
    """Returns the role that is mentioned at the sign-up and at the start; None if there is none, or nobody may mention
    it.
    """
    role = server.get_role(league.called_role or 0) if server else None
    return role if role and may_mention(role) else None


def may_mention(role: discord.Role) -> bool:
    """True if everybody in the server may mention that role, so that nobody calls more people through the bot."""
    return role.mentionable and not role.is_default()


async def _places_of(context: BotContext, league: League, news: LeagueNews) -> list[int]:
    """Returns where a piece of news may be posted; the league's channel, if it has one, is the last.

    News that the managers have to act on goes to the audit channel first, games and reports to the season's thread.
    """
    first_place = context.servers.settings_of(league.guild).audit if news.is_trouble else None
    if news.kind in REPORT_NEWS:
        season = await rows.load_season(context.service.reader, league.id, news.season)
        first_place = season.thread if season else None
    return [place for place in (first_place, league.channel) if place]


async def _finish_post(context: BotContext, league: League, news: LeagueNews, files: Sequence[MakeFile]) -> None:
    """Takes the buttons off the post of a sign-up or season that is over, and says so; a season's shows its table."""
    if league.message is None:
        return
    locale = context.server_language(league.guild)
    if news.kind is NewsKind.BEGIN:
        content, files = words.text_about(locale, league, "league.sign-up-over", season=news.season), ()
    else:
        groups = await load_groups(context.service.reader, league, news.season)
        content = words.table_text(locale, league, news.season, groups)
    with _leave_if_refused(context, league):
        await _edit_message(context, league.message, Post(league.channel, league.guild, content, files=files))


@contextmanager
def _leave_if_refused(context: BotContext, league: League) -> Iterator[None]:
    """Leaves a post of a league as it is if Discord refuses its edit for good. Raises what is temporary."""
    try:
        yield
    except discord.HTTPException as error:
        if trouble_at(context.client, league.guild, league.channel, error).obstacle.is_temporary:
            raise
        log.info("post of a league left", league=league.id, error=str(error))


async def post_list(context: BotContext, job: Job) -> Done:
    """Posts the list of a season's games once their boards are there, calling each person once; edits it when others
    have begun. Each message is noted before the next is posted. From a shut thread the list moves to the channel.
    """
    reader = context.service.reader
    league = await require_league(reader, job.guild, int(job.key))
    season = await rows.load_season(reader, league.id, league.season)
    if season is None or not league.is_on or not league.channel:
        return Done()
    # Before the games are read: those of a job that is over by then are among them.
    before = await reader.find_jobs("kind IN ('league-news', 'league-games') AND key = ?", (job.key,))
    groups = await load_groups(reader, league, league.season)
    summaries = await load_summaries(reader, league.guild, groups)
    awaits = before or any(one.turn is None for one in summaries.values())
    waited = now() - season.began_at
    again = Done(again_at=now() + min(max(waited // 10, seasons.BOARDS_LOOK_S), EDIT_INTERVAL_S) if awaits else None)
    if awaits and (waited < seasons.BOARDS_WAIT_S or min(season.list_messages, default=0)):
        return again
    locale = context.server_language(league.guild)
    thread = season.thread if season.thread or season.list_messages else await _open_thread(context, league)
    places = [place for place in (thread, league.channel) if place]
    pages, called = words.season_games_pages(locale, league, groups, summaries), set[int]()
    noted = [*season.list_messages] or [0] * len(pages)  # 0: still to be posted
    for number, content in enumerate(pages):
        buttons = league_buttons(locale, league, "games") if content == pages[-1] else []
        ping = pinging_only({*users_mentioned(content)} - called if number < len(noted) else ())
        called.update(users_mentioned(content))
        nonce = f"l{league.id:x}:{league.season}:list:{number}:{places[0] % 10**9:x}"[-25:]
        post = Post(places[0], league.guild, content, nonce, ping, buttons)
        if any(noted[number : number + 1]):
            with _leave_if_refused(context, league):
                await _edit_message(context, noted[number], post)
            continue
        message = await send_to_first(context, post, places)
        noted[number : number + 1] = [message.id]
        if message.channel.id != places[0]:  # the thread has been locked or deleted
            thread, places, noted[:number] = None, places[1:], [0] * number
        async with context.service.store.write_transaction() as tx:
            await rows.update_season(tx, league, thread=thread, list_messages=tuple(noted))
    return again if all(noted) else Done(again_at=now())


async def _open_thread(context: BotContext, league: League) -> int | None:
    """Opens a season's thread below its table, if the server wants threads and the bot may open one."""
    guild = context.client.get_guild(league.guild)
    channel = guild.get_channel(league.channel) if guild else None
    wanted = context.servers.settings_of(league.guild).threads.gives_thread(wanted=True)
    if not wanted or league.message is None or guild is None or not isinstance(channel, discord.TextChannel):
        return None
    if not missing_to_bot(guild, channel, wants_thread=True):
        name = words.text_about(context.server_language(league.guild), league, "league.thread", season=league.season)
        with _leave_if_refused(context, league):
            return await open_thread_below(channel.get_partial_message(league.message), name)
    return None


async def post_removal(context: BotContext, job: Job) -> Outcome:
    """Tells a person what a manager has done with them in a league, or enters it in the audit channel."""
    *numbers, act = f"{job.key.removesuffix(AUDIT_END)}:removed".split(":")[:4]
    league_id, user, at = map(int, numbers)
    league = await require_league(context.service.reader, job.guild, league_id)
    locale, is_audit = context.server_language(job.guild), job.key.endswith(AUDIT_END)
    act = "unlisted" if act == "removed" and not league.is_on and not is_audit else act  # nobody is called for that
    said = words.managed_text(locale, league, act, user, int(job.note), at, is_audit=is_audit)
    return await _tell(context, job, league.channel, said, [user] if act != "unlisted" else [])


async def post_ruling(context: BotContext, job: Job) -> Outcome:
    """Posts a ruling of a referee where the game is played, or enters it in the audit channel.

    A post that Discord refuses is given up, like posts about other acts of referees. **Games** shows how the game
    counts.
    """
    match_id, at = map(int, job.key.removesuffix(AUDIT_END).split(":"))
    [ruling] = await rows.rulings_of(context.service.reader, match_id, at)
    league = await require_league(context.service.reader, job.guild, ruling.league)
    match = await context.service.current_match(match_id, job.guild)
    locale = context.server_language(job.guild)
    said = words.ruling_text(locale, league, match, ruling, is_audit=job.key.endswith(AUDIT_END))
    return await _tell(context, job, match.place.thread_or_channel, said, match.players)


async def _tell(context: BotContext, job: Job, channel: int, content: str, users: Sequence[int]) -> Outcome:
    """Posts words to those people in that channel, or enters them in the audit channel, if the server has one."""
    if job.key.endswith(AUDIT_END):
        audit, users = context.servers.settings_of(job.guild).audit, ()
        if audit is None:
            return Done()
        channel = audit
    if not channel:
        return Later(why="the league has no channel")
    post = Post(channel, job.guild, content, nonce=f"l{job.key}"[-25:], ping=pinging_only(users))
    await send_with_retries(context, post)
    return Done()


async def compose_news(context: BotContext, league: League, news: LeagueNews) -> tuple[str, list[MakeFile]]:
    """Returns the content and the pictures of a post."""
    content, files = await _compose_plain(context, league, news)
    role = find_called_role(context.client.get_guild(league.guild), league)
    return f"{role.mention} {content}" if role and news.kind in TABLE_NEWS else content, files


async def _compose_plain(context: BotContext, league: League, news: LeagueNews) -> tuple[str, list[MakeFile]]:
    locale, reader = context.server_language(league.guild), context.service.reader
    groups = await load_groups(reader, league, news.season)
    match news.kind:
        case NewsKind.OPEN | NewsKind.TABLE if league.state is LeagueState.SIGN_UP:
            return words.sign_up_text(locale, league, await load_sign_ups(reader, league), now()), []
        case NewsKind.RECALL | NewsKind.GONE:
            return words.sign_offs_text(locale, league, await load_sign_ups(reader, league), news.kind), []
        case NewsKind.WEEK:
            summaries = await load_summaries(reader, league.guild, groups)
            return words.week_text(locale, league, groups, summaries, news.at), []
        case NewsKind.WARNING:
            return words.warning_text(locale, league, groups, await load_summaries(reader, league.guild, groups)), []
        case NewsKind.BEGIN | NewsKind.TABLE | NewsKind.END:
            write_tables = words.end_text if news.kind is NewsKind.END else words.table_text
            content = write_tables(locale, league, news.season, groups)
            return content, await draw_tables(context, locale, league.guild, groups)
    least, when = league.terms.players_per_game, relative_time(league.begins_at)
    return words.text_about(locale, league, f"league.{news.kind.value}", least=least, when=when), []


async def load_summaries(reader: Reader, guild: int, groups: Sequence[Group]) -> dict[int, MatchSummary]:
    """Returns the matches of the groups by their ids, apart from those that have gone to another server."""
    match_ids = [game.match for group in groups for game in group.games if game.match is not None]
    return {summary.id: summary for summary in await reader.load_summaries(match_ids) if summary.guild == guild}


async def _edit_message(context: BotContext, message: int, post: Post) -> None:
    """Changes a message into that post, which pings nobody."""
    spelled = await context.names.spell_names(post.guild, post.content)
    channel = context.client.get_partial_messageable(post.channel)
    await channel.get_partial_message(message).edit(
        view=make_view(*post.buttons) if post.buttons else None,
        allowed_mentions=NO_MENTIONS,
        content=cut_text(spelled, MAX_MESSAGE_LENGTH),
        attachments=[make_file() for make_file in post.files],
    )


async def edit_post(context: BotContext, job: Job) -> Outcome:
    """Brings the post of a league up to date, at most once in a minute; that of a sign-up sooner while few have signed
    up. A post that another one is about to replace stays as it is; that of a sign-up is looked at within the hour in
    any case.
    """
    store = context.service.store
    league = await require_league(store.reader, job.guild, int(job.key))
    if {news.kind for news in await rows.news_of(store.reader, league.id)} & {*TABLE_NEWS, NewsKind.END}:
        return Done(again_at=now() + EDIT_INTERVAL_S)
    if league.message is None:
        return Done()
    interval = EDIT_INTERVAL_S
    if league.state is LeagueState.SIGN_UP:
        people = len(await rows.sign_ups_of(store.reader, league.id))
        interval = min(EARLY_INTERVAL_S * max(people, 1), EDIT_INTERVAL_S)
    if now() < (again_at := league.edit_again_at(league.edited_at, interval)):
        return Done(again_at=again_at)
    locale = context.server_language(league.guild)
    content, files = words.text_about(locale, league, "league.closed"), list[MakeFile]()
    if league.state is not LeagueState.CLOSED:
        news = LeagueNews(league.id, league.season, NewsKind.TABLE, league.guild, now())
        content, files = await compose_news(context, league, news)
    with _leave_if_refused(context, league):
        try:
            post = Post(league.channel, league.guild, content, buttons=post_buttons(locale, league), files=files)
            await _edit_message(context, league.message, post)
        except discord.NotFound:  # somebody has deleted it
            async with store.write_transaction() as tx:
                await tx.update_rows("leagues", {"id": league.id}, message=None)
                await rows.add_news(tx, league, NewsKind.TABLE, now())
            return Done()
    async with store.write_transaction() as tx:
        # Only now: the edit may have waited for its pictures or its turn.
        await tx.update_rows("leagues", {"id": league.id}, edited_at=now())
    return Done(again_at=league.edit_again_at(now(), POST_LOOK_S) if league.state is LeagueState.SIGN_UP else None)


async def tick_leagues(context: BotContext, now: int) -> None:
    """Notes leagues whose channel has been deleted, and does what is due in seasons. Where one is about to begin, asks
    Discord for a channel that it is unsure of.
    """
    for league in await rows.leagues_in_channels(context.service.store.reader):
        begins = league.state is LeagueState.SIGN_UP and league.begins_at <= now
        if league.channel in context.deleted or (begins and await is_place_gone(context, league.guild, league.channel)):
            await seasons.note_channel_lost(context.service, league, now)
            context.announcements_due.set()
    await seasons.tick_seasons(context.service, now)


async def delete_event(context: BotContext, job: Job) -> Done:
    """Deletes a scheduled event with which an earlier version announced a season."""
    await context.client.http.delete_scheduled_event(job.guild, int(job.key))
    return Done()


def gives_power(role: discord.Role) -> bool:
    """True if a role has a permission that not everybody in its server has."""
    everybody: discord.Role | None = role.guild.default_role  # None as in `is_public_place`
    return not role.permissions <= (everybody.permissions if everybody else discord.Permissions.none())


async def hand_over_role(context: BotContext, job: Job) -> Outcome:
    """Gives a role to a person who is to have it, or takes it. If that cannot be done, the managers are told."""
    _, user, role_id = map(int, job.key.split(":"))
    server = context.client.get_guild(job.guild)
    if server is None:
        return Done()
    is_wanted = await rows.is_to_have_role(context.service.reader, job.guild, user, role_id)
    role = server.get_role(role_id)
    if is_wanted and role is not None and gives_power(role):
        return await _give_up_role(context, job, NewsKind.ROLE_POWER)
    try:
        member = await server.fetch_member(user)
        change = member.add_roles if is_wanted else member.remove_roles
        await change(discord.Object(role_id))
    except UNSENT_ERRORS as error:
        obstacle = trouble_at(context.client, server.id, server.id, error).obstacle
        if obstacle.is_temporary:
            raise
        if obstacle is not Obstacle.GONE:  # as after the person has left, or the role has been deleted
            return await _give_up_role(context, job, NewsKind.NO_ROLE)
    return Done()


async def _give_up_role(context: BotContext, job: Job, why: NewsKind) -> GiveUp:
    """Has the managers told, and gives up the role for all people of the league until it is passed on again."""
    league_id, _, role_id = map(int, job.key.split(":"))
    league = await require_league(context.service.store.reader, job.guild, league_id)

    async def store(tx: Writer) -> None:
        await rows.add_news(tx, league, why, now())
        alike = f"{league_id}:%:{role_id}"
        await tx.end_jobs(*await tx.find_jobs("kind = 'role' AND key LIKE ?", (alike,)))

    return GiveUp(store, why=why.value)
