# SPDX-License-Identifier: Apache-2.0
"""The Python of the pages prints what they show."""

import doctest
import sys

for page, least in (("docs/user/python.md", 10), ("docs/user/other_tools.md", 3)):
    failed, tried = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
    if failed or tried < least:
        sys.exit(f"{page}: {failed} of {tried} examples are wrong")
