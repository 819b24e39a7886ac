"""All texts: the catalogues in every language, and the sentences, boards and pages made from them. Pure.

May import `bot.core`, `engine`, `render` and `rules`. Of Discord it knows only the
markup.
"""
