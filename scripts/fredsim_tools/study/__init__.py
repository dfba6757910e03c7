# SPDX-License-Identifier: Apache-2.0
"""The study of what the paper asserts and does not measure, a module for questions about one subject."""
