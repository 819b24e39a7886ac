"""`python -m bot setup`: asks for the token, checks it with Discord, writes `.env`, prints the invite link."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Callable
from getpass import getpass
from io import StringIO
from pathlib import Path
from tempfile import NamedTemporaryFile

import aiohttp
import discord
from dotenv import dotenv_values
from environs import ValidationError

from bot.config import DOTENV, Settings, parse_typed_token
from bot.discordkit.invitation import install_problems, invite_link
from bot.ops import sentences
from bot.texts.markup import one_line
from rules.terminal import read_text

_TOKEN_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?DISCORD_TOKEN[ \t]*=.*\n?", re.MULTILINE)
_EXAMPLE_LINE = re.compile(r"^#[ \t]*DISCORD_TOKEN[ \t]*=.*\n?", re.MULTILINE)
"""The line of `.env.example` that has no token yet."""


def set_up_token(settings: Settings, arguments: argparse.Namespace) -> int:
    """Stores the token and returns the exit status; changes nothing if the token is refused or cannot be checked."""
    before = read_text(DOTENV) if DOTENV.exists() else ""
    question = "There is a token in .env already. Replace it? [y/N] "
    if _stored_token(before) and _ask(input, question).lower() not in ("y", "yes"):
        print(sentences.SETUP_KEPT)
        return 0
    try:
        token = parse_typed_token(_ask(getpass if sys.stdin.isatty() else input, sentences.SETUP_QUESTION))
    except ValidationError as error:
        return _refuse(f"That is no token: it must be {error}. Nothing has been changed.")
    if token is None:
        return _refuse("That is no token. Nothing has been changed.")
    if settings.sandbox_url:
        from sandbox import point_discord_at  # which every start would wait for

        point_discord_at(settings.sandbox_url)
    try:
        application = asyncio.run(_ask_application(token))
    except discord.LoginFailure:
        return _refuse(sentences.REFUSED)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        return _refuse(f"Discord cannot be asked: {error or type(error).__name__}. Nothing has been changed.")
    after = replace_token(before, token)
    if _values_in(after) != {**_values_in(before), "DISCORD_TOKEN": token}:
        return _refuse(f"{DOTENV} cannot be changed safely. Write the line DISCORD_TOKEN=… there yourself.")
    _write_private(DOTENV, after)
    name = one_line(application.name)
    print(f"Discord knows the bot as {name}. Its token is in {DOTENV}, which only you may read.")
    for problem in install_problems(application):
        print(problem)
    if os.environ.get("DISCORD_TOKEN", token) != token:
        print(sentences.SETUP_OUTRANKED)
    print(f"Add the bot to your server: {invite_link(application.id)}")
    print("Then start it by the same command without `setup`.")
    return 0


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def _ask(read: Callable[[str], str], question: str) -> str:
    """Returns the answer; empty if the input has ended."""
    try:
        return read(question).strip()
    except EOFError:
        return ""


async def _ask_application(token: str) -> discord.AppInfo:
    """Logs in by REST alone, which costs no session."""
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(token)
        return await client.application_info()


def _values_in(text: str) -> dict[str, str | None]:
    return dotenv_values(stream=StringIO(text), interpolate=False)


def _stored_token(text: str) -> str | None:
    return _values_in(text).get("DISCORD_TOKEN")


def replace_token(text: str, token: str) -> str:
    """Returns the file's text with the token in the place of the one before, or of the example, or at the end."""
    line = f"DISCORD_TOKEN={token}\n"
    for pattern in (_TOKEN_LINE, _EXAMPLE_LINE):
        if token_line := pattern.search(text):
            rest = _TOKEN_LINE.sub("", text[token_line.end() :])
            return text[: token_line.start()] + line + rest
    return text + ("\n" if text and not text.endswith("\n") else "") + line


def _write_private(path: Path, text: str) -> None:
    """Replaces the file at once by one that only its owner may read."""
    path = path.resolve()  # a link stays one
    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".env.", delete=False) as file:  # mode 600
        file.write(text)
    try:
        os.replace(file.name, path)
    except OSError:
        os.unlink(file.name)
        raise
