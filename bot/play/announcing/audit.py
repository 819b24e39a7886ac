"""The audit channel: every act of a referee is entered there once, also when a crash comes between."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.core.refereeing import Ruling
from bot.discordkit.permissions import Trouble, trouble_at
from bot.play.announcing.outbox import Outbox
from bot.play.announcing.telling.referee import audit_text

BOARD_PERMISSIONS = ("attach_files", "read_message_history")
"""Permissions that an entry does without."""


class Auditor(Outbox[int, Ruling]):
    """Enters what referees have done to a match since the last time.

    After an outage the next time has another try; an entry that Discord refuses is given up, since the channel may be
    gone for good. The players are told of the act all the same, and it stays in the game's story.
    """

    async def load_due(self, match_id: int) -> Sequence[Ruling]:
        """The acts that have not been entered."""
        return await self._context.service.unaudited_rulings(match_id)

    async def post_item(self, ruling: Ruling) -> discord.Message | None:
        """Enter it, in a server that has an audit channel."""
        match = ruling.match
        channel = self._audit_channel(ruling)
        if channel is None:
            return None
        entry = audit_text(self._context.server_language(match.guild), ruling)
        nonce = f"a{match.created:x}:{match.id}:{ruling.event.seq}"
        return await self._context.send_message(channel, entry, nonce, guild=match.guild)

    async def mark_told(self, ruling: Ruling, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is entered."""
        await self._context.service.mark_audited(ruling.match.id, ruling.event.seq)

    def trouble_with(self, ruling: Ruling, error: Exception) -> Trouble:
        """What has kept it out."""
        trouble = trouble_at(self._context.client, ruling.match.guild, self._audit_channel(ruling) or 0, error)
        return trouble._replace(missing=tuple(name for name in trouble.missing if name not in BOARD_PERMISSIONS))

    def gives_up(self, trouble: Trouble) -> bool:
        """Unless another try may be heard."""
        return not trouble.obstacle.is_temporary

    def log_fields(self, match_id: int) -> dict[str, object]:
        """What the log calls it."""
        return {"audit": match_id}

    def _audit_channel(self, ruling: Ruling) -> int | None:
        return self._context.servers.settings_of(ruling.match.guild).audit
