"""What players do in a game that is on, and what referees do to it."""

from __future__ import annotations

from bot.match import offers, refereeing, timing, turns, vacancy
from bot.match.events import Ballot
from bot.match.match import Match
from bot.service.limits import room_for
from bot.service.presence import Presence
from bot.store import Writer
from rules import Seat


class Playing(Presence):
    """Acts of players; the match that is returned is as it stands afterwards."""

    async def move(
        self, match_id: int, guild: int, user: int, text: str, now: int, board_version: int | None = None
    ) -> Match:
        """The match after the user's move. `board_version`: of the board they saw; STALE if it is another.

        Where the next player has a single legal outcome and wants it played for him, behind that one, too.
        """
        return await self._decide(
            match_id, guild, lambda match, people: turns.move(match, user, text, now, board_version, people)
        )

    async def resign(self, match_id: int, guild: int, user: int, now: int, *, call: bool = True) -> Match:
        """The match after the user has left the game: over, or with a vacant seat; without a `call`, a passive one."""
        return await self._decide(
            match_id, guild, lambda match, people: turns.resign(match, user, now, people, call=call)
        )

    # Time

    async def claim(self, match_id: int, guild: int, user: int, now: int, board_version: int | None = None) -> Match:
        """The player to move, whose time and grace are used up, is out of the game. `board_version`: as of `move`."""
        await self._require_presence(now)
        return await self._decide(
            match_id, guild, lambda match, people: timing.claim(match, user, now, people, board_version)
        )

    async def give_time(
        self, match_id: int, guild: int, user: int, seconds: int, now: int, board_version: int | None = None
    ) -> Match:
        """The player to move gets more time from an opponent; with `board_version`, only in the grace of that turn."""
        return await self._decide(
            match_id, guild, lambda match, people: timing.give_time(match, user, seconds, now, people, board_version)
        )

    async def nudge(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The player to move is reminded by an opponent; once a day."""
        return await self._decide(match_id, guild, lambda match, _: timing.nudge(match, user, now))

    async def snooze(
        self, match_id: int, guild: int | None, user: int, until: int, now: int, board_version: int | None = None
    ) -> Match:
        """The player to move is reminded at that instant, and not before. No guild: he asks by direct message."""
        return await self._decide(
            match_id, guild, lambda match, people: timing.snooze(match, user, until, now, people, board_version)
        )

    # Leavers and substitutes

    async def take_over(self, match_id: int, guild: int, user: int, now: int, asked: int | None = None) -> Match:
        """The user plays the vacant seat from now on. Raises also TOO_MANY_LIVE.

        `asked`: the event that he answers, if known, here and below.
        """
        await self._require_presence(now)
        return await self._decide(
            match_id, guild, lambda match, _: vacancy.take_over(match, user, now, asked), room_for(user)
        )

    async def vote(
        self, match_id: int, guild: int, user: int, ballot: Ballot, now: int, asked: int | None = None
    ) -> Match:
        """The user says what is to become of a game that one has left."""
        return await self._decide(match_id, guild, lambda match, _: vacancy.vote(match, user, ballot, now, asked))

    async def propose_substitute(self, match_id: int, guild: int, user: int, other: int, now: int) -> Match:
        """The user wants to hand his seat over to another."""
        return await self._decide(match_id, guild, lambda match, _: vacancy.propose_substitute(match, user, other, now))

    async def accept_substitute(
        self, match_id: int, guild: int, user: int, now: int, asked: int | None = None
    ) -> Match:
        """The user agrees to the seat's being handed over. Raises also TOO_MANY_LIVE, of who is to play on."""

        async def check(writer: Writer, match: Match) -> None:
            if match.handover:
                await room_for(match.handover.to)(writer, match)

        return await self._decide(
            match_id, guild, lambda match, people: vacancy.accept_substitute(match, user, now, people, asked), check
        )

    async def decline_substitute(
        self, match_id: int, guild: int, user: int, now: int, asked: int | None = None
    ) -> Match:
        """The user does not agree."""
        return await self._decide(match_id, guild, lambda match, _: vacancy.decline_substitute(match, user, now, asked))

    # Agreements

    async def offer_draw(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The user offers a draw, or accepts the one that is offered."""
        return await self._decide(match_id, guild, lambda match, _: offers.offer_draw(match, user, now))

    async def accept_draw(self, match_id: int, guild: int, user: int, now: int, asked: int | None = None) -> Match:
        """The user agrees to the draw."""
        return await self._decide(match_id, guild, lambda match, _: offers.accept_draw(match, user, now, asked))

    async def decline_draw(self, match_id: int, guild: int, user: int, now: int, asked: int | None = None) -> Match:
        """The user does not agree to the draw, or takes his offer back."""
        return await self._decide(match_id, guild, lambda match, _: offers.decline_draw(match, user, now, asked))

    async def claim_draw(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The user claims the draw that the rules give him."""
        return await self._decide(match_id, guild, lambda match, _: offers.claim_draw(match, user, now))

    async def ask_takeback(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The user asks to take his last move back."""
        return await self._decide(match_id, guild, lambda match, _: offers.ask_takeback(match, user, now))

    async def accept_takeback(self, match_id: int, guild: int, user: int, now: int, asked: int | None = None) -> Match:
        """The user agrees to it."""
        return await self._decide(match_id, guild, lambda match, _: offers.accept_takeback(match, user, now, asked))

    async def decline_takeback(self, match_id: int, guild: int, user: int, now: int, asked: int | None = None) -> Match:
        """The user does not agree to it, or takes his request back."""
        return await self._decide(match_id, guild, lambda match, _: offers.decline_takeback(match, user, now, asked))

    # The referee. Whether the user is one, the caller has checked.

    async def set_clock(
        self, match_id: int, guild: int, referee: int, seat: Seat, seconds: int, reason: str, now: int
    ) -> Match:
        """That seat has so many seconds left."""
        return await self._decide(
            match_id,
            guild,
            lambda match, people: refereeing.set_clock(match, referee, seat, seconds, reason, now, people),
        )

    async def replace_player(
        self, match_id: int, guild: int, referee: int, user: int, by: int, reason: str, now: int
    ) -> Match:
        """Another plays that user's seat."""
        return await self._decide(
            match_id,
            guild,
            lambda match, people: refereeing.replace_player(match, referee, user, by, reason, now, people),
        )

    async def rewind(self, match_id: int, guild: int, referee: int, ply: int, reason: str, now: int) -> Match:
        """The game goes on as it stood after that many moves."""
        return await self._decide(match_id, guild, lambda match, _: refereeing.rewind(match, referee, ply, reason, now))

    async def abort(self, match_id: int, guild: int, referee: int, reason: str, now: int) -> Match:
        """The game ends without any result."""
        return await self._decide(match_id, guild, lambda match, _: refereeing.abort(match, referee, reason, now))

    async def annul(self, match_id: int, guild: int, referee: int, reason: str, now: int) -> Match:
        """The result of a finished game counts no longer."""
        return await self._decide(match_id, guild, lambda match, _: refereeing.annul(match, referee, reason, now))

    async def rename(self, match_id: int, guild: int, referee: int, title: str, reason: str, now: int) -> Match:
        """The match gets a title; an empty one takes it away."""
        return await self._decide(
            match_id, guild, lambda match, _: refereeing.rename(match, referee, title, reason, now)
        )
