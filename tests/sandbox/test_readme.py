"""The example bot and the example tests of the sandbox's README, run as they stand there."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sandbox.people import Person

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "DISCORD_TOKEN"} | {
    "PYTHONPATH": str(ROOT),
    "PYTEST_ADDOPTS": "",
}


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A folder with the README's three files."""
    files = re.findall(r"^```python\n(.*?)^```", (ROOT / "sandbox" / "README.md").read_text("utf-8"), re.M | re.S)
    for name, content in zip(("greeter.py", "conftest.py", "test_greeter.py"), files, strict=True):
        (tmp_path / name).write_text(content, "utf-8")
    return tmp_path


@asynccontextmanager
async def running(folder: Path, *arguments: str, **settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs Python in that folder, until the block is left."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=folder,
        env=ENVIRONMENT | settings,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def test_the_example_tests_pass(example: Path) -> None:
    async with running(example, "-m", "pytest", "-q", "-p", "no:cacheprovider") as process:
        output, _ = await process.communicate()
        assert process.returncode == 0, output.decode()
        assert b"2 passed" in output


async def test_the_example_bot_runs_in_a_sandbox_of_another_process(example: Path) -> None:
    async with running(example, "-m", "sandbox", "--folder", "world", "--bot", "Greeter") as server:
        assert server.stdout is not None
        while not (line := (await server.stdout.readline()).decode()).startswith("sandbox "):
            assert line, "the sandbox has ended"
        url = line.split()[1]
        async with (
            running(example, "greeter.py", SANDBOX_URL=url),
            await Person.join(url, "Ada") as ada,
            await Person.join(url, "Bjørn") as bjorn,
        ):
            await ada.wait_until_online()
            reply = await ada.command("#general", "greet", who=bjorn)
            assert reply.message is not None
            assert reply.message.shown == "Hello, Bjørn!"
            assert reply.message.json["author"]["name"] == "Greeter"
