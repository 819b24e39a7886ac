"""What Discord refuses, as pure functions: each looks at a payload or a clock, and may raise `Refusal`.

They judge plain JSON objects and know nothing of servers, so that each has its own small test. The
numbers are those of Discord's developer documentation of August 2026.
"""

from .commands import check_choices, check_command, check_commands
from .components import attachment_urls, check_components, custom_ids, texts, walk
from .interactions import ANSWER_WITHIN, TOKEN_LIVES, Answer, Kind, check_answer, check_thinking, check_token
from .mentions import Mentions, check_allowed_mentions, permitted, read_mentions
from .messages import LARGEST_FILE, Flag, Upload, check_alt_text, check_files, check_message, check_nonce
from .modals import check_modal, check_modal_values, inputs_of
from .threads import check_may_edit, check_may_send, check_tags, check_thread

__all__ = [
    "ANSWER_WITHIN",
    "LARGEST_FILE",
    "TOKEN_LIVES",
    "Answer",
    "Flag",
    "Kind",
    "Mentions",
    "Upload",
    "attachment_urls",
    "check_allowed_mentions",
    "check_alt_text",
    "check_answer",
    "check_choices",
    "check_command",
    "check_commands",
    "check_components",
    "check_files",
    "check_may_edit",
    "check_may_send",
    "check_message",
    "check_modal",
    "check_modal_values",
    "check_nonce",
    "check_tags",
    "check_thinking",
    "check_thread",
    "check_token",
    "custom_ids",
    "inputs_of",
    "permitted",
    "read_mentions",
    "texts",
    "walk",
]
