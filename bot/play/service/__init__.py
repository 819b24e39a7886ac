"""The acts on matches, one transaction each: load, decide, store. Works with ids; raises MatchError and RulesError."""

from bot.play.service.service import Service

__all__ = ["Service"]
