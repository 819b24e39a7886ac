"""What this bot asks of Discord, on this machine: REST API, gateway, and a chat page for people. See README.md.

It is not a mock: it refuses what Discord refuses, with the same codes.
"""

from .gateway import TOKEN
from .hardness import HARD, Hardness
from .parts import PayloadCheck
from .profile import BotProfile
from .redirect import point_discord_at
from .server import Sandbox

__all__ = ["HARD", "TOKEN", "BotProfile", "Hardness", "PayloadCheck", "Sandbox", "point_discord_at"]
