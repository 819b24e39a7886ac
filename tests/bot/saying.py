"""The doctor's sentences: which ones a module uses, and the pattern of a printed line."""

from __future__ import annotations

import inspect
import re
from string import Formatter
from types import ModuleType

from bot.ops import sentences
from bot.ops.doctor_checks import CHECKS, Severity
from bot.store.migrations import Fault

Sentence = str | Fault
"""The name of a check in `bot/ops/doctor_checks.py`, or what is wrong with a database."""


def sentences_of(*modules: ModuleType) -> set[tuple[bool, Sentence]]:
    """Returns what those modules may say: a check, and whether all is well there. Faults are not listed."""
    sources = "\n".join(map(inspect.getsource, modules))
    said = {(level is Severity.OK, name) for level, names in CHECKS.items() for name in names if f'"{name}"' in sources}
    return said - {(False, "database")}


def line(level: Severity, sentence: Sentence, **known: object) -> re.Pattern[str]:
    """Returns the pattern of the whole line with that sentence.

    `known` has the values of placeholders, literal or as patterns; every other placeholder matches any text.
    """
    template = sentences.FAULTS[sentence] if isinstance(sentence, Fault) else CHECKS[level][sentence]
    found = re.escape(f"{level.value:<7}  ")
    for text, name, _, _ in Formatter().parse(template):
        found += re.escape(text)
        if name is not None:
            value = known.pop(name, re.compile(".+"))
            found += value.pattern if isinstance(value, re.Pattern) else re.escape(str(value))
    assert not known, f"{sentence} has no place for {set(known)}"
    return re.compile(found)
