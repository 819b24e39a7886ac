"""What people have done: leaderboards, profiles, finished games, and what a game brought."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from bot.ladder.ratings import NEW, Rating, long_enough
from bot.ladder.standings import PAGE, Board, BoardRow, Brought, Comparison, Played, Profile, Unrated, pages_of, streak
from bot.match.match import Match
from bot.match.results import Fate, Finished
from bot.service.matches import Beside
from bot.store import profiles as profiles_store
from bot.store.ladder import triad_of
from bot.store.ladder_rows import LadderId
from bot.store.people import people
from bot.store.results import changes_of, drop_undone, ratings_of, result_of, undone
from bot.store.standings import steps_brought

FAVOURITES = 3
"""How many first moves a profile shows."""

GAMES = 10
"""How many games a page of somebody's history has."""

LOOKED_INTO = 10
"""How many games are looked into for a referee."""


class Profiles(Beside):
    """Everything about finished games and the people who played them."""

    async def brought(self, match_id: int) -> Brought:
        """What the end of that match made of ratings and rungs; nothing where it is not over, or brought nothing."""
        reader = self._reader
        match = await self._matches.load(reader, match_id)
        place = LadderId(match.guild, match.variant.key)
        steps = await steps_brought(reader, place, match_id) if match.ladder else {}
        triad = await triad_of(reader, place, match_id, steps) if len(match.players) > 2 else None
        ratings, over = await changes_of(reader, match_id), await result_of(reader, match_id)
        return Brought(ratings, steps, _unrated(over) if over and not ratings and not over.casual else None, triad)

    async def undone(self, match_id: int) -> Brought | None:
        """What annulling that match has made of ratings and rungs; None once people have been told."""
        return await undone(self._reader, match_id)

    async def mark_undone_told(self, match_id: int) -> None:
        """Notes that people have been told what annulling that match has taken back."""
        async with self._store.writing() as tx:
            await drop_undone(tx, match_id)

    async def profile(self, guild: int, user: int) -> tuple[Profile, ...]:
        """The user at each variant that they have to do with in that server, the one played most first."""
        reader = self._reader
        played: dict[str, list[profiles_store.Part]] = defaultdict(list)
        for part in await profiles_store.parts(reader, guild, user):
            played[part.variant].append(part)
        standing = await profiles_store.steps_and_ratings(reader, guild, user)
        found = [
            _profile(variant, played[variant], *standing.get(variant, (None, NEW)))
            for variant in played.keys() | standing.keys()
        ]
        return tuple(sorted(found, key=lambda one: (-len(played[one.variant]), one.variant)))

    async def rating_curve(self, guild: int, variant: str, user: int) -> tuple[tuple[int, int], ...]:
        """When the user's rated games ended, and the number after each, in order."""
        story = await profiles_store.curve(self._reader, guild, variant, user)
        return tuple((ended_at, rating.number) for ended_at, rating in story)

    async def leaderboard(self, guild: int, variant: str, page: int, now: int, user: int | None = None) -> Board:
        """That page of the board, or the nearest there is; `user` asks for their own place as well."""
        reader = self._reader
        order = await profiles_store.board(reader, guild, variant, now)
        pages = pages_of(len(order))
        page = min(max(page, 0), pages - 1)
        shown = order[page * PAGE : (page + 1) * PAGE]
        known = await ratings_of(reader, guild, variant, shown)
        rows = tuple(BoardRow(place, one, known[one]) for place, one in enumerate(shown, page * PAGE + 1))
        return Board(rows, page, pages, len(order), order.index(user) + 1 if user in order else None)

    async def compare(self, guild: int, one: int, two: int) -> Comparison:
        """The two side by side. Nothing of those who hide, and nothing of what both have done together then."""
        known = await people(self._reader, (one, two))
        hidden = frozenset(user for user in (one, two) if user in known and not known[user].settings.public)
        profiles = [() if user in hidden else await self.profile(guild, user) for user in (one, two)]
        met = [] if hidden else await profiles_store.fates_together(self._reader, guild, one, two)
        together: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for variant, first, second in met:
            if first is not Fate.NONE:
                together[variant][0 if first is Fate.WON else 2 if second is Fate.WON else 1] += 1
        counts = {variant: (won, drawn, lost) for variant, (won, drawn, lost) in sorted(together.items())}
        return Comparison((profiles[0], profiles[1]), counts, hidden)

    async def find_history(
        self, guild: int, user: int, variant: str | None = None, opponent: int | None = None, page: int = 0
    ) -> tuple[tuple[Played, ...], int]:
        """A page of the user's finished games, the latest first, and how many pages there are."""
        games, total = await profiles_store.played(self._reader, guild, user, variant, opponent, page * GAMES, GAMES)
        return tuple(games), pages_of(total, GAMES)

    async def hints_of(self, guild: int, user: int) -> tuple[Match, ...]:
        """The user's latest finished games, for a referee to look into; see `bot.ladder.fair_play`."""
        reader = self._reader
        games, _ = await profiles_store.played(reader, guild, user, None, None, 0, LOOKED_INTO)
        return tuple([await self._matches.load(reader, game.match) for game in games if game.fate is not Fate.NONE])


def _unrated(game: Finished) -> Unrated:
    """Why that game, which has moved no rating, is not rated."""
    if not game.has_result:
        return Unrated.NO_RESULT
    return Unrated.CAPPED if long_enough(game) else Unrated.SHORT


def _profile(variant: str, parts: Sequence[profiles_store.Part], step: int | None, rating: Rating) -> Profile:
    """What those parts, the latest first, add up to; those with the house count by themselves."""
    house = Counter(part.fate for part in parts if part.casual)
    parts = [part for part in parts if not part.casual]
    fates = Counter(part.fate for part in parts)
    first_moves = Counter(part.first_move for part in parts if part.first_move)
    pondered = sum(part.moves - part.planned for part in parts)
    return Profile(
        variant=variant,
        rating=rating,
        step=step,
        won=fates[Fate.WON],
        drawn=fates[Fate.DRAWN],
        lost=fates[Fate.LOST],
        streak=streak(part.fate for part in parts),
        first_moves=tuple(sorted(first_moves.items(), key=lambda one: (-one[1], one[0]))[:FAVOURITES]),
        thinking=sum(part.thought for part in parts) // pondered if pondered else None,
        late=sum(part.late for part in parts),
        against_house=(house[Fate.WON], house[Fate.DRAWN], house[Fate.LOST]) if house else None,
    )
