"""The audit channel: every act of a referee is entered there once, also when a crash comes between."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.kit.permissions import Trouble, trouble_at
from bot.match.refereeing import Ruling
from bot.posting.outbox import Outbox
from bot.posting.telling.referee import audit_text

FOR_BOARDS = ("attach_files", "read_message_history")
"""Permissions that an entry does without."""


class Auditor(Outbox[int, Ruling]):
    """Enters what referees have done to a match since the last time.

    After an outage the next time has another try; an entry that Discord refuses is given up, since the channel may be
    gone for good. The players are told of the act all the same, and it stays in the game's story.
    """

    async def due(self, match_id: int) -> Sequence[Ruling]:
        """The acts that have not been entered."""
        return await self._desk.service.unaudited(match_id)

    async def post(self, ruling: Ruling) -> discord.Message | None:
        """Enter it, in a server that has an audit channel."""
        match = ruling.match
        channel = self._channel(ruling)
        if channel is None:
            return None
        entry = audit_text(self._desk.language(match.guild), ruling)
        nonce = f"a{match.created:x}:{match.id}:{ruling.event.seq}"
        return await self._desk.send(channel, entry, nonce, guild=match.guild)

    async def mark(self, ruling: Ruling, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is entered."""
        await self._desk.service.mark_audited(ruling.match.id, ruling.event.seq)

    def trouble(self, ruling: Ruling, error: Exception) -> Trouble:
        """What has kept it out."""
        trouble = trouble_at(self._desk.client, ruling.match.guild, self._channel(ruling) or 0, error)
        return trouble._replace(missing=tuple(name for name in trouble.missing if name not in FOR_BOARDS))

    def gives_up(self, trouble: Trouble) -> bool:
        """Unless another try may be heard."""
        return not trouble.obstacle.passes

    def named(self, match_id: int) -> dict[str, object]:
        """What the log calls it."""
        return {"audit": match_id}

    def _channel(self, ruling: Ruling) -> int | None:
        return self._desk.servers.settings(ruling.match.guild).audit
