# SPDX-License-Identifier: Apache-2.0
"""Synthesis, studies and figures: the commands of scripts/reproduce, a module or a folder each, and what they share."""
