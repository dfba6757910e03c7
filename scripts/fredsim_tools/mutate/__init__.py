# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL and twins: where there may be some, one build of all of them, the tests of each."""
