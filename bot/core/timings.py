"""The waits of the program in one value, which is handed to everything that waits; tests hand in shorter ones. Beside
it, the clock by which it waits.

Durations that belong to the game, such as a grace or a reminder, stand with its rules in `bot.core`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass


def steady_seconds() -> float:
    """Returns the seconds of a clock that nobody can set. It continues while the process is stopped and, on most
    systems, while the machine sleeps.

    It serves leases and limits, and shows when the clock of the machine jumps.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, kw_only=True)
class Timings:
    """How long the program waits, rests and retries, in seconds."""

    # The connection to Discord

    connect_retry_s: float = 5
    """Seconds until the next try if Discord or the database cannot be reached at the start: an outage may be over
    soon."""
    rate_limited_retry_s: float = 900
    """Seconds until the next try while Discord blocks this address and does not say for how long."""
    cancel_retry_s: float = 0.5
    """Seconds until a client that has not ended is cancelled again: discord.py takes one cancellation for its own."""
    servers_ready_wait_s: float = 2.0
    """Seconds without a further server after which discord.py is ready: its own default."""
    sync_wait_s: float = 30
    """Seconds for which a start waits until Discord has accepted the commands; Discord may demand hours of pause
    first."""
    sync_retry_s: float = 120
    """Seconds until rejected commands are sent again: games continue with the old ones in the meantime."""
    unsure_wait_s: float = 2.0
    """Seconds for which an interaction waits for the database. If another process plays by then, it has answered
    Discord: see `bot.discordkit.interactions`."""
    shutdown_grace_s: float = 3
    """Seconds for which a stop waits for answers in progress: Discord waits for no first answer longer."""
    last_posts_wait_s: float = 1
    """Seconds for which a stop waits for posts in progress. The next start repeats what did not arrive."""
    stop_limit_s: float = 9
    """Seconds after which a stop ends the process, whatever still runs: five more than answers and posts get. A kill
    loses nothing, and Docker kills after ten."""

    # The tick

    tick_interval_s: float = 30
    """Seconds between ticks: nothing that is due by itself has to be more exact."""
    max_tick_delay_s: float = 120
    """Seconds by which the tick may be late before the bot counts as unhealthy: it has then missed several."""
    unnoticed_absence_s: float = 2 * 60
    """Seconds without a tick that count as an absence, even if nothing else was noticed. Ticks are far more
    frequent."""
    presence_note_interval_s: float = 60
    """Seconds between two stored notes that the bot is present: after a crash that much presence is in doubt."""

    # Posts

    requests_per_s: float = 35
    """Requests in a second. Even if the network bunches them, fewer than the 50 that Discord takes arrive."""
    announce_timeout_s: float = 10
    """Seconds after which the caller no longer waits for an announcement, which continues in the background."""
    confirm_wait_s: float = 2
    """Seconds for which the answer to a move waits for its post, so that it can say how that went."""
    post_retry_pauses_s: tuple[float, ...] = (1, 3)
    """Seconds before each further try of a post that discord.py does not repeat: the connection broke, or Discord was
    busy for a moment."""
    max_board_delay_s: float = 60
    """Seconds for which a board may wait for the bot alone before the bot counts as unhealthy."""
    lane_turn_s: float = 1
    """Seconds for which a lane counts as one of those that post at once. A slower lane waits for Discord, so another
    may start."""
    unpostable_rest_s: int = 3600
    """Seconds for which a game is skipped that cannot be posted to. Its players' next move tries again."""
    further_calls_wait_s: float = 1.0
    """Seconds for which a move waits to be marked as announced until its followers are called. A slower one goes on."""
    first_edit_delay_s: float = 0.3
    """Seconds until the first edit, so that the mover gets their answer before the old board is tidied."""
    old_edit_pause_s: float = 2
    """Seconds after editing an old message: Discord accepts about three such edits in six seconds (30046)."""
    job_retry_s: float = 60
    """Seconds until a job is tried again: twice as many each time, and at most `unpostable_rest_s`."""
    name_wait_s: float = 1.0
    """Seconds for which a post waits for names. It goes out without the names that are still missing."""
    members_timeout_s: float = 10.0
    """Seconds for which a request for members waits for an answer from the gateway, which may never come."""

    # Answers

    defer_after_s: float = 1.5
    """Seconds that the work for an answer may take before the bot tells Discord that an answer will come."""
    answer_retry_pauses_s: tuple[float, ...] = (0.2, 0.8)
    """Seconds before each further try. All tries must fit into the three seconds that Discord waits for a first
    answer."""
    turn_wait_s: float = 2.0
    """Seconds for which a heavy question may wait; after that there is still time to answer that it was dropped."""
    question_interval_s: float = 0.2
    """Seconds from the start of a person's question to the start of their next one: people repeat quick questions
    often."""
    refusal_pause_s: float = 1.0
    """Seconds until a person is told that they do something too often: those who press on wait, so that others need
    not."""
    thread_slice_s: float = 0.01
    """Seconds of a generator's work beside the event loop after which other work has its turn."""

    # The engine and the house players

    thought_timeout_s: float = 60.0
    """Seconds after which a question is given up: many times what the slowest machine needs for a move."""
    engine_start_timeout_s: float = 20.0
    """Seconds within which a new process must be ready: many times what imports take on the slowest machine."""
    engine_kill_timeout_s: float = 5.0
    """Seconds that a killed process gets to disappear. Nothing more can be done about one that does not."""
    proof_timeout_s: float = 300.0
    """Seconds after which the search for a forced winner hangs. A number of moves bounds it, so that no load decides a
    game."""
    house_look_interval_s: float = 30
    """Seconds after which the house looks for games even if nothing has woken it, such as while the engine is away."""

    # The database

    database_answer_timeout_s: float = 2.5
    """Seconds to wait for the database server while a user waits: Discord allows three for an answer."""
    busy_timeout_s: float = 1.0
    """Seconds for which a statement waits while another program holds the SQLite file.

    Many interactions are answered only once their change is stored, and Discord waits three seconds. A reading
    connection meets a lock only rarely, such as during recovery after a kill, and its caller has the same three
    seconds.
    """
    scrub_quiet_s: float = 60
    """Seconds without a write after which a larger SQLite database is scrubbed: nobody can write during a scrub."""
    max_scrub_delay_s: float = 6 * 3600
    """Seconds after which it is scrubbed even while others write: what was deleted must not stay for long."""
    backup_check_s: float = 3600
    """Seconds between checks whether the night's backup is due, or after a failed one."""
    clock_wait_s: float = 1
    """Seconds between checks until the time is known, before which no backup is made."""
    lag_check_interval_s: float = 0.5
    """Seconds between measurements of the event loop's delay."""

    # One process plays and others stand by on PostgreSQL: see `bot.store.postgresql`

    heartbeat_s: float = 2.0
    """Seconds between two heartbeat queries: half of `lock_valid_s`, so that one late answer costs nothing."""
    lock_valid_s: float = 4.0
    """Seconds after an answered query for which a process is sure of its lock: fewer than `session_dropped_s`."""
    session_dropped_s: float = 6
    """Seconds without a query after which PostgreSQL drops the session and its lock."""
    claim_retry_s: float = 1.0
    """Seconds until a standby looks again whether the lock is free."""


DEFAULT_TIMINGS = Timings()
"""The waits of a program that nobody hurries."""
