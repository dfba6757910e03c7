# SPDX-License-Identifier: Apache-2.0
"""scripts/reproduce algorithms, by its former name."""
import os, sys; os.execv(f"{sys.path[0]}/reproduce", ["reproduce", "algorithms", *sys.argv[1:]])  # noqa: E401, E702
