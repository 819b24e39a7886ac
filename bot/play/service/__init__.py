"""Acts on matches and all that is stored beside them, one transaction each. Raises MatchError and RulesError."""

from bot.play.service.matches import Service

__all__ = ["Service"]
