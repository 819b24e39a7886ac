"""People who write sealed thoughts, share and read them, and look openings up; and what must hold of both."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

from bot.core.fold import replay_match
from bot.core.match import Match, Phase
from bot.explore.openings import opening_rows
from bot.texts.sentences import turn_names
from sandbox.people import Person, Reply
from tests.e2e.answer_checks import require_answer
from tests.e2e.house import House
from tests.e2e.stored_games import messages_shown, stories
from tests.sentences import label, part

_SECRET = "secret {number} of {user} about game {match}"
_SECRETS = re.compile(r"secret \d+ of (\d+) about game (\d+)")


@dataclass
class Thinking:
    """What the people of a circle have written and shared."""

    house: House
    pressed: Counter[str]
    """How often each way of acting worked."""
    sent: dict[tuple[int, int, int], set[str]] = field(default_factory=dict)
    """(game, user, board) -> all words sent, confirmed or not."""
    sealed: set[tuple[int, int, int]] = field(default_factory=set)
    """The keys of `sent` with words that the bot confirmed."""
    asked: set[tuple[int, int]] = field(default_factory=set)
    """(game, user) of everybody who wanted to share, confirmed or not."""
    shared: set[tuple[int, int]] = field(default_factory=set)
    """Those whom the bot confirmed it to."""
    _numbers: count[int] = field(default_factory=count)

    async def write(self, person: Person, panel: Reply, match: Match) -> None:
        """Says why, beside the board on which the person moves."""
        if label("thoughts-say") not in panel.buttons:  # such as for an answer that the board is an old one
            return
        form = require_answer(await person.click(panel, label("thoughts-say")))
        if form.modal is None:
            return
        key = (match.id, int(person.id), match.board_version)
        words = self._send(key)
        saved = require_answer(await person.submit(form, {"words": words}))
        if part("thoughts.saved", id=match.id) in saved.text:
            self.sealed.add(key)
            self.pressed["thought"] += 1

    async def comment(self, person: Person, place: str, match: Match, chance: random.Random) -> None:
        """Writes about a move that was made; also somebody who does not play in the game."""
        panel = require_answer(await person.command(place, "game thoughts", game=str(match.id)))
        rows = panel.message.json["components"] if panel.message else []
        menus = [one for row in rows for one in row["components"] if "options" in one]
        if not menus:
            return
        value = chance.choice([option["value"] for option in menus[0]["options"] if option["value"][0].isdigit()])
        form = require_answer(await person.choose(panel, menus[0]["custom_id"], [value]))
        if form.modal is None:  # such as for a move that was taken back since
            return
        words = self._send((match.id, int(person.id), int(value)))
        saved = require_answer(await person.submit(form, {"words": words}))
        if words in saved.text:
            self.sealed.add((match.id, int(person.id), int(value)))
            self.pressed["comment"] += 1

    def _send(self, key: tuple[int, int, int]) -> str:
        """Returns new words about the board of that key, and notes that they are sent."""
        words = _SECRET.format(number=next(self._numbers), user=key[1], match=key[0])
        self.sent.setdefault(key, set()).add(words)
        return words

    async def share(self, person: Person, place: str, match: Match) -> None:
        """Shares everything that the person has written about the game."""
        panel = require_answer(await person.command(place, "game thoughts", game=str(match.id)))
        if label("thoughts-share") not in panel.buttons:
            return
        self.asked.add((match.id, int(person.id)))
        panel = require_answer(await person.click(panel, label("thoughts-share")))
        if part("thoughts.is-shared") in panel.text:
            self.shared.add((match.id, int(person.id)))
            self.pressed["share"] += 1

    async def read(self, person: Person, place: str, match: Match) -> None:
        """Turns the public annotated game to the next words, if it is there."""
        posts = [one for one in await person.messages(place) if label("annotated-words") in one.buttons]
        if posts and f"#{match.id}" in posts[-1].text:
            require_answer(await person.click(posts[-1], label("annotated-words")))
            self.pressed["read"] += 1

    async def look_up(self, person: Person, place: str, match: Match) -> None:
        """Opens the openings of the variant, from which a running rated game of the person may keep them."""
        reply = require_answer(await person.command(place, "game explore", position=match.variant.key))
        assert reply.ephemeral, reply
        self.pressed["openings"] += 1

    async def reopen(self, judge: Person, place: str, match: Match) -> None:
        """Has a referee let the game go on, which seals all thoughts again."""
        self.shared = {(game, user) for game, user in self.shared if game != match.id}
        turn = ["0", *turn_names("en", match.started_game)][match.ply]
        options = {"game": str(match.id), "turn": turn, "reason": "too soon"}
        require_answer(await judge.command(place, "referee undo", **options))
        self.pressed["reopen"] += 1

    def check_promises(self) -> None:
        """Asserts that no thought is lost, or replaced by another person's, and no decision."""
        rows = self.house.bot.query("SELECT match, user, board, words FROM thoughts")
        stored = {(match, user, board): words for match, user, board, words in rows}
        for key in self.sealed:
            assert key in stored, f"a thought is lost: {key}"
        for key, words in self.sent.items():
            assert stored.get(key) in {None, *words}, f"another's thought: {key}"
        chosen = {(match, user) for match, user in self.house.bot.query("SELECT match, user FROM thought_choices")}
        assert self.shared <= chosen, f"a decision is lost: {self.shared - chosen}"

    def check_seals(self) -> None:
        """Asserts that no thought is shown that its author has not shared, and none of a game that goes on."""
        over = {match for (match,) in self.house.bot.query("SELECT id FROM matches WHERE phase = 'over'")}
        games = {match for match, _, _ in self.sent}
        for user, match in _shown_secrets(self.house):
            if match in games:
                assert (match, user) in self.asked, f"game #{match}: a thought of {user} is shown"
                assert match in over, f"game #{match}: a thought of {user} is shown too early"


def _shown_secrets(house: House) -> set[tuple[int, int]]:
    """Returns (author, game) of each thought that is shown to anybody but its author."""
    return {
        (int(user), int(match))
        for message in messages_shown(house)
        for user, match in _SECRETS.findall(message.content)
        if message.only_for != int(user)
    }


def annotated_posts(house: House) -> tuple[Counter[str], Counter[str]]:
    """Returns the nonces of the annotated games that must be posted, each once, and of those that may have been."""
    games = house.bot.query(
        "SELECT match, max(CASE WHEN phase = 'over' THEN shared ELSE 0 END) FROM thoughts"
        " JOIN matches ON matches.id = match LEFT JOIN thought_choices USING (match, user) GROUP BY match"
    )
    kept, due = stories(house) if games else {}, (Counter[str](), Counter[str]())
    for number, shared in games:
        due[0 if shared else 1][f"a{kept[number][0].at:x}:{number}"] += 1
    return due


def posts_are_up_to_date(house: House) -> bool:
    """Returns True if no message shows an annotated game as it was before."""
    return not house.bot.query("SELECT 1 FROM jobs WHERE kind = 'annotated'")


def check_openings(house: House) -> int:
    """Asserts that each move of the finished games counts once. Returns how many count."""
    expected = set[tuple[object, ...]]()
    for number, events in stories(house).items():
        match = replay_match(number, events)
        if match.phase is Phase.OVER and match.has_result:
            expected |= {*opening_rows(match)}
    assert {tuple(row) for row in house.bot.query("SELECT * FROM opening_games")} == expected
    return len(expected)
