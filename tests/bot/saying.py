"""The doctor's sentences: which ones a module uses, and the pattern of a printed line."""

from __future__ import annotations

import inspect
import re
from string import Formatter
from types import ModuleType

from bot.ops import sentences
from bot.ops.doctor import Severity
from bot.store.migrations import Fault

Sentence = str | Fault
"""The name of a sentence in `bot/ops/sentences.py`, or a fault of a database, which has a sentence too."""


def sentences_of(module: ModuleType) -> set[Sentence]:
    """Returns the names of the sentences that a module uses."""
    return set(re.findall(r"\bsentences\.([A-Z_]+)\b", inspect.getsource(module)))


def line(level: Severity, sentence: Sentence, **known: object) -> re.Pattern[str]:
    """Returns the pattern of the whole line with that sentence.

    `known` has the values of placeholders, literal or as patterns; every other placeholder matches any text.
    """
    template = sentences.FAULTS[sentence] if isinstance(sentence, Fault) else str(getattr(sentences, sentence))
    found = re.escape(f"{level.value:<7}  ")
    for text, name, _, _ in Formatter().parse(template):
        found += re.escape(text)
        if name is not None:
            value = known.pop(name, re.compile(".+"))
            found += value.pattern if isinstance(value, re.Pattern) else re.escape(str(value))
    assert not known, f"{sentence} has no place for {set(known)}"
    return re.compile(found)
