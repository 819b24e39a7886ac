"""The waits of the program in one value, which is handed to everything that waits; tests hand in shorter ones.

Durations that belong to the game, such as a grace or a reminder, stand with its rules in `bot.core`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Timings:
    """How long the program waits, rests and retries, in seconds."""

    # The connection to Discord

    connect_retry_s: float = 5
    """Until the next try if Discord or the database cannot be reached at the start: an outage may be over soon."""
    rate_limited_retry_s: float = 900
    """Until the next try while Discord blocks this address and does not say for how long."""
    cancel_retry_s: float = 0.5
    """Until a client that has not ended is cancelled again: discord.py takes one cancellation for its own."""
    servers_ready_wait_s: float = 2.0
    """For which discord.py waits for another server before it is ready, its own default."""
    sync_wait_s: float = 30
    """For which a start waits until Discord has accepted the commands; Discord may demand hours of pause first."""
    sync_retry_s: float = 120
    """Until rejected commands are sent again."""
    lease_wait_s: float = 2.0
    """For which an interaction waits for a worker that is not sure of its shards. If another worker has them by then,
    it has answered Discord: see `DEFER_AFTER_S` in `bot.discordkit.reply`."""
    shutdown_grace_s: float = 5
    """For which a stop waits for answers in progress."""
    last_posts_wait_s: float = 2
    """For which a stop waits for posts in progress."""

    # The tick

    tick_interval_s: float = 30
    """Between ticks: nothing that is due has to be exact to the minute."""
    failed_tick_retry_s: float = 5
    """Until the next tick after a failed one: the cause, such as another transaction, may be over soon."""
    max_tick_delay_s: float = 120
    """The lateness of the tick from which the tick may be late before the bot counts as unhealthy."""
    unnoticed_absence_s: float = 2 * 60
    """Without a tick that count as an absence, even if nothing else was noticed. Ticks are far more frequent."""
    presence_note_interval_s: float = 60
    """Between two stored notes that the bot is present."""

    # Posts

    requests_per_s: float = 35
    """Requests in a second; even if the network bunches them, fewer than the 50 that Discord takes arrive."""
    announce_timeout_s: float = 10
    """After which the caller no longer waits for an announcement."""
    post_retry_pauses_s: tuple[float, ...] = (1, 3)
    """Before each further try of a post that discord.py does not repeat."""
    lane_turn_s: float = 1
    """For which a lane counts as one of those that post at once. A slower lane waits for Discord, so another may
    start."""
    unpostable_rest_s: int = 3600
    """For which a game is skipped that cannot be posted to. Its players' next move tries again."""
    further_calls_wait_s: float = 1.0
    """For which the mark of a move waits until the move's followers are called; a slow call continues alone."""
    first_edit_delay_s: float = 0.3
    """Until the first edit, so that the mover gets their answer before the old board is tidied."""
    old_edit_pause_s: float = 2
    """After editing an old message: Discord accepts about three such edits in six seconds (30046)."""
    name_wait_s: float = 1.0
    """For which a post waits for names. It goes out without the names that are still missing."""
    members_timeout_s: float = 10.0
    """For which a request for members waits for an answer from the gateway."""
    places_recheck_s: float = 30
    """Until games are checked again that the store could not be asked about."""

    # Answers

    answer_retry_pauses_s: tuple[float, ...] = (0.2, 0.8)
    """Before each further try. All tries must fit into the three seconds that Discord waits for a first answer."""
    turn_wait_s: float = 2.0
    """For which a heavy question may wait; after that there is still time to answer that it was dropped."""
    question_interval_s: float = 0.2
    """From the start of a person's question to the start of their next one: people repeat quick questions often."""
    suggestion_names_wait_s: float = 2.0
    """For which suggestions wait for names: Discord waits three seconds for suggestions."""
    export_names_wait_s: float = 10.0
    """For which an export waits for names: it may take longer than a post."""
    thread_idle_s: float = 5.0
    """Without work after which the thread beside the event loop returns unused memory to the system."""

    # The engine and the house players

    thought_timeout_s: float = 60.0
    """After which a question is given up: many times what the slowest machine needs for a move."""
    engine_start_timeout_s: float = 20.0
    """Within which a new process must be ready."""
    engine_kill_timeout_s: float = 5.0
    """For which a killed process may take to disappear."""
    mining_timeout_s: float = 10.0
    """After which the search for a puzzle in one position is given up."""
    house_look_interval_s: float = 30
    """After which the house looks for games even if nothing has woken it."""
    engine_away_pauses_s: tuple[float, ...] = (2, 10, 60)
    """Of rest while the engine is away, longer each time."""
    failed_game_rest_s: int = 3600
    """For which the house skips a game in which it could not move."""
    openings_rest_s: float = 0.05
    """Between two batches of games whose openings are counted, so that others get their turn."""

    # The database

    database_answer_timeout_s: float = 2.5
    """For the database server while a user waits: Discord allows three for an answer."""
    busy_timeout_s: float = 1.0
    """For which a statement waits while another program holds the SQLite file.

    Many interactions are answered only once their change is stored, and Discord waits three seconds. A reading
    connection meets a lock only rarely, such as during recovery after a kill, and its caller has the same three
    seconds.
    """
    scrub_quiet_s: float = 60
    """Without a write after which a larger SQLite database is scrubbed."""
    max_scrub_delay_s: float = 6 * 3600
    """The longest delay of a scrub, even while others write."""
    file_check_interval_s: float = 1.0
    """Between two checks of the open SQLite files."""
    backup_check_s: float = 3600
    """Between checks whether a backup is due, or after a failed backup."""
    clock_wait_s: float = 1
    """Between checks until the time is known, before which no backup is made."""
    lag_check_interval_s: float = 0.5
    """Between measurements of the event loop's delay."""

    # Workers on one PostgreSQL: see `bot.store.workers`

    heartbeat_s: float = 2.0
    """Between two heartbeat queries."""
    lease_valid_s: float = 4.0
    """After an answered query for which no other worker can have the locks."""
    session_dropped_s: float = 6
    """Without a query after which PostgreSQL drops the session and its locks."""
    claim_retry_s: float = 1.0
    """Until a worker without a shard tries again to claim one."""
    claim_after_loss_s: float = 3.0
    """The same after its session was lost, as others' may have been: workers that had shards get them back first."""
    shards_free_s: float = 30.0
    """For which shards must be free before a worker with room restarts to take them too: their worker may just be
    restarting."""
    identify_interval_s: float = 5.0
    """Per new session with Discord in one rate limit bucket."""


DEFAULT_TIMINGS = Timings()
"""The waits of a program that nobody hurries."""
