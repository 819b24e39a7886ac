"""News of a league: what has to be posted about it. Pure."""

from __future__ import annotations

from typing import NamedTuple

from bot.leagues.league import League, LeagueState


class LeagueNews(NamedTuple):
    """Something that has to be posted."""

    league: int
    season: int
    kind: str
    guild: int
    at: int
    channel: int = 0
    thread: int | None = None
    """The thread of the season; None if it has none."""

    @property
    def is_report(self) -> bool:
        """True if it reports on a running season, and so belongs in the season's thread."""
        return self.kind.startswith(("week-", "warn-"))

    @property
    def removal(self) -> tuple[int, int] | None:
        """A manager, and whom they have taken out of the league; None if the news is about something else."""
        name, *users = self.kind.split(".")
        return (int(users[0]), int(users[1])) if name == "removed" else None

    @property
    def is_audit(self) -> bool:
        """True if it is an entry for the audit channel."""
        return self.kind.endswith(".audit")

    def is_outdated(self, league: League) -> bool:
        """True if the league has left the state that the news is about. News of a season's end is never outdated."""
        if self.kind in ("end", "put-off", "no-role", "role-power", "no-channel") or self.removal is not None:
            return False
        if league.season != self.season or league.state is LeagueState.CLOSED:
            return True
        if self.kind == "table":
            return False
        return league.is_on == (self.kind in ("open", "few", "extended", "recall", "gone"))
