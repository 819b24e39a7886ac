"""The settings of people and servers, clocks and time zones, and the problems of a request. Pure.

May import `render`, for the names of its themes.
"""
