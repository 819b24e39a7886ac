"""What people have done: leaderboards, profiles, finished games, and what a game brought."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from bot.core.match import Match
from bot.core.ratings import NEW_RATING, Rating, long_enough
from bot.core.results import FinishedGame, PlayerOutcome
from bot.ladder.row_codec import LadderId
from bot.ladder.rows import triad_of
from bot.ladder.standing_rows import steps_brought
from bot.ladder.standings import (
    PAGE_ROWS,
    Comparison,
    HistoryGame,
    Leaderboard,
    LeaderboardRow,
    Profile,
    ResultEffects,
    UnratedReason,
    current_streak,
    pages_of,
)
from bot.play.service.matches import ServicePart
from bot.profile import rows as profiles_store
from bot.store.people import load_people
from bot.store.results import changes_of, drop_undone, ratings_of, result_of, undone_effects

FAVOURITE_MOVES_SHOWN = 3
"""How many first moves a profile shows."""

GAMES_PER_PAGE = 10
"""How many games a page of somebody's history has."""

GAMES_FOR_HINTS = 10
"""How many games are looked into for a referee."""


class Profiles(ServicePart):
    """Everything about finished games and the people who played them."""

    async def result_effects(self, match_id: int) -> ResultEffects:
        """What the end of that match made of ratings and rungs; nothing where it is not over, or brought nothing."""
        reader = self._reader
        match = await self._matches.load_match(reader, match_id)
        place = LadderId(match.guild, match.variant.key)
        steps = await steps_brought(reader, place, match_id) if match.ladder else {}
        triad = await triad_of(reader, place, match_id, steps) if len(match.players) > 2 else None
        ratings, over = await changes_of(reader, match_id), await result_of(reader, match_id)
        return ResultEffects(
            ratings, steps, _unrated_reason(over) if over and not ratings and not over.casual else None, triad
        )

    async def undone_effects(self, match_id: int) -> ResultEffects | None:
        """What annulling the match changed in ratings and rungs; None once announced."""
        return await undone_effects(self._reader, match_id)

    async def mark_undone_announced(self, match_id: int) -> None:
        """Notes that the effects of annulling the match have been announced."""
        async with self._store.write_transaction() as tx:
            await drop_undone(tx, match_id)

    async def profiles_of(self, guild: int, user: int) -> tuple[Profile, ...]:
        """The user at each variant that they have to do with in that server, the one played most first."""
        reader = self._reader
        played: dict[str, list[profiles_store.PlayerGame]] = defaultdict(list)
        for part in await profiles_store.player_games(reader, guild, user):
            played[part.variant].append(part)
        standing = await profiles_store.steps_and_ratings(reader, guild, user)
        profiles = [
            _profile_of_parts(variant, played[variant], *standing.get(variant, (None, NEW_RATING)))
            for variant in played.keys() | standing.keys()
        ]
        return tuple(sorted(profiles, key=lambda profile: (-len(played[profile.variant]), profile.variant)))

    async def rating_curve(self, guild: int, variant: str, user: int) -> tuple[tuple[int, int], ...]:
        """When the user's rated games ended, and the number after each, in order."""
        story = await profiles_store.rating_curve(self._reader, guild, variant, user)
        return tuple((ended_at, rating.shown_number) for ended_at, rating in story)

    async def leaderboard_page(
        self, guild: int, variant: str, page: int, now: int, user: int | None = None
    ) -> Leaderboard:
        """That page of the board, or the nearest there is; `user` asks for their own place as well."""
        reader = self._reader
        order = await profiles_store.leaderboard_users(reader, guild, variant, now)
        pages = pages_of(len(order))
        page = min(max(page, 0), pages - 1)
        shown = order[page * PAGE_ROWS : (page + 1) * PAGE_ROWS]
        ratings = await ratings_of(reader, guild, variant, shown)
        rows = tuple(
            LeaderboardRow(place, member, ratings[member]) for place, member in enumerate(shown, page * PAGE_ROWS + 1)
        )
        return Leaderboard(rows, page, pages, len(order), order.index(user) + 1 if user in order else None)

    async def compare_people(self, guild: int, first_user: int, second_user: int) -> Comparison:
        """The two side by side. Nothing of those who hide, and nothing of what both have done together then."""
        persons = await load_people(self._reader, (first_user, second_user))
        hidden = frozenset(
            user for user in (first_user, second_user) if user in persons and not persons[user].settings.public
        )
        profiles = [() if user in hidden else await self.profiles_of(guild, user) for user in (first_user, second_user)]
        met = [] if hidden else await profiles_store.outcomes_together(self._reader, guild, first_user, second_user)
        together: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for variant, first, second in met:
            if first is not PlayerOutcome.NONE:
                together[variant][0 if first is PlayerOutcome.WON else 2 if second is PlayerOutcome.WON else 1] += 1
        counts = {variant: (won, drawn, lost) for variant, (won, drawn, lost) in sorted(together.items())}
        return Comparison((profiles[0], profiles[1]), counts, hidden)

    async def find_history(
        self, guild: int, user: int, variant: str | None = None, opponent: int | None = None, page: int = 0
    ) -> tuple[tuple[HistoryGame, ...], int]:
        """A page of the user's finished games, the latest first, and how many pages there are."""
        games, total = await profiles_store.finished_games(
            self._reader, guild, user, variant, opponent, page * GAMES_PER_PAGE, GAMES_PER_PAGE
        )
        return tuple(games), pages_of(total, GAMES_PER_PAGE)

    async def hints_of(self, guild: int, user: int) -> tuple[Match, ...]:
        """The user's latest finished games, for a referee to look into; see `bot.ladder.fair_play`."""
        reader = self._reader
        games, _ = await profiles_store.finished_games(reader, guild, user, None, None, 0, GAMES_FOR_HINTS)
        return tuple(
            [
                await self._matches.load_match(reader, game.match)
                for game in games
                if game.fate is not PlayerOutcome.NONE
            ]
        )


def _unrated_reason(game: FinishedGame) -> UnratedReason:
    """Why that game, which has moved no rating, is not rated."""
    if not game.has_result:
        return UnratedReason.NO_RESULT
    return UnratedReason.CAPPED if long_enough(game) else UnratedReason.SHORT


def _profile_of_parts(
    variant: str, parts: Sequence[profiles_store.PlayerGame], step: int | None, rating: Rating
) -> Profile:
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
        won=fates[PlayerOutcome.WON],
        drawn=fates[PlayerOutcome.DRAWN],
        lost=fates[PlayerOutcome.LOST],
        streak=current_streak(part.fate for part in parts),
        first_moves=tuple(
            sorted(first_moves.items(), key=lambda move_count: (-move_count[1], move_count[0]))[:FAVOURITE_MOVES_SHOWN]
        ),
        thinking=sum(part.thought for part in parts) // pondered if pondered else None,
        late=sum(part.late for part in parts),
        against_house=(house[PlayerOutcome.WON], house[PlayerOutcome.DRAWN], house[PlayerOutcome.LOST])
        if house
        else None,
    )
