"""`python -m tests.fuzz TARGET FOLDER [OPTIONS]`: the probe of that name, guided by coverage, until it is stopped.

Needs Atheris, which is not a dependency of the project: `pip install atheris`. What leads somewhere new is kept in
FOLDER, so that a hunt can go on later; the options are libFuzzer's, such as `-max_total_time=3600`. A find ends it:
the text is printed, and lies in the working folder as `crash-…` (or `timeout-…`, after three seconds).
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore  # installed by hand, see above; it has no types

with atheris.instrument_imports(include=["rules", "bot"]):
    from tests.fuzz.probes import PROBES, boards

from rules import VARIANTS, format_move, format_position, format_record, iter_moves, parse_record
from rules.collection import format_line

RECORDS = (Path(__file__).parents[1] / "e2e" / "games", Path(__file__).parents[1] / "rules" / "records")
WORDS = (
    "out:",
    "castle:",
    "variation after 2: ",
    "position: ",
    "rt:",
    "rt-press:",
    "rt-pick:",
    "rt-form:",
    "rt-line:",
    "rt-task:",
)
PATIENCE = 3
"""The seconds that one text may take: as long as Discord waits for an answer."""


def sow(target: str, folder: Path) -> None:
    """Writes meaningful texts into the folder as the first examples."""
    folder.mkdir(parents=True, exist_ok=True)
    texts: list[str] = []
    match target:
        case "notation":
            texts = [
                chr(at) + format_move(move, position.variant.board)
                for at, position in enumerate(boards())
                for move in [*iter_moves(position)][:5]
            ]
        case "position":
            texts = [format_position(position) for position in boards()]
        case "records":
            games = [parse_record(path.read_text("utf-8")).replay() for path in RECORDS[0].glob("*.txt")]
            texts = [
                "".join(map(write, games[at : at + 2])) for at in range(3) for write in (format_line, format_record)
            ]
        case "record":
            texts = [path.read_text("utf-8") for place in RECORDS for path in place.glob("*.txt")]
        case "custom-id":
            texts = [
                "rt:join:1:0:-",
                "rt:page:0:3:cam-3d",
                "rt-press:open:1:2:-:0a1b",
                "rt-pick:way:1:2:0a:~0123abcd",
                "rt-form:1:2:-:",
                "rt-snooze:1:2",
                "rt-line:commit:7:n5:-:0a1b",
                "rt-task:leg:camelot:0:-:0a",
                "rt-sheet:board:camelot:12:0:5",
                "rt-sheets:turn",
                "rt-typed:house-rules",
            ]
        case "option":
            texts = ["12", "#12 Camelot", "Europe/Oslo", "new york", "23:00-07:00", "kl. 22.30–6", "off", "@everyone"]
    for number, text in enumerate(texts):
        (folder / f"seed-{number}").write_text(text, "utf-8")


def words(folder: Path) -> Path:
    """Writes a dictionary of the words of all languages for libFuzzer and returns its path."""
    cells = {name for variant in VARIANTS.values() for name in variant.board.names}
    colours = {army.colour for variant in VARIANTS.values() for army in variant.armies}
    file = folder.parent / "words.dict"
    lines = sorted({*cells, *colours, *VARIANTS, *WORDS})
    file.write_text("".join(f'"{one}"\n' for one in lines), "utf-8")
    return file


def main() -> None:
    """Runs the hunt that the command line names."""
    target, folder, *options = sys.argv[1:]
    probe, place = PROBES[target], Path(folder)
    sow(target, place)

    def one(raw: bytes) -> None:
        probe(raw.decode("utf-8", "replace"))

    kept = [f"-dict={words(place)}", f"-timeout={PATIENCE}", "-max_len=4096", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *kept, *options, str(place)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
