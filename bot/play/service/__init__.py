"""One transaction per act: load, decide, store. Speaks in ids; raises MatchError, LadderError and RulesError.

May import `bot.store` and the packages below it.
"""

from bot.play.service.service import Service

__all__ = ["Service"]
