"""naik_io - the readers of naik's files by the name under which scripts know them: the module naik.io itself."""
import sys

import naik.io

sys.modules[__name__] = naik.io
