"""A loopback Discord: enough of REST API and gateway to run the bot without a token, and a chat page to use it.

It is not a mock: what Discord refuses is refused here, with the same codes, or it would teach the bot bad
habits. The end-to-end tests run against it as well.
"""

from .gateway import TOKEN
from .hardness import HARD, Hardness
from .parts import PayloadCheck
from .profile import Profile
from .redirect import point_discord_at
from .server import Sandbox

__all__ = ["HARD", "TOKEN", "Hardness", "PayloadCheck", "Profile", "Sandbox", "point_discord_at"]
