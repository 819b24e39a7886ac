"""Text without what nobody types: characters that terminals obey, and those that reverse the text around them."""

from __future__ import annotations

import re

_LINE_END = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_UNTYPED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Matches control characters but tabs and line ends, overrides of the writing direction, and halves of surrogates."""


def clean_text(text: str) -> str:
    """The text without control characters and overrides of the writing direction; every line ends with "\\n".

    Joiners, variation selectors and accents stay: emoji and scripts need them.

    >>> clean_text("\\x1b[2J\\u202eAda\\r\\nBo\\0")
    '[2JAda\\nBo'
    """
    return _UNTYPED.sub("", _LINE_END.sub("\n", text))
