# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/user/python.md prints what the page shows."""

import doctest
import sys

failed, tried = doctest.testfile("docs/user/python.md", module_relative=False, optionflags=doctest.ELLIPSIS)
if failed or tried < 10:
    sys.exit(f"docs/user/python.md: {failed} of {tried} examples are wrong")
