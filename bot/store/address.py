"""The location of a database: the path of an SQLite file, or the address of a PostgreSQL database."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

POSTGRES_SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a PostgreSQL database. Its string shows neither the password nor the options of the URL."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        where = parts.netloc.rpartition("@")[2]
        user = f"{parts.username}@" if parts.username else ""
        return f"postgresql://{user}{where}{parts.path}"

    @classmethod
    def from_url(cls, url: str) -> Address:
        """Returns the address of a URL. Raises ValueError if the URL cannot be one."""
        parts = urlsplit(url)
        if not url.startswith(POSTGRES_SCHEMES):
            raise ValueError("no address of PostgreSQL's")
        if re.search(":|%3a", f"{parts.username or ''}{parts.path}", re.IGNORECASE):
            raise ValueError("a colon in the name of the user or the database: a password in the wrong place")
        if "@" in parts.path + parts.query + parts.fragment:
            raise ValueError("an address whose password has a sign in it that ends the name of the server")
        if parts.port == 0 or not parts.path.strip("/"):  # `port` itself raises if it is not a number
            raise ValueError("no port, or no database")
        return cls(url)


Database: TypeAlias = Path | Address
