"""Whom a post pings: the named people and nobody else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord

from bot.core.house_seats import is_person


def pinging_only(users: Iterable[int]) -> discord.AllowedMentions:
    """Returns mentions that ping those people and nobody else. Numbers that are not people's are left out."""
    users_called = [discord.Object(user) for user in dict.fromkeys(users) if is_person(user)]
    return discord.AllowedMentions(everyone=False, roles=False, users=users_called)


def users_pinged(ping: discord.AllowedMentions) -> frozenset[int]:
    """Returns the people that a result of `pinging_only` may ping."""
    return frozenset(user.id for user in ping.users) if isinstance(ping.users, Sequence) else frozenset()
