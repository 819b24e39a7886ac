"""The list of a sign-up: who gets a seat if the season begins now, and who does not."""

from __future__ import annotations

from typing import NamedTuple

from bot.leagues import people_rows
from bot.leagues.adjudication import games_to_finish
from bot.leagues.league import League, SignOff, SignUp
from bot.store import Reader


class SignUpList(NamedTuple):
    """Who has signed up for the next season, in that order."""

    ready: tuple[SignUp, ...]
    """They get a seat if it begins now."""
    unready: dict[int, int]
    """Users who have lost league games on time, with the number of games that they have to finish first."""
    reserve: tuple[int, ...]
    signed_off: dict[SignOff, tuple[int, ...]]
    """Users who have to sign up again."""

    @property
    def users(self) -> list[int]:
        """The users who get a seat if the season begins now."""
        return [sign_up.user for sign_up in self.ready]

    @property
    def users_called(self) -> tuple[int, ...]:
        """The users who are told that they have to do something before they can play."""
        return (*self.unready, *self.signed_off.get(SignOff.IDLE, ()))


async def load_sign_ups(reader: Reader, league: League) -> SignUpList:
    """Returns who has signed up for the next season."""
    ready, unready, reserve = list[SignUp](), dict[int, int](), list[int]()
    signed_off: dict[SignOff, tuple[int, ...]] = {}
    for sign_up in await people_rows.sign_ups_of(reader, league.id):
        user = sign_up.user
        if sign_up.signed_off is not None:
            signed_off[sign_up.signed_off] = (*signed_off.get(sign_up.signed_off, ()), user)
        elif sign_up.is_reserve:
            reserve.append(user)
        elif count := games_to_finish(*await people_rows.games_late_and_finished(reader, league, user)):
            unready[user] = count
        else:
            ready.append(sign_up)
    return SignUpList(tuple(ready), unready, tuple(reserve), signed_off)
