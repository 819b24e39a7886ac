"""Data: the directed triples of groups of 3 to 10. `tests/leagues/triple_search.py` found them, and a test proves them.

A triple is written as its entries in seat order. Commas separate the games of a round, spaces separate rounds. In seat
order each entry attacks the next, and the last attacks the first.

- 3, 4, 7, 9, 10 entries: everybody attacks everybody once. These are Mendelsohn triple systems.
- 6 and 8 entries: no such system exists. Everybody attacks all others except one, once, and all play equally many
  games. With 6 entries no more games are possible. With 8 two more would be, but then two people would play one game
  fewer than the others.
- 5 entries: as many games as possible. The last two entries never meet, and play one game fewer than the others.
"""

from __future__ import annotations

_TRIPLES = {
    3: ("021 201", "012 210"),
    4: ("321 230 103 012", "123 032 301 210"),
    5: ("140 023 321 412 204 031", "104 203 312 421 240 130"),
    6: ("302 251 140 420,531 035 524 413", "032 152 104 240,513 305 425 314"),
    7: (
        "412,635 640,253 031,546 026,514 205,361 304,162 150,423",
        "421,365 046,523 301,645 206,154 250,163 034,612 510,432",
    ),
    8: (
        "725,463 620,471 504,231 016,752 037,156 513,642 305,174 240,367",
        "275,643 260,741 054,321 106,572 307,516 153,462 035,714 420,637",
    ),
    9: (
        "045,178,623 702,413,568 016,482,375 720,618,354 031,284,657 805,147,263 406,251,387 830,521,746",
        "540,187,632 072,314,658 106,428,573 270,816,453 301,824,567 085,741,362 460,215,837 038,125,764",
    ),
    10: (
        "510,832,769 750,913,468 154,967 701,492,385 827,635 204,931,586 089,126,374 640,871,295"
        " 098,216,347 603,148,572 023,459",
        "015,382,679 570,193,486 514,976 107,942,835 728,653 240,391,568 809,621,734 046,817,259"
        " 908,261,437 063,184,752 320,495",
    ),
}
"""By the number of entries: the triples, then the same triples reversed, for the second half of a double schedule."""

Rounds = tuple[tuple[tuple[int, ...], ...], ...]


def _parse_rounds(text: str) -> Rounds:
    return tuple(tuple(tuple(map(int, triple)) for triple in games.split(",")) for games in text.split())


TRIPLES = {size: _parse_rounds(single) for size, (single, _) in _TRIPLES.items()}
"""By the number of entries: per round, the entries of each game in seat order."""
REVERSED_TRIPLES = {size: _parse_rounds(second) for size, (_, second) in _TRIPLES.items()}
"""The games of TRIPLES with each ring reversed, seated so that both halves together balance the seats."""
