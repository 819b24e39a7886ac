"""The audit channel: every act of a referee is entered there once, even if the bot crashes in between."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.core.refereeing import Ruling
from bot.discordkit.permissions import Trouble, trouble_at
from bot.play.announcing.outbox import Outbox, Post
from bot.play.announcing.telling.referee import audit_text

BOARD_PERMISSIONS = ("attach_files", "read_message_history")
"""Permissions that an entry does not need."""


class Auditor(Outbox[int, Ruling]):
    """Enters what referees have done to a match since the last entry.

    After an outage the next call tries again. An entry that Discord refuses is given up, since the channel may be gone
    permanently: the players still hear of the act, and the game's history keeps it.
    """

    async def load_due(self, match_id: int) -> Sequence[Ruling]:
        """Returns the acts that have not been entered."""
        return await self._context.service.unaudited_rulings(match_id)

    async def post_item(self, ruling: Ruling) -> discord.Message | None:
        """Posts the entry, if the server has an audit channel."""
        match = ruling.match
        channel = self._audit_channel(ruling)
        if channel is None:
            return None
        entry = audit_text(self._context.server_language(match.guild), ruling)
        nonce = f"a{match.created:x}:{match.id}:{ruling.event.seq}"
        return await self.send_post(Post(channel=channel, guild=match.guild, content=entry, nonce=nonce))

    async def mark_told(self, ruling: Ruling, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the act as entered."""
        await self._context.service.mark_audited(ruling.match.id, ruling.event.seq)

    def trouble_with(self, ruling: Ruling, error: Exception) -> Trouble:
        """Returns what kept the entry out."""
        trouble = trouble_at(self._context.client, ruling.match.guild, self._audit_channel(ruling) or 0, error)
        return trouble._replace(missing=tuple(name for name in trouble.missing if name not in BOARD_PERMISSIONS))

    def gives_up(self, trouble: Trouble) -> bool:
        """True unless a later try may succeed."""
        return not trouble.obstacle.is_temporary

    def log_fields(self, match_id: int) -> dict[str, object]:
        """Returns the audit entry for the log."""
        return {"audit": match_id}

    def _audit_channel(self, ruling: Ruling) -> int | None:
        return self._context.servers.settings_of(ruling.match.guild).audit
