"""What Discord refuses, as pure functions: each looks at a payload or a clock, and may raise `Refusal`.

They judge plain JSON objects and know nothing of servers, so that each has its own small test. The
numbers are those of Discord's developer documentation of August 2026.
"""
