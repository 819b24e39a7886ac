"""The posts of leagues and rulings, and what falls due in their channels and about the winners' roles."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import discord
import structlog
from discord import ButtonStyle

from bot.core.listings import MatchSummary
from bot.core.match import Match
from bot.discordkit.components import Button, Family, IdField
from bot.discordkit.fair_thread import Priority
from bot.discordkit.permissions import Obstacle, Trouble, missing_to_bot, timeout_trouble, trouble_at
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, NO_MENTIONS, make_view, now, picture_file
from bot.leagues import rows, seasons
from bot.leagues.files import describe_crosstables, draw_crosstables
from bot.leagues.groups import Group
from bot.leagues.league import League, LeagueNews, LeagueState
from bot.leagues.rows import RoleHolder
from bot.leagues.service import load_groups, load_sign_ups, require_league
from bot.leagues.words import (
    end_text,
    final_table_text,
    game_title,
    league_name,
    removal_text,
    ruling_text,
    sign_offs_text,
    sign_up_text,
    table_text,
    trophy_text,
    warning_text,
    week_text,
)
from bot.play.announcing.outbox import UNSENT_ERRORS, Outbox, StaleError, best_effort
from bot.play.context import BotContext, Done, GiveUp, MakeFile, Outcome, Post, pinging_only
from bot.play.engine import EngineError, EngineFailed
from bot.play.places import is_place_gone, open_thread_below
from bot.store import Job, Reader, Writer
from bot.texts.i18n import Language, text
from bot.texts.markup import cut_text, relative_time
from render import DEFAULT_THEME, Theme
from rules import Seat

log = structlog.get_logger()

NOT_THERE_CODES = (10007, 10013)
"""Discord's codes for a person who is no member of a server, and for one who does not exist any more."""
PROOF_DELAY_S = 6 * 3600
"""Seconds for which the end of a season waits while the engine cannot be asked."""
EDIT_INTERVAL_S = 600
"""The least seconds between two edits of a league's post."""
SIGN_UP_EDIT_S = 3000
"""Seconds after which the post of a sign-up is edited in any case, so that one that somebody deletes comes back within
the hour."""
MAX_PICTURES = 10
"""Pictures in one message: Discord's limit."""
MAX_TROPHIES = 5
"""Trophies in a profile, the latest ones."""

TABLE_KINDS = frozenset({"open", "begin", "table"})
"""The kinds of news whose post is kept up to date from then on."""
REFUSAL_KINDS = frozenset({"no-role", "role-power", "no-channel"})
"""The kinds of news that tell managers what they have to mend."""


class LeagueRef(NamedTuple):
    """The league that a button is about."""

    league: IdField


LEAGUE_BUTTONS = Family("rt-league", LeagueRef)


def league_button(locale: Language, league: int, name: str, style: ButtonStyle = ButtonStyle.secondary) -> Button:
    """Returns a button of a league."""
    return LEAGUE_BUTTONS.make_button(name, LeagueRef(league), text(locale, f"button.league-{name}"), style)


def post_buttons(locale: Language, league: League) -> list[Button]:
    """Returns the buttons below the post of a league."""
    names = ["games", "rules", "history"]
    if league.state is not LeagueState.CLOSED:
        names = ["table", *names] if league.state is not LeagueState.SIGN_UP else names
        names = ["leave", *names] if league.closing else ["join", "leave", *names]
    styles = {"join": ButtonStyle.primary}
    return [league_button(locale, league.id, name, styles.get(name, ButtonStyle.secondary)) for name in names]


class LeagueAnnouncer(Outbox[int, LeagueNews]):
    """Posts what happens in a league, apart from rulings."""

    @property
    def _reader(self) -> Reader:
        return self._context.service.reader

    async def due_subjects(self) -> Sequence[tuple[Hashable, int]]:
        """Returns the leagues about which something has to be posted, each with its lane."""
        due = [news for news in await rows.news_to_post(self._reader) if not news.is_ruling]
        return [(("league", league_id), league_id) for league_id in dict.fromkeys(news.league for news in due)]

    async def load_due(self, league_id: int) -> Sequence[LeagueNews]:
        """Returns what has not been posted, in order."""
        return [news for news in await rows.news_to_post(self._reader, league_id) if not news.is_ruling]

    async def post_item(self, news: LeagueNews) -> discord.Message | None:
        """Composes and posts a piece of news, or opens the thread of a season. Returns None if it is outdated, or the
        server has no audit channel for it.
        """
        league = await require_league(self._reader, news.guild, news.league)
        if news.is_outdated(league):
            return None
        if news.kind == "thread":
            await self._open_thread(league, news)
            return None
        content, files = await compose_news(self._context, league, news)
        if news.kind in ("begin", "end"):
            await self._finish_post(league, news, files)
        places = self.places_of(news)
        if not places:
            return None
        *first_places, channel = places
        locale = self._context.server_language(league.guild)
        post = Post(
            channel=channel,
            guild=league.guild,
            content=content,
            nonce=f"l{news.league:x}:{news.season}:{news.kind}:{news.at:x}"[-25:],
            buttons=post_buttons(locale, league) if news.kind in TABLE_KINDS else (),
            files=files,
            ping=pinging_only(await self._users_called(league, news)),
        )
        for place in first_places:
            try:
                return await self.send_post(replace(post, channel=place))
            except discord.HTTPException as error:  # not only 403 and 404: a locked thread in the archive has 400
                if trouble_at(self._context.client, news.guild, place, error).obstacle.is_temporary:
                    raise
                log.warning("place of a league's news left", league=news.league, place=place, error=str(error))
        try:
            return await self.send_post(post)
        except discord.NotFound:
            if channel != league.channel:
                raise
        await seasons.note_channel_lost(self._context.service, league, now())
        raise StaleError

    async def _users_called(self, league: League, news: LeagueNews) -> Sequence[int]:
        """Returns the people whom a piece of news pings."""
        if news.is_audit:
            return ()
        if news.is_removal:
            return news.numbers_in_kind[1:]
        if news.is_ruling:
            return (await self._context.service.current_match(news.numbers_in_kind[1], league.guild)).players
        if news.kind == "recall":
            return (await load_sign_ups(self._reader, league)).users_called
        return ()

    async def _finish_post(self, league: League, news: LeagueNews, files: Sequence[MakeFile]) -> None:
        """Takes the buttons off the post of a sign-up or season that is over; a season's post shows the final table."""
        if league.message is None:
            return
        content = None
        if news.kind == "end":
            locale = self._context.server_language(league.guild)
            content = final_table_text(
                locale, league, news.season, await load_groups(self._reader, league, news.season)
            )
        try:
            await _edit_message(self._context, league, None, content, files)
        except discord.HTTPException as error:
            if trouble_at(self._context.client, league.guild, league.channel, error).obstacle.is_temporary:
                raise
            log.info("post of a league left", league=league.id, error=str(error))

    async def _open_thread(self, league: League, news: LeagueNews) -> None:
        """Opens the thread of a season below its table, if the server wants threads and the bot may open one."""
        context, guild = self._context, self._context.client.get_guild(league.guild)
        wanted = context.servers.settings_of(league.guild).threads.gives_thread(wanted=True)
        channel = guild.get_channel(news.channel) if guild else None
        if guild is None or league.message is None or not wanted or not isinstance(channel, discord.TextChannel):
            return
        if missing_to_bot(guild, channel, wants_thread=True) and not timeout_trouble(guild, channel.id):
            return
        locale = context.server_language(league.guild)
        name = text(locale, "league.thread", league=league_name(locale, league), season=news.season)
        try:
            thread = await open_thread_below(channel.get_partial_message(league.message), name)
        except discord.HTTPException as error:
            if trouble_at(context.client, league.guild, channel.id, error).obstacle.is_temporary:
                raise
            log.warning("no thread", league=league.id, code=error.code)
            return
        async with context.service.store.write_transaction() as tx:
            await rows.set_thread(tx, league.id, news.season, thread)

    async def mark_told(self, news: LeagueNews, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the news as posted."""
        shown = message.id if message and news.kind in TABLE_KINDS else None
        await seasons.mark_posted(self._context.service, news, shown)

    def places_of(self, news: LeagueNews) -> list[int]:
        """Returns where a piece of news may be posted; the league's channel, if it has one, is the last.

        News that the managers have to act on goes to the audit channel first, and reports to the season's thread.
        """
        audit = self._context.servers.settings_of(news.guild).audit
        if news.is_audit and audit is None:
            return []
        first_place = news.thread if news.is_report else None
        if news.kind in REFUSAL_KINDS or news.is_audit:
            first_place = audit
        return [place for place in (first_place, news.channel) if place]

    def trouble_with(self, news: LeagueNews, error: Exception) -> Trouble:
        """Returns what keeps the news from being posted."""
        return trouble_at(self._context.client, news.guild, self.places_of(news)[-1], error)

    def log_fields(self, league_id: int) -> dict[str, object]:
        """Returns the league for the log."""
        return {"league": league_id}


class RulingAnnouncer(LeagueAnnouncer):
    """Posts rulings of referees where the games are played, and enters them in the audit channel.

    A post that Discord refuses is given up, like posts about other acts of referees. **Games** shows how the game
    counts.
    """

    async def due_subjects(self) -> Sequence[tuple[Hashable, int]]:
        """Returns the matches with rulings to post, each with its lane."""
        due = [news for news in await rows.news_to_post(self._reader) if news.is_ruling]
        return [(("ruling", match_id), match_id) for match_id in dict.fromkeys(news.numbers_in_kind[1] for news in due)]

    async def load_due(self, match_id: int) -> Sequence[LeagueNews]:
        """Returns the rulings that have not been posted, in order."""
        due = [news for news in await rows.news_to_post(self._reader) if news.is_ruling]
        due = [news for news in due if news.numbers_in_kind[1] == match_id]
        channels = [
            (await self._context.service.current_match(match_id, news.guild)).place.thread_or_channel for news in due
        ]
        return [news._replace(channel=channel) for news, channel in zip(due, channels, strict=True)]

    def places_of(self, news: LeagueNews) -> list[int]:
        """Returns the place of the game or the audit channel, if there is one."""
        place = self._context.servers.settings_of(news.guild).audit if news.is_audit else news.channel
        return [] if place is None else [place]

    def gives_up(self, trouble: Trouble) -> bool:
        """True unless a later try may succeed."""
        return not trouble.obstacle.is_temporary

    def log_fields(self, match_id: int) -> dict[str, object]:
        """Returns the match for the log."""
        return {"league_ruling": match_id}


async def compose_news(context: BotContext, league: League, news: LeagueNews) -> tuple[str, list[MakeFile]]:
    """Returns the content and the pictures of a post."""
    locale, reader = context.server_language(league.guild), context.service.store.reader
    if news.kind in ("few", "extended", "put-off", *REFUSAL_KINDS):
        least, when = league.terms.players_per_game, relative_time(league.begins_at)
        return text(locale, f"league.{news.kind}", league=league_name(locale, league), least=least, when=when), []
    if news.is_removal:
        return removal_text(locale, league, news), []
    if news.is_ruling:
        at, match_id = news.numbers_in_kind
        [ruling] = await rows.rulings_of(reader, match_id, at)
        match = await context.service.current_match(match_id, league.guild)
        return ruling_text(locale, league, match, ruling, is_audit=news.is_audit), []
    if news.kind in ("recall", "gone"):
        return sign_offs_text(locale, league, await load_sign_ups(reader, league), news.kind), []
    if news.kind == "open" or (news.kind == "table" and league.state is LeagueState.SIGN_UP):
        return sign_up_text(locale, league, await load_sign_ups(reader, league)), []
    groups = await load_groups(reader, league, news.season)
    if news.is_report:
        summaries = await load_summaries(reader, league.guild, groups)
        if news.kind.startswith("week-"):
            return week_text(locale, league, groups, summaries, news.at), []
        return warning_text(locale, league, groups, summaries), []
    files = await draw_tables(context, locale, league.guild, groups)
    if news.kind == "end":
        best = await rows.best_game(reader, league.id, news.season)
        return end_text(locale, league, news.season, groups, best), files
    return table_text(locale, league, groups), files


async def load_summaries(reader: Reader, guild: int, groups: Sequence[Group]) -> dict[int, MatchSummary]:
    """Returns the matches of the groups by their ids, apart from those that have gone to another server."""
    match_ids = [game.match for group in groups for game in group.games if game.match is not None]
    return {summary.id: summary for summary in await reader.load_summaries(match_ids) if summary.guild == guild}


async def draw_tables(
    context: BotContext,
    locale: Language,
    guild: int,
    groups: Sequence[Group],
    theme: Theme = DEFAULT_THEME,
) -> list[MakeFile]:
    """Returns the tables of the groups as pictures with their descriptions.

    A message takes ten pictures. If there are more than ten groups, each picture shows two of them, smaller.
    """
    names = await context.names.find_names(guild, [user for group in groups for user in group.users_by_entry])
    unknown, files = text(locale, "unknown-player"), list[MakeFile]()
    called = {user: names.get(user, unknown) for group in groups for user in group.users_by_entry}
    together = -(-len(groups) // MAX_PICTURES)
    for first in range(0, len(groups), together):
        shown = groups[first : first + together]
        steps = draw_crosstables(locale, shown, called, theme)
        png = await context.pictures.thread.run_steps(Priority.PERSON, steps)
        name = f"group-{chr(ord('a') + shown[0].division)}"
        files.append(partial(picture_file, png, name, describe_crosstables(locale, shown, called)))
    return files


async def trophy_lines(context: BotContext, locale: Language, guild: int, user: int) -> list[str]:
    """Returns a person's latest trophies for their profile."""
    trophies = await rows.trophies_of(context.service.store.reader, guild, user)
    return [trophy_text(locale, trophy) for trophy in trophies[:MAX_TROPHIES]]


async def ends_of_matches(context: BotContext, matches: Sequence[int]) -> Mapping[int, int]:
    """Maps each undecided league match among these to the time at which its season ends."""
    return await rows.ends_of_matches(context.service.store.reader, matches)


async def edit_posts(context: BotContext, now: int) -> None:
    """Brings the posts of leagues up to date, each at most once in ten minutes."""
    store = context.service.store
    for league in await rows.leagues_to_edit(store.reader, now - EDIT_INTERVAL_S, now - SIGN_UP_EDIT_S):
        guild = context.client.get_guild(league.guild)
        if not context.reaches_server(league.guild) or timeout_trouble(guild, league.channel):
            continue
        with context.service.attempts.contain_failures("league posts", league=league.id):
            async with store.write_transaction() as tx:
                await tx.update_rows("leagues", {"id": league.id}, edited_at=now)
            async with LeagueAnnouncer(context).subject_lock(league.id):  # or it might undo a final table
                present = await require_league(store.reader, league.guild, league.id)
                if (present.message, present.state, present.season) == (league.message, league.state, league.season):
                    await _edit_post(context, present)


async def _edit_message(
    context: BotContext,
    league: League,
    view: discord.ui.View | None,
    content: str | None = None,
    files: Sequence[MakeFile] = (),
) -> None:
    """Changes the buttons of a league's post, and with `content` the rest of it, too."""
    assert league.message is not None, league.id
    message = context.client.get_partial_messageable(league.channel).get_partial_message(league.message)
    others: dict[str, Any] = {}
    if content is not None:
        shown = cut_text(await context.names.spell_names(league.guild, content), MAX_MESSAGE_LENGTH)
        others = {"content": shown, "attachments": [make_file() for make_file in files]}
    await message.edit(view=view, allowed_mentions=NO_MENTIONS, **others)


async def _edit_post(context: BotContext, league: League) -> None:
    """Edits the post of a league. An edit that Discord could not take now is tried again later."""
    locale, store = context.server_language(league.guild), context.service.store
    if league.state is LeagueState.CLOSED:
        content, files = text(locale, "league.closed", league=league_name(locale, league)), list[MakeFile]()
    else:
        news = LeagueNews(league.id, league.season, "table", league.guild, now())
        content, files = await compose_news(context, league, news)
    view = make_view(*post_buttons(locale, league))
    with best_effort("post of a league left", league=league.id):
        try:
            await _edit_message(context, league, view, content, files)
        except discord.NotFound:  # somebody has deleted it
            async with store.write_transaction() as tx:
                await rows.set_message(tx, league.id, None, now())
                await rows.add_news(tx, league, "table", now())
        except discord.Forbidden as error:  # until the next change, or the end of a timeout
            if trouble_at(context.client, league.guild, league.channel, error).obstacle.is_temporary:
                raise
            log.info("post of a league left", league=league.id, error=str(error))
        async with store.write_transaction() as tx:
            # Only now: the edit may have waited for its pictures or its turn.
            await rows.note_edited(tx, league, now())


async def note_lost_channels(context: BotContext, now: int) -> None:
    """Notes leagues whose channel has been deleted. Where a season is about to begin, asks Discord if it is unsure."""
    for league in await rows.leagues_in_channels(context.service.store.reader):
        begins = league.state is LeagueState.SIGN_UP and league.begins_at <= now
        if league.channel in context.deleted or (begins and await is_place_gone(context, league.guild, league.channel)):
            await seasons.note_channel_lost(context.service, league, now)
            context.announcements_due.set()


async def tick_leagues(context: BotContext, now: int) -> None:
    """Does what is due in leagues."""
    await note_lost_channels(context, now)
    begun = await seasons.tick(
        context.service, now, lambda league, game: game_title(context.server_language(league.guild), league, game)
    )
    if begun:
        context.announcements_due.set()


async def end_seasons(context: BotContext, now: int) -> None:
    """Adjudicates the unfinished games of seasons whose time is up, and ends these seasons."""
    reader = context.service.store.reader
    for league in await rows.ending_leagues(reader):
        with context.service.attempts.contain_failures("ends of seasons", league=league.id):
            try:
                for game in await seasons.games_to_adjudicate(context.service, league):
                    match = await seasons.match_of_game(context.service, reader, game)
                    proved = await _proved_winner(context, match, league, now) if match else None
                    await seasons.adjudicate_game(context.service, league, game, match, proved, now)
            except EngineError as error:
                log.info("the end of a season waits for the engine", league=league.id, error=str(error))
                continue
            await seasons.end_season(context.service, league.id, now)
            context.announcements_due.set()


async def _proved_winner(context: BotContext, match: Match, league: League, now: int) -> Seat | None:
    """Returns the seat for which the engine proves a win, also out of turn; None if it proves none.

    While the engine cannot be asked or does not answer, raises EngineError for PROOF_DELAY_S after the end of the
    season, then returns None.
    """
    if not match.is_live:
        return None
    game = match.started_game
    try:
        winner: Seat | None = await context.engine.ask(
            "find_forced_winner", game.position, within=context.timings.proof_timeout_s
        )
    except EngineFailed:
        return None
    except EngineError:
        if now < league.ends_at + PROOF_DELAY_S:
            raise
        return None
    return winner if winner == game.position.turn or game.claimable_draw is None else None


async def look_up_members(context: BotContext, now: int) -> None:
    """Looks up the people of seasons that begin soon, one after another, and signs off who has left the server."""
    reader = context.service.store.reader
    for league in await rows.leagues_to_look_up(reader, now):
        server = context.client.get_guild(league.guild)
        if server is None or not context.reaches_server(server.id):
            continue
        with context.service.attempts.contain_failures("members of leagues", league=league.id):
            signed_up = [one.user for one in (await rows.sign_ups_of(reader, league.id)).values() if not one.signed_off]
            gone = [user for user in signed_up if await _has_left(server, user)]
            await seasons.note_looked_up(context.service, league.id, gone, now)
            context.announcements_due.set()


async def _has_left(server: discord.Guild, user: int) -> bool:
    """True if Discord says that a person is not in the server. If it cannot say, they count as a member."""
    try:
        await server.fetch_member(user)
    except UNSENT_ERRORS as error:
        if isinstance(error, discord.NotFound) and error.code in NOT_THERE_CODES:
            return True
        log.info("person of a league not looked up", guild=server.id, error=str(error))
    return False


async def delete_event(context: BotContext, job: Job) -> Done:
    """Deletes a scheduled event with which an earlier version announced a season."""
    await context.client.http.delete_scheduled_event(job.guild, int(job.key))
    return Done()


def gives_power(role: discord.Role) -> bool:
    """True if a role has a permission that not everybody in its server has."""
    everybody: discord.Role | None = role.guild.default_role  # None as in `is_public_place`
    return not role.permissions <= (everybody.permissions if everybody else discord.Permissions.none())


async def hand_over_role(context: BotContext, job: Job) -> Outcome:
    """Gives or takes a role. If that cannot be done any more, the managers are told."""
    league_id, user, role_id = map(int, job.key.split(":"))
    store, server = context.service.store, context.client.get_guild(job.guild)
    wishes = {one.league: one for one in await rows.holders_of(store.reader, user, role_id)}
    holder = wishes.get(league_id)
    if holder is None or server is None:
        return Done()
    drop = Done(partial(rows.drop_holder, holder=holder))
    if not holder.wanted and any(one.wanted for one in wishes.values()):
        return drop
    role = server.get_role(role_id)
    if holder.wanted and role is not None and gives_power(role):
        return await _give_up_role(context, holder, "role-power")
    try:
        member = await server.fetch_member(user)
        change = member.add_roles if holder.wanted else member.remove_roles
        await change(discord.Object(role_id))
    except UNSENT_ERRORS as error:
        obstacle = trouble_at(context.client, server.id, server.id, error).obstacle
        if obstacle is Obstacle.GONE:  # the person has left, or the role has been deleted
            return drop
        if obstacle.is_temporary:
            raise
        return await _give_up_role(context, holder, "no-role")
    return Done() if holder.wanted else drop


async def _give_up_role(context: BotContext, holder: RoleHolder, why: str) -> GiveUp:
    """Has the managers told, and gives up the role for all people of the league until it is passed on again."""
    league = await require_league(context.service.store.reader, holder.guild, holder.league)

    async def store(tx: Writer) -> None:
        await rows.add_news(tx, league, why, now())
        alike = f"{holder.league}:%:{holder.role}"
        await tx.end_jobs(*await tx.find_jobs("kind = 'role' AND key LIKE ?", (alike,)))

    return GiveUp(store, why)
