"""What people and servers have asked for, their clocks and time zones, and what can be wrong with a request. Pure.

May import `render`, for the names of its themes.
"""
