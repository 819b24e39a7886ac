"""All texts: the catalogues in every language, and the sentences, boards and pages made from them. Pure.

Of Discord it knows only the markup. May import `bot.core`.
"""
