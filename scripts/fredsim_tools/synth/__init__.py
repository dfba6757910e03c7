# SPDX-License-Identifier: Apache-2.0
"""Synthesis of the RTL: area, timing and energy of its modules."""
