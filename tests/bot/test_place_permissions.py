"""The permissions that a game needs, by the kind of place."""

from __future__ import annotations

import discord
import pytest

from bot.discordkit.permissions import missing_for

SEND, IN_THREADS = "send_messages", "send_messages_in_threads"


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        (discord.TextChannel, {SEND}),
        (discord.VoiceChannel, {SEND, "connect"}),
        (discord.StageChannel, {SEND, "connect"}),
        (discord.Thread, {IN_THREADS}),
        (discord.ForumChannel, {SEND, IN_THREADS}),
    ],
)
def test_each_kind_of_place_needs_permissions_of_its_own(kind: type[discord.abc.Snowflake], needed: set[str]) -> None:
    place = object.__new__(kind)
    everywhere = {"view_channel", "attach_files", "read_message_history"}
    assert set(missing_for(discord.Permissions.none(), place)) == everywhere | needed
    opening = set(missing_for(discord.Permissions.none(), place, wants_thread=True))
    assert opening == everywhere | needed | {"create_public_threads", IN_THREADS}
    assert not missing_for(discord.Permissions.all(), place, wants_thread=True)
