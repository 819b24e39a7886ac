"""The doctor's sentences: which a module can say, and what a line with one of them looks like."""

from __future__ import annotations

import inspect
import re
from string import Formatter
from types import ModuleType

from bot.ops import sentences
from bot.ops.doctor import Severity
from bot.store.migrations import Fault

Sentence = str | Fault
"""The name of one in `bot/ops/sentences.py`, or what is wrong with a database."""


def sentences_of(module: ModuleType) -> set[Sentence]:
    """The names of those that a module uses."""
    return set(re.findall(r"\bsentences\.([A-Z_]+)\b", inspect.getsource(module)))


def line(level: Severity, sentence: Sentence, **known: object) -> re.Pattern[str]:
    """The whole line that says it. What stands in its places is `known`, by the letter or as a pattern, or anything."""
    template = sentences.FAULTS[sentence] if isinstance(sentence, Fault) else str(getattr(sentences, sentence))
    found = re.escape(f"{level.value:<7}  ")
    for text, name, _, _ in Formatter().parse(template):
        found += re.escape(text)
        if name is not None:
            value = known.pop(name, re.compile(".+"))
            found += value.pattern if isinstance(value, re.Pattern) else re.escape(str(value))
    assert not known, f"{sentence} has no place for {set(known)}"
    return re.compile(found)
