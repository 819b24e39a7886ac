"""The tests. Their modules and the program's are kept compiled, even where the environment asks Python not to: a run
starts dozens of processes, each of which would compile them all.
"""

import os
import sys
import tempfile

if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.path.join(tempfile.gettempdir(), f"round-table-bytecode-{os.getuid()}")
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}
