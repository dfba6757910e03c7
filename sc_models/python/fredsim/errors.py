# SPDX-License-Identifier: Apache-2.0
"""Errors of fredsim as exceptions, with the words that the command prints."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _fredsim

if TYPE_CHECKING:
    from .record import Results

__all__ = ["BadInput", "Error", "Interrupted", "RoutingConflict", "RunFailed"]


class Error(Exception):
    """Base of all errors of the package. str(): the message, without the program's name."""

    exit_code = 1  # exit code of the command

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.results: Results | None = None
        """What was found before a study failed."""


class RunFailed(Error):
    """A run failed: a payload was wrong, a run did not end, RTL and twin differ, points of a study failed, or the program broke off."""


class BadInput(Error, ValueError):
    """An input is invalid: the message names file, line, key or option, what was found and what is allowed."""

    exit_code = 2


class RoutingConflict(Error):
    """A set of flows has no routing."""

    exit_code = 3


class Interrupted(Error):
    """Somebody else ended the program by SIGINT, SIGTERM or SIGHUP; Ctrl-C in this program is KeyboardInterrupt."""

    exit_code = 130


_BY_CODE: dict[int, type[Error]] = {kind.exit_code: kind for kind in (RunFailed, BadInput, RoutingConflict, Interrupted)}


def error_of(exit_code: int, message: str) -> Error:
    """The exception for the exit code of a command."""
    return _BY_CODE.get(exit_code, RunFailed)(message)


@contextlib.contextmanager
def own_errors() -> Iterator[None]:
    """Turns errors of the extension into exceptions of the package."""
    try:
        yield
    except _fredsim.BadInput as error:
        raise BadInput(str(error)) from None
