"""Where a database is: a file of SQLite's, or the address of one of PostgreSQL's."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

POSTGRES_SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class Address:
    """A database of PostgreSQL's. What is shown of it is neither the password nor what else the URL asks for."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        where = parts.netloc.rpartition("@")[2]
        user = f"{parts.username}@" if parts.username else ""
        return f"postgresql://{user}{where}{parts.path}"

    @classmethod
    def from_url(cls, url: str) -> Address:
        """The address that somebody has written; ValueError where it cannot be one."""
        parts = urlsplit(url)
        if not url.startswith(POSTGRES_SCHEMES):
            raise ValueError("no address of PostgreSQL's")
        if "@" in parts.path + parts.query + parts.fragment:
            raise ValueError("an address whose password has a sign in it that ends the name of the server")
        if parts.port == 0 or not parts.path.strip("/"):  # a port that is no number raises by itself
            raise ValueError("no port, or no database")
        return cls(url)


Database: TypeAlias = Path | Address
