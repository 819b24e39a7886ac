"""Hunts for text that people or forged clients could send and that the program cannot handle.

The ordinary run gives the probes what Hypothesis makes up. `python -m tests.fuzz TARGET` is the long hunt, guided by
the coverage of the code.
"""
