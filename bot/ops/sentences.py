"""Sentences for whoever runs the program. English only: a terminal is read before any language is known."""

from __future__ import annotations

from bot.store.address import Address
from bot.store.migrations import Fault, StoreError

FAULTS = {
    Fault.IN_USE: "{path} is in use: Round Table is running on it already. Stop that one first.",
    Fault.NO_ACCESS: "{path} cannot be read or written: {detail}. Check the folder, its permissions and the disk.",
    Fault.NOT_A_DATABASE: "{path} is not a database, and has been left alone. Check the name.",
    Fault.OTHER_PROGRAM: "{path} is another program's database, and has been left alone. Check the name.",
    Fault.OTHER_SCHEMA: "{path} is not as Round Table makes it ({detail}), and has been left alone. Do not use it where"
    " it comes from others; take away what you have added to it yourself.",
    Fault.DAMAGED: "{path} is damaged ({detail}), and has been left as it is."
    " `python -m bot restore FILE` puts a backup in the place of the database.",
    Fault.NEWER: "{path} was written by a newer Round Table. Update the program, or restore the backup made before.",
    Fault.TOO_OLD: "{path} is of an older version than this Round Table can use ({detail}), and has been left alone."
    " Open it once with the last version that can bring it up to date, commit bd5f691; then start this one.",
    Fault.MISSING: "{path} is not there, and an earlier database was: {detail} tells of it. Put the file back (is the"
    " disk or the volume there?), or `python -m bot restore FILE`. `python -m bot begin` begins an empty one.",
    Fault.STEP_FAILED: "{path} could not be brought up to date ({detail}), and is as it was."
    " Go on with the old version of the program, and report this.",
    Fault.OLDER_RUN: "{path} is in use by workers of the version before, which could not live with the update. Stop"
    " them all first; nothing has been changed.",
    Fault.OTHER_SHARDS: "{path} is in use by workers whose number of shards is {detail}. Set ROUNDTABLE_SHARDS to"
    " that, or leave it out; to change it, stop them all first.",
    Fault.POOLED: "{path} is a pooler's, which hands the locks of one worker to another. Name PostgreSQL itself.",
    Fault.UNKNOWN: "{path} went away ({detail}) while this was being stored, and it is not known whether it is."
    " Look before you do it again.",
}
"""What to tell about a file that cannot be used as a database."""

FAULTS_THERE = {
    Fault.NO_ACCESS: "{path} cannot be used: {detail}. Check the address, the server, and what its user may do.",
    Fault.DAMAGED: "{path} is damaged ({detail}). Stop the bot, and restore it by PostgreSQL's own tools.",
    Fault.NEWER: "{path} was written by a newer Round Table. Update the program.",
}
"""The same of one of PostgreSQL's, where that is something else."""

AWAY = (
    "Nothing is stored until this is mended. Stop the bot, ask `python -m bot doctor`, put the database back, or"
    " `restore` the rescued copy or a backup; then start it."
)
RESTORE_RESCUED = "Stop the bot, `python -m bot restore {path}`, and start it: all that was stored is in there."
BEGUN = "{path} is a new and empty database. Start the bot."
BACKED_UP = "{path}: a copy of the database, read back and found whole."
PRUNED = "Removed as older than the latest {keep}: {path}"
EXISTS = "{path} is there already, and has been left alone. Give another name."
RESTORED = "The database is {file} again. Start the bot, and the games go on from there."
NO_NUMBER = "the number of a person or a server in Discord, of 15 to 19 digits"
FORGOTTEN = "Person {user} is forgotten. Games in whose story the person was named: {count}."
NOT_OURS_TO_COPY = (
    "{path} is PostgreSQL's, and so are its backups: pg_dump for a copy of one moment, an archive of the WAL to go back"
    " to any. docs/hosting.md has both."
)
MOVING = "{table}: {rows} rows"
DATABASE_MOVED = "{source} is copied to {target}: {rows} rows, {events} of them events."
COMPARED = "All rows were read back, and are the same. Set ROUNDTABLE_DB to the target before the next start."
NOT_THE_SAME = "{table} does not read back as it was. Nothing has been copied; report this."
NOT_EMPTY = "{path} is not empty, and has been left alone. Give a new database."
SET_ASIDE = "The one before is kept as {path}."
SANDBOX_RUNS = "Is the sandbox running already? ROUNDTABLE_SANDBOX_PORT=0 takes a free port."


def fault_sentence(error: StoreError) -> str:
    """What is wrong with the database, and what to do."""
    sentences = FAULTS | FAULTS_THERE if isinstance(error.path, Address) else FAULTS
    return sentences[error.fault].format(path=error.path, detail=error.detail)


# The doctor's. What is not well says what to do.

VERSIONS = "Round Table {ours} on Python {python}, discord.py {discord}, SQLite {sqlite}, Pillow {pillow}."
FOR_DISCORD = "DISCORD_TOKEN is set."
FOR_SANDBOX = "DISCORD_TOKEN is not set: `python -m bot` starts the sandbox."

DATABASE = "{path} is a sound database of version {version}, {size}."
NO_DATABASE = "{path} does not exist yet. The first start makes it."
OLDER = "It is of version {version}. The next start copies it and brings it up to {present}."
NO_WAY = (
    "{path} cannot be made: {folder} cannot be written to. The user that runs the bot must own it (chown);"
    " or set ROUNDTABLE_DB."
)
NOT_A_FOLDER = "{path} cannot be made: {folder} is not a folder. Check the name in ROUNDTABLE_DB."
READ_ONLY = (
    "{path} cannot be written to. The user that runs the bot must own the database, -wal, -shm and the folder (chown)."
)
SERVER = "{path} is a database of version {version}, {size}, on PostgreSQL {server}."
EMPTY_DATABASE = "{path} is empty, on PostgreSQL {server}. The first start makes the tables."
OLDER_THERE = "It is of version {version}. The next start brings it up to {present}; make a dump before."
UNSAFE = "The server has fsync or full_page_writes switched off, and loses games in a power cut. Switch both on."
OWN_BACKUPS = "Its backups are PostgreSQL's own affair (pg_dump, an archive of the WAL): docs/hosting.md says how."
NO_LOCK = "{path} cannot be locked: {detail}. Keep the database on a local disk, not on a network share."
RUNNING = "A bot is running on it."
RUNS_ELSEWHERE = (
    "A bot runs on a file that {path} does not lead to any more: it was removed or replaced. Stop the bot, which saves"
    " what it has in the folder of backups; then look again."
)
RESCUED = (
    "{path} was saved when the database was away; rescued copies: {count}. If games are missing, stop the bot"
    " and `python -m bot restore` it. Else move it out of the folder of backups."
)
OPEN_TO_OTHERS = (
    "Others on this machine may read {count} of the files with games and players' numbers. Keep them to their owner:"
    " chmod 600 {files}"
)
NOT_RUNNING = "No bot is running on it."
ROOM_ON_DISK = "{free} are free on its disk."
LITTLE_ROOM = "Only {free} are free on its disk. Make room, at least {needed}: a full disk stops all games."

BACKUP = "The latest of {count} backups is {hours} hours old and sound: {path}"
OLD_BACKUP = (
    "The latest backup is {hours} hours old: {path}. Keep the bot running, and look for `backup failed` in its log."
)
FUTURE_BACKUPS = (
    "{count} backups are dated in the future, such as {path}: a clock was wrong, this one or the one they were made by."
    " They do not count as the latest and are never removed by themselves. Set the clock, or remove or rename them."
)
BAD_BACKUP = "The latest backup cannot be used. Make another: `python -m bot backup`. {why}"
NO_BACKUP = (
    "There is no backup in {folder} yet. A running bot makes one each night; `python -m bot backup` makes one now."
)
NO_FOLDER = "The backups in {folder} cannot be read: {detail}. Check the folder and its permissions."
NO_NIGHTLY = (
    "ROUNDTABLE_KEEP_BACKUPS is 0, so nothing is backed up at night. Remove it, unless something else does that."
)

WELL, STANDBY = "ok", "ok: a standby, as other workers have all shards"
LOST_SHARD = "shard {number} is not connected"
NO_DISCORD = "Discord is not asked anything: there is neither DISCORD_TOKEN nor ROUNDTABLE_SANDBOX_URL."
UNKNOWN_INTENTS = (
    "Discord does not know the intents that this version asks for. Update the program; its token is all right."
)
FORBIDDEN_INTENTS = (
    "Discord does not grant the intents that this version asks for (close code 4014). It needs none of the privileged"
    " ones: update the program, or undo what has been changed in it."
)
MORE_SHARDS = (
    "Discord asks for more shards than it named (close code 4011). Stop the bot, every worker of it, and start it again"
    " in some minutes."
)
NOT_LET_IN = "Discord refuses to let the bot start: {detail}"
REFUSED = "Discord does not accept DISCORD_TOKEN. Copy it again from the developer portal (Bot > Reset Token)."
NO_ANSWER = "Discord cannot be asked: {detail}. Check the network and the firewall; outgoing HTTPS is all it takes."
LOGGED_IN = "Discord knows the bot as {name}."
CLOCK = "The clock agrees with Discord's."
WRONG_CLOCK = "The clock is {seconds} seconds off Discord's, and so are players' clocks. Set it, and turn on NTP."
MANY_SERVERS = (
    "The bot is in {count} servers and not verified. Discord lets it into no more than {most}: have it verified, in the"
    " developer portal under App Verification. It takes some weeks."
)
COMMANDS_AGREE = "Discord has the {count} commands as they are."
OTHER_COMMANDS = (
    "Discord has other commands ({missing} are missing there, {unknown} are unknown here, or words differ)."
    " At its next start the bot tells Discord its own."
)
NAMES = "All time zones, variants and other names in the database are known here."
UNKNOWN_NAME = (
    "{kind} `{name}`, in {rows} rows, is not known here. Settings take their defaults, and games with it wait: update"
    " the program, and for time zones the system's tzdata or `pip install -U tzdata`."
)
PLACES = "Permissions were looked at in {count} channels, of games, settings and ladders."
NOT_THERE = "The bot is no longer in server {guild}, where it has games or settings. Invite it again, or let them be."
CHANNEL_GONE = (
    "Channel {channel} in {guild} is gone, or the bot cannot see it."
    " A player brings its games elsewhere with `/game move-here`."
)
TIMED_OUT = "In {guild} the moderators have put the bot in timeout until {until}. It posts there again by itself then."
MISSING = (
    "#{channel} in {guild}: the bot lacks {permissions}."
    " Grant what is missing in the channel's settings, under Permissions."
)

# Ratings, export and import.

REBUILT = "Computed again from {games} finished games: {ratings} ratings, {ladders} ladders."
AGREES = "It matches what is stored, to the last digit."
DIFFERS = "{table}: {rows} rows differ."
REPLACED = "What came out is stored now."
NOT_REPLACED = "Nothing has been changed. --rebuild puts what came out in its place."
IMPORTED = "Games taken into the archive: {new}. Those that were there already: {known}."
BAD_RECORD = "{path}:{line}: {reason}. Nothing has been taken."
NOT_TEXT = "{path} is not text in UTF-8. Nothing has been taken."
