"""Everything that is said: the catalogues in every language, and the sentences, boards and pages made from them. Pure.

May import `bot.people`, `bot.core`, `bot.ladder`, `engine`, `render` and `rules`. Knows nothing of Discord but its
markup.
"""
