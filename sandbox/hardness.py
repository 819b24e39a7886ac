"""How much of the real Discord's unpleasantness the sandbox shows: the switches, and a preset with all of them on."""

from __future__ import annotations

from dataclasses import dataclass

from .limits.interactions import ANSWER_WITHIN


@dataclass(frozen=True)
class Hardness:
    """What Discord does on an ordinary day and a quick sandbox does not. Everything is off by default.

    Tests hand it to `Sandbox.start`, or change it while the server runs: `faults.hardness = replace(HARD, seed=1)`.
    """

    seed: int = 0
    """The source of all chance."""
    answer_within: float = ANSWER_WITHIN
    """Seconds that the bot has for a first answer: Discord's three, or more on a busy machine."""
    limits: bool = False
    """Rate limits: by route and channel, 50 requests a second in all, edits of old messages, starts a day."""
    pace: float = 1.0
    """How many times faster the limits recover than the headers say, for a bot that shortens its waits as much."""
    jitter: tuple[float, float] = (0.0, 0.0)
    """Seconds, at least and at most, that a request, its answer and an interaction's event take.

    Requests at the same time are carried out in any order.
    """
    loose_events: bool = False
    """Gateway events arrive before or after the answer of the request that caused them, in any order, some twice."""
    lost_answers: float = 0.0
    """The share of requests that are carried out and answered by 502.

    Edits of answers are left out: discord.py repeats them a second later, over what a person has done since.
    """
    late_servers: float = 0.0
    """Seconds between READY and the first server, and between one server and the next."""
    identify_every: float = 0.0
    """Seconds within which only one IDENTIFY is accepted (`max_concurrency` is 1)."""
    nonce_lives: float = 300.0
    """Seconds for which a nonce is remembered; Discord documents "a few minutes"."""


HARD = Hardness(
    limits=True,
    jitter=(0.05, 0.3),
    loose_events=True,
    lost_answers=0.01,
    late_servers=0.2,
    identify_every=5.0,
    nonce_lives=120.0,
)
"""The real Discord on an ordinary day."""
