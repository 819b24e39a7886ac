"""House players: the seats that they take, the next game to think about, and their moves."""

from __future__ import annotations

from bot.core import acts
from bot.core.acts import decision_of
from bot.core.house_seats import is_house
from bot.core.match import Match
from bot.core.problems import MatchError
from bot.house import rows as house_store
from bot.house.rows import WaitingGame
from bot.play.service.house_limits import require_house
from bot.play.service.matches import Decision, MatchCheck, ServicePart
from bot.store import Writer
from bot.store.servers import load_guild_settings
from rules import Move


class House(ServicePart):
    """Acts of the house players. All state is in the stored games, so a restart continues where a crash stopped."""

    async def seat_house_players(self, match_id: int, guild: int, user: int, level: str, count: int, now: int) -> Match:
        """Seats `count` house players at the host's request. Returns the match, started if it is full.

        Raises also HOUSE_OFF, TOO_MANY_HOUSE and HOUSE_BUSY, here and below.
        """
        return await self._matches.act_on_match(
            match_id,
            guild,
            decision_of(user, now, acts.seat_house_players, level, count, self._matches.shuffle),
            self._house_room_for(user),
        )

    async def promise_house(
        self, match_id: int, guild: int, user: int, level: str, until: int | None, now: int
    ) -> Match:
        """Sets when house players take the empty seats, at the host's request; None: never. Returns the match."""
        return await self._matches.act_on_match(
            match_id,
            guild,
            decision_of(user, now, acts.promise_house, level, until),
            self._house_room_for(user) if until is not None else None,
        )

    def _house_room_for(self, user: int) -> MatchCheck:
        """A check that refuses if the person or the server has too many games with house players."""

        async def check_room(tx: Writer, match: Match) -> None:
            counted = bool(match.house_promise) or any(map(is_house, match.joined))
            settings = await load_guild_settings(tx, match.guild)
            await require_house(self._matches, tx, settings, match.guild, user, counted=counted)

        return check_room

    async def games_awaiting_house(self) -> list[WaitingGame]:
        """The games in which a house player is to move, in servers that can be reached."""
        return await house_store.waiting_games(self._reader)

    async def play_house_move(self, match_id: int, user: int, board_version: int, move: Move, now: int) -> Match | None:
        """Plays a house player's move and returns the match; None if the move is no longer possible.

        The move is stored only on the board version that the engine thought about, so no turn is played twice.
        """
        return await self._act_or_none(match_id, decision_of(user, now, acts.play_move, move, board_version))

    async def claim_draw(self, match_id: int, user: int, now: int) -> Match | None:
        """Claims a draw for a house player and returns the match; None if that is no longer possible."""
        return await self._act_or_none(match_id, decision_of(user, now, acts.claim_draw))

    async def _act_or_none(self, match_id: int, decide: Decision) -> Match | None:
        try:
            return await self._matches.act_on_match(match_id, None, decide)
        except MatchError:  # a move was taken back, or the game has ended
            return None
