"""The posts of leagues, and what falls due in their channels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import discord
import structlog

from bot.core.match import Match
from bot.discordkit.components import make_view
from bot.discordkit.fair_thread import Priority
from bot.discordkit.permissions import Trouble, missing_to_bot, timeout_trouble, trouble_at
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, NO_MENTIONS, now, picture_file
from bot.leagues.buttons import post_buttons
from bot.leagues.files import describe_crosstables, draw_crosstables
from bot.leagues.league import League, LeagueNews, LeagueState
from bot.leagues.season import Group
from bot.leagues.season_service import Seasons
from bot.leagues.service import Leagues
from bot.leagues.words import (
    end_text,
    final_table_text,
    game_title,
    league_name,
    removal_text,
    sign_offs_text,
    sign_up_text,
    table_text,
    trophy_text,
    warning_text,
    week_text,
)
from bot.play.announcing.outbox import UNSENT_ERRORS, Outbox, StaleError, best_effort
from bot.play.context import BotContext, Post, pinging_only
from bot.play.engine import EngineError, EngineFailed
from bot.play.places import is_place_gone, open_thread_below
from bot.texts.i18n import Language, text
from bot.texts.markup import cut_text
from render import DEFAULT_THEME, Theme
from rules import Seat

log = structlog.get_logger()

NOT_THERE_CODES = (10007, 10013)
"""Discord's codes for a person who is no member of a server, and for one who does not exist any more."""


async def look_up_members(context: BotContext, now: int) -> None:
    """Looks up the people of seasons that begin soon, one after another, and signs off who has left the server."""
    seasons = context.service.part(Seasons)
    for league, users in await seasons.leagues_to_look_up(now):
        server = context.client.get_guild(league.guild)
        if server is None or not context.reaches_server(server.id):
            continue
        with context.service.attempts.contain_failures("members of leagues", league=league.id):
            gone = [user for user in users if await _has_left(server, user)]
            await seasons.note_looked_up(league, gone, now)
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

MakeFile = Callable[[], discord.File]

TABLE_KINDS = frozenset({"open", "begin", "table"})
"""The kinds of news whose post is kept up to date from then on."""
REFUSAL_KINDS = frozenset({"no-role", "role-power", "no-event", "no-channel"})
"""The kinds of news that tell managers what they have to mend."""


class LeagueAnnouncer(Outbox[int, LeagueNews]):
    """Posts what happens in a league."""

    async def due_subjects(self) -> Sequence[tuple[Hashable, int]]:
        """Returns the leagues about which something has to be posted, each with its lane."""
        return [
            (("league", league), league) for league in await self._context.service.part(Seasons).leagues_with_news()
        ]

    async def load_due(self, league: int) -> Sequence[LeagueNews]:
        """Returns what has not been posted, in order."""
        return await self._context.service.part(Seasons).news_of(league)

    async def post_item(self, news: LeagueNews) -> discord.Message | None:
        """Composes and posts a piece of news, or opens the thread of a season. Returns None if it is outdated."""
        league = await self._context.service.part(Leagues).find_league(news.guild, news.league)
        if news.is_outdated(league):
            return None
        if news.kind == "thread":
            await self._open_thread(league, news)
            return None
        content, files = await compose_news(self._context, league, news)
        locale = self._context.server_language(league.guild)
        if news.kind in ("begin", "end"):
            await self._finish_post(league, news, files)
        *first_places, channel = self._places_of(news)
        if news.is_audit and not first_places:  # the server has no audit channel
            return None
        post = Post(
            channel=channel,
            guild=league.guild,
            content=content,
            nonce=f"l{news.league:x}:{news.season}:{news.kind}:{news.at:x}"[-25:],
            buttons=post_buttons(locale, league) if news.kind in TABLE_KINDS else (),
            files=files,
            ping=pinging_only(await _users_called(self._context, league, news)),
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
        await self._context.service.part(Seasons).note_channel_lost(league, now())
        raise StaleError

    async def _finish_post(self, league: League, news: LeagueNews, files: Sequence[MakeFile]) -> None:
        """Takes the buttons off the post of a sign-up or season that is over; a season's post shows the final table."""
        if league.message is None:
            return
        content: str = discord.utils.MISSING
        attachments: list[discord.File] = discord.utils.MISSING
        if news.kind == "end":
            locale, leagues = self._context.server_language(league.guild), self._context.service.part(Leagues)
            groups = await leagues.groups_of(league, news.season)
            shown = final_table_text(locale, league, news.season, groups)
            content = cut_text(await self._context.names.spell_names(league.guild, shown), MAX_MESSAGE_LENGTH)
            attachments = [make_file() for make_file in files]
        message = self._context.client.get_partial_messageable(league.channel).get_partial_message(league.message)
        try:
            await message.edit(content=content, attachments=attachments, view=None, allowed_mentions=NO_MENTIONS)
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
        await context.service.part(Seasons).set_thread(news, thread)

    async def mark_told(self, news: LeagueNews, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the news as posted."""
        shown = message.id if message and news.kind in TABLE_KINDS else None
        await self._context.service.part(Seasons).mark_posted(news, shown)

    def _places_of(self, news: LeagueNews) -> list[int]:
        """Returns where a piece of news may be posted; the league's channel, if it has one, is the last.

        News that the managers have to act on goes to the audit channel first, and reports to the season's thread.
        """
        audit = None
        if news.kind in REFUSAL_KINDS or news.is_audit:
            audit = self._context.servers.settings_of(news.guild).audit
        return [place for place in (audit, news.thread if news.is_report else None, news.channel) if place]

    def trouble_with(self, news: LeagueNews, error: Exception) -> Trouble:
        """Returns what keeps the news from being posted."""
        return trouble_at(self._context.client, news.guild, self._places_of(news)[-1], error)

    def log_fields(self, league: int) -> dict[str, object]:
        """Returns the league for the log."""
        return {"league": league}


async def compose_news(context: BotContext, league: League, news: LeagueNews) -> tuple[str, list[MakeFile]]:
    """Returns the content and the pictures of a post."""
    locale, leagues = context.server_language(league.guild), context.service.part(Leagues)
    name = league_name(locale, league)
    if news.kind in ("few", "extended", "put-off", *REFUSAL_KINDS):
        when = f"<t:{league.begins_at}:R>"
        return text(locale, f"league.{news.kind}", league=name, least=league.fewest, when=when), []
    if news.removal is not None:
        return removal_text(locale, league, *news.removal, news.at if news.is_audit else None), []
    if news.kind in ("recall", "gone"):
        return sign_offs_text(locale, league, await leagues.list_sign_ups(league), news.kind), []
    if news.kind == "open" or (news.kind == "table" and league.state is LeagueState.SIGN_UP):
        return sign_up_text(locale, league, await leagues.list_sign_ups(league)), []
    groups = await leagues.groups_of(league, news.season)
    if news.kind.startswith(("warn-", "week-")):
        numbers = [game.match for group in groups for game in group.games if game.match is not None]
        summaries = await leagues.load_summaries(league.guild, numbers)
        if news.kind.startswith("week-"):
            return week_text(locale, league, groups, summaries, news.at), []
        return warning_text(locale, league, groups, summaries), []
    files = await draw_tables(context, locale, league.guild, groups)
    if news.kind == "end":
        best = await leagues.best_game(league, news.season)
        return end_text(locale, league, news.season, groups, best), files
    return table_text(locale, league, groups), files


async def _users_called(context: BotContext, league: League, news: LeagueNews) -> Sequence[int]:
    """Returns the people whom a piece of news pings."""
    if news.removal is not None and not news.is_audit:
        return news.removal[1:]
    if news.kind == "recall":
        return (await context.service.part(Leagues).list_sign_ups(league)).users_called
    return ()


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
    names = await context.names.find_names(guild, [user for group in groups for user in group.users])
    unknown, files = text(locale, "unknown-player"), list[MakeFile]()
    called = {user: names.get(user, unknown) for group in groups for user in group.users}
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
    trophies = await context.service.part(Leagues).trophies_of(guild, user)
    return [trophy_text(locale, trophy) for trophy in trophies[:MAX_TROPHIES]]


async def ends_of_matches(context: BotContext, matches: Sequence[int]) -> Mapping[int, int]:
    """Maps each undecided league match among these to the time at which its season ends."""
    return await context.service.part(Leagues).ends_of_matches(matches)


async def edit_posts(context: BotContext, now: int) -> None:
    """Brings the posts of leagues up to date, each at most once in ten minutes."""
    seasons = context.service.part(Seasons)
    for league in await seasons.leagues_to_edit(now - EDIT_INTERVAL_S, now - SIGN_UP_EDIT_S):
        guild = context.client.get_guild(league.guild)
        if context.reaches_server(league.guild) and not timeout_trouble(guild, league.channel):
            with context.service.attempts.contain_failures("league posts", league=league.id):
                await seasons.note_edit_tried(league, now)
                async with context.outbox(LeagueAnnouncer).subject_lock(league.id):  # or it might undo a final table
                    present = await context.service.part(Leagues).find_league(league.guild, league.id)
                    if (present.message, present.state, present.season) == (
                        league.message,
                        league.state,
                        league.season,
                    ):
                        await _edit_post(context, present)


async def _edit_post(context: BotContext, league: League) -> None:
    """Edits the post of a league. An edit that Discord could not take now is tried again later."""
    assert league.message is not None, league.id
    seasons = context.service.part(Seasons)
    kind = "open" if league.state is LeagueState.SIGN_UP else "begin"
    news = LeagueNews(league.id, league.season, kind, league.guild, now())
    locale = context.server_language(league.guild)
    if league.state is LeagueState.CLOSED:
        content, files = text(locale, "league.closed", league=league_name(locale, league)), list[MakeFile]()
    else:
        content, files = await compose_news(context, league, news)
    content = cut_text(await context.names.spell_names(league.guild, content), MAX_MESSAGE_LENGTH)
    message = context.client.get_partial_messageable(league.channel).get_partial_message(league.message)
    with best_effort("post of a league left", league=league.id):
        try:
            await message.edit(
                content=content,
                attachments=[make_file() for make_file in files],
                view=make_view(*post_buttons(locale, league)),
                allowed_mentions=NO_MENTIONS,
            )
        except discord.NotFound:  # somebody has deleted it
            await seasons.post_again(league, now())
        except discord.Forbidden as error:  # until the next change, or the end of a timeout
            if trouble_at(context.client, league.guild, league.channel, error).obstacle.is_temporary:
                raise
            log.info("post of a league left", league=league.id, error=str(error))
        await seasons.note_edited(league, now())  # only now: the edit may have waited for its pictures or its turn


async def note_lost_channels(context: BotContext, now: int) -> None:
    """Notes leagues whose channel has been deleted. Where a season is about to begin, asks Discord if it is unsure."""
    seasons = context.service.part(Seasons)
    for league in await seasons.leagues_in_channels():
        begins = league.state is LeagueState.SIGN_UP and league.begins_at <= now
        if league.channel in context.deleted or (begins and await is_place_gone(context, league.guild, league.channel)):
            await seasons.note_channel_lost(league, now)
            context.announcements_due.set()


async def tick_leagues(context: BotContext, now: int) -> None:
    """Does what is due in leagues."""
    await note_lost_channels(context, now)
    begun = await context.service.part(Seasons).tick(
        now, lambda league, game: game_title(context.server_language(league.guild), league, game)
    )
    if begun:
        context.announcements_due.set()


async def end_seasons(context: BotContext, now: int) -> None:
    """Adjudicates the unfinished games of seasons whose time is up, and ends these seasons."""
    seasons = context.service.part(Seasons)
    for league in await seasons.ending_leagues():
        with context.service.attempts.contain_failures("ends of seasons", league=league.id):
            try:
                for game in await seasons.games_to_adjudicate(league):
                    match = await seasons.match_of_game(game)
                    proved = await _proved_winner(context, match, league, now) if match else None
                    await seasons.adjudicate_game(league, game, match, proved, now)
            except EngineError as error:
                log.info("the end of a season waits for the engine", league=league.id, error=str(error))
                continue
            await seasons.end_season(league.id, now)
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
