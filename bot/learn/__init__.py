"""Lessons and the rules, page by page."""
