"""The composer: a move put together from buttons and menus."""
