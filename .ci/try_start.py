"""`try_start.py COMMAND…` starts the sandbox by that command in an empty folder, asks its page, and stops it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from urllib.request import urlopen

TIMEOUT_S = 50


def try_start(command: list[str]) -> None:
    """Raises SystemExit if the page does not answer, or the program does not stop cleanly."""
    own = ("DISCORD_TOKEN", "ROUNDTABLE_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    environment |= {"ROUNDTABLE_SANDBOX_PORT": "0", "PYTHONUNBUFFERED": "1"}
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("w+") as log:
        running = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        timer = Timer(TIMEOUT_S, running.kill)
        timer.start()
        try:
            assert running.stdout is not None
            addresses = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in running.stdout)
            address = next((found[0] for found in addresses if found), None)
            if address is None:
                raise SystemExit(f"{command} has not started:\n{_text_of(log.name)}")
            with urlopen(address, timeout=10) as page:
                if b"<html" not in page.read():
                    raise SystemExit(f"{address} is not the sandbox's page")
            # On Windows this ends the process at once; there is no signal that it could answer.
            running.send_signal(signal.SIGTERM)
            if (status := running.wait()) and os.name == "posix":
                raise SystemExit(f"{command} has ended with status {status}:\n{_text_of(log.name)}")
        finally:
            timer.cancel()
            running.kill()
            running.wait()
    print(f"{command[0]} starts, answers at {address}, and stops.")


def _text_of(path: str) -> str:
    return Path(path).read_text("utf-8", errors="replace")


if __name__ == "__main__":
    try_start(sys.argv[1:])
