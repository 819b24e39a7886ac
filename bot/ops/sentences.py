"""Sentences for operators that several modules say, or a test quotes. English only: the terminal is read before any
language is known."""

from __future__ import annotations

from bot.store.connection import Address
from bot.store.migrations import Fault, StoreError

FAULTS = {
    Fault.IN_USE: "{path} is in use: Round Table is running on it already. Stop that one first.",
    Fault.NO_ACCESS: "{path} cannot be read or written: {detail}. Check the folder, its permissions and the disk.",
    Fault.NOT_A_DATABASE: "{path} is not a database, and has been left alone. Check the name.",
    Fault.OTHER_PROGRAM: "{path} is another program's database, and has been left alone. Check the name.",
    Fault.OTHER_SCHEMA: "{path} is not as Round Table makes it ({detail}), and has been left alone. If it"
    " came from somebody else, do not use it. If you added tables or triggers to it, remove them.",
    Fault.DAMAGED: "{path} is damaged ({detail}), and has been left as it is."
    " `python -m bot restore FILE` puts a backup in the place of the database.",
    Fault.NEWER: "{path} was written by a newer Round Table. Update the program, or restore the backup made before.",
    Fault.TOO_OLD: "{path} is of an older version than this Round Table can use ({detail}), and has been left alone."
    " Open it once with the last version that can bring it up to date, commit bd5f691; then start this one.",
    Fault.MIGRATION_FAILED: "{path} could not be brought up to date ({detail}), and is as it was."
    " Go on with the old version of the program, and report this.",
    Fault.NOT_EMPTY: "{path} is not empty, and has been left alone. Give a new database.",
    Fault.DIFFERS: "{path} does not read back as it was ({detail}). Nothing has been copied; report this.",
    Fault.POOLED: "{path} is a pooler's, which hands the locks of one process to another. Name PostgreSQL itself.",
    Fault.UNKNOWN: "{path} went away ({detail}) while this was being stored, and it is not known whether it is."
    " Look before you do it again.",
}
"""What to tell about a file that cannot be used as a database."""

FAULTS_THERE = {
    Fault.NO_ACCESS: "{path} cannot be used: {detail}. Check the address, the server, and what its user may do.",
    Fault.DAMAGED: "{path} is damaged ({detail}). Stop the bot, and restore it by PostgreSQL's own tools.",
    Fault.NEWER: "{path} was written by a newer Round Table. Update the program.",
}
"""What to tell about a PostgreSQL database instead, if that differs from what FAULTS tells about a file."""

NO_NUMBER = "the number of a person or a server in Discord, of 15 to 19 digits"
NO_GAME_NUMBER = "a number from 1, of at most 18 digits"
FORGOTTEN = "Person {user} is forgotten. Games in whose story the person was named: {count}."
NOT_OURS_TO_COPY = (
    "{path} is PostgreSQL's, and so are its backups: pg_dump for a copy of one moment, an archive of the WAL to go back"
    " to any. docs/hosting.md has both."
)
SANDBOX_RUNS = "Is the sandbox running already? ROUNDTABLE_SANDBOX_PORT=0 takes a free port."
NOT_ANNOTATED = "There is no such finished game with shared thoughts: {number}."
NO_GAME = "There is no such game that has begun: {number}."
AGREES = "It matches what is stored, to the last digit."


def fault_sentence(error: StoreError) -> str:
    """What is wrong with the database, and what to do."""
    sentences = FAULTS | FAULTS_THERE if isinstance(error.path, Address) else FAULTS
    return sentences[error.fault].format(path=error.path, detail=error.detail)


WELL, STANDBY = "ok", "ok: a standby, as another process plays"
LOST_SHARD = "shard {number} is not connected"
MORE_SHARDS = (
    "Discord asks for more shards than it named (close code 4011). Stop the bot, and start it again in some minutes."
)
NOT_LET_IN = "Discord refuses to let the bot start: {detail}"
REFUSED = "Discord does not accept DISCORD_TOKEN. Copy it again from the developer portal (Bot > Reset Token)."
SETUP_QUESTION = "The bot's token (developer portal, Bot > Reset Token); it is not shown: "
SETUP_KEPT = "The token is kept. `python -m bot doctor` checks it and prints the invite link."
SETUP_OUTRANKED = "DISCORD_TOKEN is set to another token in the environment, which wins over the file: remove it there."
