"""Hunts for text that people, or whoever forges their client's messages, could send and that the program cannot bear.

The ordinary run gives the probes what Hypothesis makes up. `python -m tests.fuzz TARGET` is the long hunt, guided by
the coverage of the code.
"""
