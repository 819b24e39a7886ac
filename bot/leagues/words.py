"""Leagues in words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bot.core.match import Match, MatchSummary
from bot.discordkit.errors import Explanation
from bot.discordkit.paging import split_words
from bot.discordkit.reply import fit_lines
from bot.leagues.groups import Divisions, Group, LeagueGame, LeagueSeat, Movement, SeatState, format_points
from bot.leagues.league import WIN, League, LeagueError, LeagueState, LeagueTerms, NewsKind, SignOff, SignUp
from bot.leagues.rows import LeagueRuling, LeagueSeason
from bot.leagues.service import Leaving, SignUpList
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import absolute_time, escape_markup, relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import message_url
from rules import Seat

PODIUM_MEDALS = {1: "🥇", 2: "🥈", 3: "🥉"}
TIE_BREAKS = ("direct", "neustadtl", "wins")
"""The tie-breaks in the order in which they decide, as in `Standing.ranking_key`."""


def league_name(locale: Language, league: League) -> str:
    """Returns the name of a league: that which its managers chose, or "Camette league 3"."""
    return league.name or text(locale, "league.name", variant=_game_of(locale, league), id=league.id)


def _game_of(locale: Language, league: League) -> str:
    return text(locale, f"variant.{league.terms.variant}")


def text_about(locale: Language, league: League, key: str, **values: object) -> str:
    """Returns a sentence of the catalogue that names a league. As `called`, a name of its own tells the game, too."""
    name = league_name(locale, league)
    called = f"{name} ({_game_of(locale, league)})" if league.name else name
    return text(locale, key, league=name, called=called, **values)


def group_name(locale: Language, division: int) -> str:
    """Returns the name of a group: "Group A" is the highest."""
    return text(locale, "league.group", letter=chr(ord("A") + division))


def game_title(locale: Language, league: League, game: LeagueGame) -> str:
    """Returns the title of a game: "League 3, group A"."""
    letter, name = chr(ord("A") + game.division), league.name or text(locale, "league.short-name", id=league.id)
    return text(locale, "league.game-title", league=name, letter=letter)


def describe_terms(locale: Language, terms: LeagueTerms) -> dict[str, object]:
    """Returns the terms of a league as sentences take them, by field."""
    variant, pace = text(locale, f"variant.{terms.variant}"), text(locale, f"choice.pace.{terms.pace.value}")
    said = {name: _describe_term(locale, name, value) for name, value in terms._asdict().items()}
    return {**said, "variant": variant, "pace": pace}


def _describe_term(locale: Language, name: str, value: Any) -> object:
    """Returns the words of a term for yes or no, or its number, with its unit if the name ends with one."""
    unit, answer = name.split("_")[-1], "yes" if value else "no"
    if isinstance(value, bool):
        return text(locale, f"league.term.{name}.{answer}")
    return plural_text(locale, f"league.term.{unit}", value) if unit in ("weeks", "days") else value


def terms_text(locale: Language, terms: LeagueTerms) -> str:
    """Returns the terms of a league, in several lines."""
    return text(locale, "league.terms", **describe_terms(locale, terms))


def answer_text(locale: Language, question: str, terms: LeagueTerms) -> str:
    """Returns what these terms answer to a question of the panel: a menu's option, or a button that leads to them."""
    return text(locale, f"league.answer.{question}", **describe_terms(locale, terms))


def beginning_text(locale: Language, league: League, now: int) -> str:
    """Returns when the season begins for which people sign up."""
    return text(locale, "league.begins", at=absolute_time(league.begins_at), when=_time_to_begin(locale, league, now))


def _time_to_begin(locale: Language, league: League, now: int) -> str:
    return text(locale, "league.now") if league.is_beginning(now) else relative_time(league.begins_at)


def short_season_warning(locale: Language, terms: LeagueTerms) -> str:
    """Returns a warning if a long game may not end within a season; otherwise an empty text."""
    needed = terms.weeks_needed
    if needed is None:
        return text(locale, "league.no-clock")
    return "" if terms.weeks >= needed else text(locale, "league.short", weeks=needed, moves=terms.moves_a_side)


def season_title(locale: Language, league: League, season: int) -> str:
    """Returns the league and the number of a season."""
    return text_about(locale, league, "league.season", season=season)


def table_text(locale: Language, league: League, season: int, groups: Sequence[Group]) -> str:
    """Returns the text above the tables: the end of the season, and how far each group is."""
    key = "final"
    if league.is_on and league.season == season:
        key = "ends" if league.state is LeagueState.RUNNING else "ending"
    ends = text(locale, f"league.{key}", at=absolute_time(league.ends_at), when=relative_time(league.ends_at))
    lines, progress = [season_title(locale, league, season), ends], [progress_text(locale, group) for group in groups]
    if len(groups) > 1 and not any(row.played for group in groups for row in group.standings):  # as at its start
        all_groups = text(locale, "league.groups", letters=f"A–{chr(ord('A') + groups[-1].division)}")
        count = sum(len(group.games_that_count) for group in groups)
        progress = [text(locale, "league.progress-none", group=all_groups, over=0, games=count)]
    return _fit_post(locale, [*lines, *progress, *_all_notes(locale, groups)])


def _fit_post(locale: Language, lines: Sequence[str]) -> str:
    """Returns as many lines as fit into a post, and where to see the others."""
    return fit_lines(lines, text(locale, "league.more"))


def _all_notes(locale: Language, groups: Sequence[Group]) -> Iterator[str]:
    """Yields what the tables of these groups do not show."""
    if any(len(game.entrants) == 3 for group in groups for game in group.games):
        yield text(locale, "league.attacks")
    if any(game.is_unbegun for group in groups for game in group.games_that_count):
        yield text(locale, "league.unbegun")
    if any(seat.state is not SeatState.IN for group in groups for seat in group.seats):
        yield text(locale, "league.struck")
    for group in groups:
        yield from (f"**{group_name(locale, group.division)}** · {note}" for note in _notes_of(locale, group))


def _notes_of(locale: Language, group: Group) -> list[str]:
    """Returns what a table does not show: how ties were broken, and who has points for games that they lack."""
    ties = list[str]()
    for row, following in pairwise(group.standings):
        if row.rank and following.rank and row.points == following.points and row.rank != following.rank:
            names = mention_users(locale, [row.user, following.user])
            tie_break = next(name for name in TIE_BREAKS if getattr(row, name) != getattr(following, name))
            ties.append(text(locale, f"league.tie.{tie_break}", first=names[0], second=names[1]))
    notes = [text(locale, "league.ties", ties="; ".join(ties))] if ties else []
    credited = [row for row in group.standings if row.credit]
    if credited:
        names = mention_users(locale, [row.user for row in credited])
        credit = format_points(WIN // len(group.games[0].entrants))
        notes.append(text(locale, "league.credit", players=join_list(locale, names), points=credit))
    return notes


def progress_text(locale: Language, group: Group) -> str:
    """Returns how far a group is, and who leads."""
    rows = [row for row in group.standings if row.rank == 1 and row.points_gained]
    leaders = join_list(locale, mention_users(locale, [row.user for row in rows[:3]]))
    key = "league.progress" if leaders else "league.progress-none"
    name, points = group_name(locale, group.division), format_points(rows[0].points) if rows else ""
    games, unfinished = len(group.games_that_count), len(group.unfinished_games)
    return text(locale, key, group=name, over=games - unfinished, games=games, leaders=leaders, points=points)


def standings_text(locale: Language, group: Group) -> str:
    """Returns the table of a group as text, for readers without the picture."""
    names = {user: mention_user(user, locale) for user in group.users_by_entrant}
    title = f"**{group_name(locale, group.division)}**"
    return "\n".join([title, *row_lines(locale, group, names), *_notes_of(locale, group)])


def row_lines(locale: Language, group: Group, names: Mapping[int, str]) -> list[str]:
    """Returns the table of a group in words: place, name, points, games, who has left, goes up and down. `names` are by
    user.
    """
    lines = list[str]()
    for row in group.standings:
        kind = "out" if row.is_out else "line" if row.rank else "waiting"
        values = {"place": row.rank, "points": format_points(row.points), "played": row.played, "games": row.games}
        lines.append(text(locale, f"league-row.{kind}", player=names[row.user], **values))
        has_left, moves = group.seats[row.entrant].state is SeatState.LEFT, row.movement is not Movement.STAYS
        for end in ["left"] * has_left + [row.movement.value] * moves:
            lines[-1] += f" {text(locale, f'league-row.{end}')}"
    return lines


def league_game_line(
    locale: Language, group: Group, game: LeagueGame, summaries: Mapping[int, MatchSummary], reader: int = 0
) -> str:
    """Returns a game in a list: its number, who plays, and how it stands, such as that it is the reader's turn."""
    summary, users = summaries.get(game.match or 0), group.users_of(game)
    number = _linked_number(summary) if summary else f"#{game.match}" if game.match else "–"
    names, ends = mention_users(locale, users), list[str]()
    if game.points is not None:
        verdict = f" ({text(locale, f'league.verdict.{game.verdict.value}')})" if game.verdict else ""
        ends = [f"{' : '.join(map(format_points, game.points))}{verdict}"]
    elif summary is not None and (turn := summary.to_move) is not None:
        said = text(locale, "league.your-turn" if turn == reader else "league.to-move")
        said = f"{mention_user(turn, locale)} ({said})"
        if turn in users:
            names[users.index(turn)] = said
        else:  # a substitute
            ends = [said]
    return " · ".join([number, " – ".join(names), *ends])


def _linked_number(summary: MatchSummary) -> str:
    """Returns the number of a game, as a link to its latest board."""
    number = f"#{summary.id}"
    return number if summary.turn is None else f"[{number}]({message_url(summary.guild, summary.turn)})"


LIST_ROOM = 1600
"""Characters in a message of the list of games. Names are longer than the mentions that they replace."""


def season_games_pages(
    locale: Language, league: League, groups: Sequence[Group], summaries: Mapping[int, MatchSummary]
) -> list[str]:
    """Returns the list of a season's games by group, with its people, each with the way to it, and how many are still
    to begin: the words of one message or several.
    """
    head = f"{season_title(locale, league, league.season)}\n{text(locale, 'league.season-games')}"
    parts = list[str]()
    for group in groups:
        begun = [game for game in group.games if game.match in summaries]
        lines = [_way_to_game(locale, group, game, summaries[game.match or 0]) for game in begun]
        if later := sum(game.match is None for game in group.unfinished_games):
            lines.append(plural_text(locale, "league.games-later", later))
        name, people = f"**{group_name(locale, group.division)}**", mention_users(locale, group.users_in)
        parts += split_words(name, [", ".join(people), *lines], LIST_ROOM - len(head) - 1) if lines else []
    return split_words(head, parts, LIST_ROOM)


def _way_to_game(locale: Language, group: Group, game: LeagueGame, summary: MatchSummary) -> str:
    """Returns the thread of a game, whose name says who plays; without a thread, a link to the board and the people."""
    if summary.place.thread:
        return f"<#{summary.place.thread}>"
    return f"{_linked_number(summary)} · {' – '.join(mention_users(locale, group.users_of(game)))}"


def gains_text(locale: Language, league: League, group: Group, game: LeagueGame) -> str:
    """Returns how many points the players of a game that is over have, how many of them by it, and their places; empty
    if it does not count.
    """
    size, gains = sum(not row.is_out for row in group.standings), list[str]()
    for row in group.standings if game.points and game in group.games_that_count else ():
        if row.entrant in game.entrants:
            gained, points = format_points(game.points_of(row.entrant)), format_points(row.points)
            said = {"player": mention_user(row.user, locale), "points": points, "gained": gained}
            gains.append(text(locale, "league.gain", place=row.rank, size=size, **said))
    title = game_title(locale, league, game)
    return text(locale, "league.gains", title=title, gains=" · ".join(gains)) if gains else ""


def games_by_group(
    locale: Language, groups: Sequence[Group], user: int, summaries: Mapping[int, MatchSummary]
) -> list[str]:
    """Returns the games of a season by group, the reader's own group first, so marked: in each a line for each game,
    the reader's own first, and those that go on before the others. A long group is continued below its name again.
    """
    shown = list[str]()
    for group in sorted(groups, key=lambda group: user not in group.users_by_entrant):
        name, is_own = f"**{group_name(locale, group.division)}**", user in group.users_by_entrant
        games = sorted(group.games, key=lambda game: (user not in group.users_of(game), game.points is not None))
        lines = [league_game_line(locale, group, game, summaries, user) for game in games]
        shown += split_words(text(locale, "league.own-group", group=name) if is_own else name, lines, LIST_ROOM)
    return shown


def warning_text(
    locale: Language, league: League, groups: Sequence[Group], summaries: Mapping[int, MatchSummary]
) -> str:
    """Returns the warning before a season ends, with the games that are not over."""
    when, at = relative_time(league.ends_at), absolute_time(league.ends_at)
    games = [league_game_line(locale, group, game, summaries) for group in groups for game in group.unfinished_games]
    told = [text(locale, "league.rules.adjudication"), text(locale, "league.not-over"), *games]
    title = text_about(locale, league, "league.warning", when=when, at=at)
    return _fit_post(locale, [title, *(told if games else [text(locale, "league.all-over")])])


def week_text(
    locale: Language, league: League, groups: Sequence[Group], summaries: Mapping[int, MatchSummary], now: int
) -> str:
    """Returns the weekly report: how far each group is, and the games with an overdue player."""
    title = text_about(locale, league, "league.week", season=league.season, when=relative_time(league.ends_at))
    going_on = [summaries.get(game.match or 0) for group in groups for game in group.unfinished_games]
    late = [
        f"{_linked_number(summary)} · {mention_user(summary.to_move, locale)}"
        for summary in going_on
        if summary and summary.to_move and summary.time_runs_out_at and summary.time_runs_out_at < now
    ]
    heading = [text(locale, "league.late")] if late else []
    return _fit_post(locale, [title, *(progress_text(locale, group) for group in groups), *heading, *late])


def end_text(locale: Language, league: League, season: int, groups: Sequence[Group]) -> str:
    """Returns the post at the end of a season: the podiums, and who goes up and down."""
    podiums = [_podium_text(locale, group) for group in groups]
    title = text_about(locale, league, "league.end", season=season)
    return _fit_post(locale, [title, *podiums, *_all_notes(locale, groups)])


def _podium_text(locale: Language, group: Group) -> str:
    """Returns the first three places of a group, and who goes up and down."""
    lines = [f"**{group_name(locale, group.division)}**"]
    for seat in sorted((seat for seat in group.seats if seat.place in PODIUM_MEDALS), key=lambda seat: seat.place or 0):
        points = next(row.points for row in group.standings if row.entrant == seat.entrant)
        lines.append(f"{PODIUM_MEDALS[seat.place or 0]} {mention_user(seat.user, locale)} · {format_points(points)}")
    if len(lines) == 1:
        lines.append(text(locale, "league.no-winner"))
    for movement in (Movement.UP, Movement.DOWN):
        moved = [seat.user for seat in group.seats if seat.movement is movement and seat.state is SeatState.IN]
        if moved:
            names = join_list(locale, mention_users(locale, moved))
            lines.append(text(locale, f"league.moves-{movement.value}", players=names))
    return "\n".join(lines)


def history_lines(locale: Language, seasons: Iterable[LeagueSeason], winners: Mapping[int, Sequence[int]]) -> list[str]:
    """Returns the hall of fame of a league, a line for each season."""
    lines = list[str]()
    for past in seasons:
        names = join_list(locale, mention_users(locale, winners.get(past.season, ())))
        key = "going-on" if past.ended_at is None else "season" if names else "nobody"
        at = absolute_time(past.ended_at or past.began_at)
        lines.append(text(locale, f"league.history-{key}", season=past.season, at=at, players=names))
    return lines or [text(locale, "league.history-none")]


def rules_lines(locale: Language, league: League) -> list[str]:
    """Returns the rules of a league, a paragraph each. Together they are too long for an ordinary message."""
    players = "three" if league.terms.players_per_game == 3 else "two"
    keys = (players, f"points-{players}", "moves", "adjudication", "at-once", "leaving", "time")
    return [terms_text(locale, league.terms), *(text(locale, f"league.rules.{key}") for key in keys)]


def trophy_text(locale: Language, league: League, seat: LeagueSeat) -> str:
    """Returns a person's place in a season: "🥇 Camette league 3, season 2, group A"."""
    medal, group = PODIUM_MEDALS[seat.place or 0], group_name(locale, seat.division)
    return text_about(locale, league, "league.trophy", medal=medal, season=seat.season, group=group)


def explain_league_error(locale: Language, error: LeagueError) -> str:
    """Returns why a league refuses a request."""
    key = f"league.problem.{error.problem.value}"
    if isinstance(count := error.values.get("count"), int):
        return plural_text(locale, key, count)
    return text(locale, key, **error.values)


REFUSED_BY_LEAGUE = Explanation(LeagueError, explain_league_error)


NAMES_LISTED = 30
"""The most people named in a line of the post of a sign-up."""


def sign_up_text(locale: Language, league: League, listed: SignUpList, now: int) -> str:
    """Returns the post of a sign-up, which invites nobody once its season begins. Too few people begin none."""
    now = now if len(listed.ready) >= league.terms.players_per_game else 0
    title = "league.season" if league.is_beginning(now) else "league.open"
    lines = [text_about(locale, league, title, season=league.season), terms_text(locale, league.terms)]
    lines.append(beginning_text(locale, league, now))
    if listed.ready:
        lines.append(signed_up_line(locale, listed.ready))
    return fit_lines([*lines, *_lines_apart(locale, listed).values()])


def sign_offs_text(locale: Language, league: League, listed: SignUpList, kind: NewsKind) -> str:
    """Returns the post that calls people who have to do something before they can play ("recall"), or names those who
    have left the server ("gone").
    """
    keys = ("signed-off-gone",) if kind is NewsKind.GONE else ("unready", "signed-off-idle")
    lines = [line for key, line in _lines_apart(locale, listed).items() if key in keys]
    return fit_lines([season_title(locale, league, league.season), *lines])


def people_text(locale: Language, league: League, divisions: Divisions, listed: SignUpList, asked: str) -> str:
    """Returns who is in each group, present or to come, and who is not, for managers; `asked`: what they may do."""
    groups = [
        f"**{group_name(locale, division)}** {', '.join(mention_users(locale, users))}"
        for division, users in enumerate(divisions)
    ]
    title = season_title(locale, league, league.season)
    return fit_lines([title, asked, *groups, *_lines_apart(locale, listed).values()])


def _lines_apart(locale: Language, listed: SignUpList) -> dict[str, str]:
    """Returns a line each for the reserve, people who have games to finish, who have to sign up again, and who are
    gone; by the ends of the keys.
    """
    apart = {
        "in-reserve": mention_users(locale, listed.reserve),
        "unready": [f"{mention_user(user, locale)} ({count})" for user, count in listed.unready.items()],
        "signed-off-idle": mention_users(locale, listed.signed_off.get(SignOff.IDLE, ())),
        "signed-off-gone": mention_users(locale, listed.signed_off.get(SignOff.GONE, ())),
    }
    return {key: text(locale, f"league.{key}", players=_list_some(names)) for key, names in apart.items() if names}


def signed_up_lines(locale: Language, users: Collection[int]) -> list[str]:
    """Returns how many people have signed up, and a line for each; empty if nobody has."""
    return [plural_text(locale, "league.signed-up", len(users)), *mention_users(locale, users)] if users else []


def signed_up_line(locale: Language, users: Collection[int]) -> str:
    """Returns how many people have signed up, and who; of many people the first."""
    return f"{plural_text(locale, 'league.signed-up', len(users))} {_list_some(mention_users(locale, users))}"


def _list_some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMES_LISTED]) + (" …" if len(names) > NAMES_LISTED else "")


def joined_text(locale: Language, league: League, sign_up: SignUp, now: int) -> str:
    """Returns what a sign-up means for the person."""
    when = relative_time(league.ends_at) if league.is_on else _time_to_begin(locale, league, now)
    key = "reserve" if sign_up.reserve else "joined-next" if league.is_on else "joined"
    limit = [limit_text(locale, sign_up.at_once)] if sign_up.at_once is not None else []
    return "\n".join([text_about(locale, league, f"league.{key}", when=when), *limit])


def limit_text(locale: Language, at_once: int | None) -> str:
    """Returns how many games a person plays at a time, and what that means; 0 or None: all of them."""
    return plural_text(locale, "league.at-once", at_once) if at_once else text(locale, "league.all-at-once")


def leaving_text(locale: Language, league: League, leaving: Leaving, other: int | None = None) -> str:
    """Returns a question that says what leaving would mean. A manager asks it about an `other` person."""
    reserve = "" if leaving.reserve is None else mention_user(leaving.reserve.user, locale)
    if leaving.seat is None:
        key = "sign-up"
    elif not leaving.games:
        key = "over"
    elif reserve:
        key = "reserve"
    else:
        key = "out" if leaving.state is SeatState.OUT else "left"
    games = plural_text(locale, "league.unfinished-games", leaving.games)
    name, player = league_name(locale, league), "" if other is None else mention_user(other, locale)
    asked = "leave" if other is None else "remove"
    return text(locale, f"league.{asked}.{key}", league=name, games=games, reserve=reserve, player=player)


def managed_text(
    locale: Language, league: League, act: str, user: int, manager: int, at: int, *, is_audit: bool
) -> str:
    """Returns the post that tells a person what a manager has done with them, or the entry for the audit. `act` is
    "removed", "unlisted" (taken out of a sign-up), "put-in" or "moved".
    """
    key = f"league.{act}-entry" if is_audit else f"league.{act}"
    people = {"player": mention_user(user, locale), "manager": mention_user(manager, locale)}
    return text_about(locale, league, key, at=absolute_time(at), **people)


def ruling_text(locale: Language, league: League, match: Match, ruling: LeagueRuling, *, is_audit: bool) -> str:
    """Returns how a game counts, who decided so, and why: for its players, or the entry for the audit."""
    key, where = "league.ruled-entry" if is_audit else "league.ruled", f"<#{match.place.thread_or_channel}>"
    winner, referee = winner_phrase(locale, match, ruling.winner), mention_user(ruling.referee, locale)
    players = join_list(locale, mention_users(locale, match.players))
    said = {"at": absolute_time(ruling.at), "reason": escape_markup(ruling.reason, len(ruling.reason))}
    return text_about(
        locale, league, key, id=match.id, where=where, players=players, winner=winner, referee=referee, **said
    )


def winner_phrase(locale: Language, match: Match, winner: Seat | None) -> str:
    """Returns how a ruling counts a game: "a win for @Ada" or "a draw"."""
    player = "" if winner is None else mention_user(match.players[winner], locale)
    return text(locale, "league.a-win" if player else "league.a-draw", player=player)
