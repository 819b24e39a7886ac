"""The table of the doctor's checks: the sentence of each check if all is well, and by severity if not."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from bot.ops import sentences


class Severity(Enum):
    """How bad a finding is. The values are printed."""

    OK = "ok"
    WARNING = "warning"  # the bot works, but not for long, or not for everybody
    FAULT = "fault"  # it cannot work


class Finding(NamedTuple):
    """A line of the doctor's report."""

    level: Severity
    words: str

    def __str__(self) -> str:
        return f"{self.level.value:<7}  {self.words}"


def finding(check: str, is_well: bool = True, /, **values: object) -> Finding:
    """Returns the report line of the check of that name."""
    level = Severity.OK if is_well else Severity.FAULT if check in CHECKS[Severity.FAULT] else Severity.WARNING
    return Finding(level, CHECKS[level][check].format_map(values))


CHECKS = {
    Severity.OK: {
        "versions": "Round Table {ours} on Python {python}, discord.py {discord}, SQLite {sqlite}, Pillow {pillow}.",
        "token": "DISCORD_TOKEN is set.",
        "no-token": "DISCORD_TOKEN is not set: `python -m bot` starts the sandbox.",
        "database": "{path} is a sound database of version {version}, {size}.",
        "first-start": "{path} does not exist yet. The first start makes it.",
        "older": "It is of version {version}. The next start copies it and brings it up to {present}.",
        "running": "A bot is running on it.",
        "not-running": "No bot is running on it.",
        "disk": "{free} are free on its disk.",
        "backup-age": "The latest of {count} backups is {hours} hours old and sound: {path}",
        "server": "{path} is a database of version {version}, {size}, on PostgreSQL {server}.",
        "empty-server": "{path} is empty, on PostgreSQL {server}. The first start makes the tables.",
        "older-server": "It is of version {version}. The next start brings it up to {present}; make a dump before.",
        "server-backups": "Its backups are PostgreSQL's own affair (pg_dump, an archive of the WAL): docs/hosting.md"
        " says how.",
        "names": "All time zones, variants and other names in the database are known here.",
        "no-discord": "Discord is not asked anything: there is neither DISCORD_TOKEN nor ROUNDTABLE_SANDBOX_URL.",
        "login": "Discord knows the bot as {name}.",
        "clock": "The clock agrees with Discord's.",
        "invite": "The link that adds the bot to a server: {link}",
        "no-user-install": "Installation > User Install is off: the private commands (/me, /learn and so on) work only"
        " for members of the bot's servers.",
        "commands": "Discord has the {count} commands as they are.",
        "permissions": "Permissions were looked at in {count} channels, of games, settings and ladders.",
    },
    Severity.WARNING: {
        "rescued": "{path} was saved when the database was away; rescued copies: {count}. If games are missing, stop"
        " the bot and `python -m bot restore` it. Else move it out of the folder of backups.",
        "file-modes": "Others on this machine may read {count} of the files with games and players' numbers. Keep"
        " them to their owner: chmod 600 {files}",
        "disk": "Only {free} are free on its disk. Make room, at least {needed}: a full disk stops all games.",
        "nightly-backups": "ROUNDTABLE_KEEP_BACKUPS is 0, so nothing is backed up at night. Remove it, unless"
        " something else does that.",
        "backup-dates": "{count} backups are dated in the future, such as {path}: a clock was wrong, this one or the"
        " one they were made by. They do not count as the latest and are never removed by themselves. Set the clock,"
        " or remove or rename them.",
        "any-backup": "There is no backup in {folder} yet. A running bot makes one each night; `python -m bot backup`"
        " makes one now.",
        "backup-age": "The latest backup is {hours} hours old: {path}. Keep the bot running, and look for `backup"
        " failed` in its log.",
        "names": "{kind} `{name}`, in {rows} rows, is not known here. Settings take their defaults, and games with it"
        " wait: update the program, and for time zones the system's tzdata or `pip install -U tzdata`.",
        "clock": "The clock is {seconds} seconds off Discord's, and so are players' clocks. Set it, and turn on NTP.",
        "server-count": "The bot is in {count} servers and not verified. Discord lets it into no more than {most}:"
        " have it verified, in the developer portal under App Verification. It takes some weeks.",
        "commands": "Discord has other commands ({missing} are missing there, {unknown} are unknown here, or words"
        " differ). At its next start the bot tells Discord its own.",
        "install": "{problem}",
        "server-permissions": "{guild}: the bot lacks {permissions} in the server. Open the invite link again, or grant"
        " them to its role.",
        "membership": "The bot is no longer in server {guild}, where it has games or settings. Invite it again, or"
        " let them be.",
        "timeout": "In {guild} the moderators have put the bot in timeout until {until}. It posts there again by"
        " itself then.",
        "channel": "Channel {channel} in {guild} is gone, or the bot cannot see it. A player brings its games"
        " elsewhere with `/game move-here`.",
    },
    Severity.FAULT: {
        "database": "{why}",
        "first-start": "{path} cannot be made: {folder} cannot be written to. The user that runs the bot must own it"
        " (chown); or set ROUNDTABLE_DB.",
        "folder": "{path} cannot be made: {folder} is not a folder. Check the name in ROUNDTABLE_DB.",
        "write-access": "{path} cannot be written to. The user that runs the bot must own the database, -wal, -shm"
        " and the folder (chown).",
        "lock": "{path} cannot be locked: {detail}. Keep the database on a local disk, not on a network share.",
        "running": "A bot runs on a file that {path} does not lead to any more: it was removed or replaced. Stop the"
        " bot, which saves what it has in the folder of backups; then look again.",
        "backup-folder": "The backups in {folder} cannot be read: {detail}. Check the folder and its permissions.",
        "backup": "The latest backup cannot be used. Make another: `python -m bot backup`. {why}",
        "durability": "The server has fsync or full_page_writes switched off, and loses games in a power cut. Switch"
        " both on.",
        "connection": "Discord cannot be asked: {detail}. Check the network and the firewall; outgoing HTTPS is all"
        " it takes.",
        "login": sentences.REFUSED,
        "permissions": "#{channel} in {guild}: the bot lacks {permissions}. Grant what is missing in the channel's"
        " settings, under Permissions.",
    },
}
"""The sentences by severity and name of the check. Sentences about faults say what to do."""
