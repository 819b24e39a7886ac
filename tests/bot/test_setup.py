"""Where setup writes the token into `.env`."""

from __future__ import annotations

import pytest

from bot.ops.setup import replace_token

LINE = "DISCORD_TOKEN=new\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", LINE),
        ("ROUNDTABLE_LOG=DEBUG", f"ROUNDTABLE_LOG=DEBUG\n{LINE}"),
        ("# Mine.\n#DISCORD_TOKEN=\n\n#ROUNDTABLE_DB=\n", f"# Mine.\n{LINE}\n#ROUNDTABLE_DB=\n"),
        ("#DISCORD_TOKEN=\nDISCORD_TOKEN=\nA=1\n", f"#DISCORD_TOKEN=\n{LINE}A=1\n"),
        ("DISCORD_TOKEN=old\nexport DISCORD_TOKEN = older\nB=2\n", f"{LINE}B=2\n"),
        ("MY_DISCORD_TOKEN=other\n", f"MY_DISCORD_TOKEN=other\n{LINE}"),
    ],
)
def test_the_token_replaces_the_one_before_and_nothing_else(before: str, after: str) -> None:
    assert replace_token(before, "new") == after
