"""What a server allows the bot and its members: roles, and permissions in the whole server."""

from __future__ import annotations

from sandbox.people import Person
from sandbox.permissions import Permission


async def grant(manager: Person, guild: int, *permissions: Permission) -> None:
    """Allows the bot's role these permissions in the whole server, and no others beyond the invitation's."""
    await manager.call("PUT", f"/app/guilds/{guild}/bot-role", {"allow": sum(map(int, permissions))})


async def add_role(manager: Person, guild: int, name: str, *, above: bool = False) -> str:
    """Adds a role, below the bot's own or above it, and returns its id."""
    made = await manager.call("POST", f"/app/guilds/{guild}/roles", {"name": name, "above": above})
    return str(made["id"])
