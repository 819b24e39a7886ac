"""One transaction per act: load, decide, store. Speaks in ids; raises MatchError and RulesError."""

from bot.play.service.service import Service

__all__ = ["Service"]
