"""Games with thoughts: what the tests of thoughts do to them."""

from __future__ import annotations

from bot.core.match import Match
from bot.play.service import Service, people
from bot.thoughts.service import annotated_game, board_of_move, decide_sharing, set_thought
from rules import legal_moves
from tests.bot import acts
from tests.bot.beginning import set_up
from tests.bot.playing import DEE, GUILD, NOW, by, started


async def move(service: Service, match: Match, *, place: int = 0) -> Match:
    """Plays a legal move of the person to move."""
    chosen = legal_moves(match.started_game.position)[place]
    return await acts.play_move(service, match.id, GUILD, match.to_move or 0, chosen, match.board_version, NOW)


async def say(service: Service, match: Match, user: int, board: int, words: str) -> None:
    await set_thought(service, by(user), match.id, board, words)


async def resigned(service: Service, match: Match) -> Match:
    """Has players resign until the game is over."""
    while match.is_live:
        match = await acts.resign(service, match.id, GUILD, match.still_in[0], NOW)
    return match


async def share(service: Service, match: Match, user: int) -> None:
    await decide_sharing(service, by(user), match.id, shared=True)


async def shown(service: Service, match: Match) -> list[str]:
    """Returns all words of the annotated game."""
    game = await annotated_game(service, match)
    return [one.words for words in game.words_by_ply.values() for one in words]


async def written(service: Service, key: str = "camette") -> Match:
    """A game of four moves in which both players and a follower have written."""
    match = await set_up(service, started(key))
    for number in range(4):
        await say(service, match, match.to_move or 0, match.board_version, f"why {number + 1}")
        match = await move(service, match)
    await follow(service, match, DEE)
    await say(service, match, DEE, board_of_move(match, 2), "watching 2")
    return match


async def follow(service: Service, match: Match, user: int) -> None:
    await people.follow_match(service, by(user), match.id, every_move=False)
