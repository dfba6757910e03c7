# SPDX-License-Identifier: Apache-2.0
"""A command under way: by a thread of this process, in a process that is forked from it, or by the program `fredsim`, and where that is.

SystemC is elaborated once in a process, so that runs and training have processes of their own: several run at once by threads, and neither a crash nor
a signal takes the interpreter along. While a command runs other threads do, too."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Union

from . import _fredsim
from .errors import BadInput, Error, error_of, own_errors

__all__ = ["OnProgress", "Progress", "program"]

VARIABLE = "FREDSIM_PROGRAM"
_NAME = "fredsim"
_READ_BYTES = 1 << 16
_SECONDS_TO_END = 5.0  # time limit of a child after SIGTERM


@dataclass(frozen=True)
class Progress:
    """Progress of a job: a run, or a study. A command may have several jobs, one after the other."""

    job: str
    """its name"""
    fraction: float
    """of this job, 0 to 1"""
    text: str
    """in words, as the command shows it"""
    time_ns: float | None = None
    """simulated so far; None: a study"""
    cycle: int | None = None
    bytes_delivered: int | None = None
    points: int | None = None
    """of a study"""
    complete: int | None = None
    failed: int | None = None
    left_s: float | None = None
    """wall time left, in seconds; None: no estimate yet"""

    @staticmethod
    def of(line: dict[str, Any]) -> Progress:
        """Parses a line of --progress."""
        return Progress(**{key: value for key, value in line.items() if key in Progress.__dataclass_fields__})


OnProgress = Callable[[Progress], object]
Where = Literal["here", "fork", "program"]
"""In this process, in one forked from it, or in one of the program."""


def program() -> Path:
    """Path of the program: from the environment variable FREDSIM_PROGRAM, the build folder or the installation that this package is in, or PATH.

    BadInput: no program is found."""
    given = os.environ.get(VARIABLE)
    if given:
        if os.access(given, os.X_OK) and Path(given).is_file():
            return Path(given)
        raise BadInput(f"{VARIABLE}: found '{given}'; allowed: the path of the program fredsim")
    package = Path(__file__).resolve().parent
    build = package.parent.parent
    candidates = [build / _NAME] if (build / "CMakeCache.txt").exists() else []
    candidates += [folder / "bin" / _NAME for folder in package.parents]
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    in_path = shutil.which(_NAME)
    if in_path is not None:
        return Path(in_path)
    raise BadInput(f"fredsim: found no program beside {package} or in PATH; allowed: {VARIABLE}=PATH in the environment")


@dataclass
class _Stream:
    """Reader of a child's output from a pipe."""

    take: Callable[[bytes], None]


@dataclass
class _Lines:
    """Progress, line by line."""

    on_progress: OnProgress
    rest: bytes = b""

    def take(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.on_progress(Progress.of(json.loads(line)))


@dataclass
class Outcome:
    """Outcome of a command."""

    exit_code: int  # below 0: by this signal
    out: str
    err: str

    def error(self) -> Error:
        """The exception for an exit code other than 0."""
        if self.exit_code < 0:
            number = -self.exit_code
            return error_of(1, f"ended by signal {number} ({signal.strsignal(number)})")
        message = self.err.removeprefix(f"{_NAME}: ").rstrip("\n")
        return error_of(self.exit_code, message or f"exit code {self.exit_code}")


class _Answering:
    """An answer under way, with the methods of a Popen that execute() calls."""

    def __init__(self, words: Sequence[str], here: bool, passed: Sequence[int]) -> None:
        self.stdout, out = _pipe()
        self.stderr, err = _pipe()
        with out, err, own_errors():  # the other side has its own
            self._answering = _fredsim.Answering([*words], os.fspath(program()), here, out.fileno(), err.fileno(), [*passed])

    def poll(self) -> int | None:
        return self._answering.wait(0)

    def wait(self, timeout: float = -1) -> int | None:
        return self._answering.wait(timeout)

    def send_signal(self, _: int) -> None:
        self._answering.interrupt()

    def kill(self) -> None:
        self._answering.kill()


_Child = Union["subprocess.Popen[bytes]", _Answering]


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    """Its ends to read and to write."""
    read, written = os.pipe()
    return os.fdopen(read, "rb", buffering=0), os.fdopen(written, "wb", buffering=0)


def _start(words: Sequence[str], where: Where, passed: Sequence[int]) -> _Child:
    if where != "program":
        return _Answering(words, where == "here", passed)
    return subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=passed)


def execute(words: Sequence[str], on_progress: OnProgress | None = None, where: Where = "program") -> Outcome:
    """Runs a command and waits for it. An exception, KeyboardInterrupt among them, or one of on_progress, ends the child first."""
    out, err = bytearray(), bytearray()
    with ExitStack() as stack:
        passed: list[int] = []
        if on_progress is not None:
            progress_file, written_file = (stack.enter_context(end) for end in _pipe())
            passed = [written_file.fileno()]
            words = [*words, "--progress", f"/dev/fd/{written_file.fileno()}"]
        child = stack.enter_context(_ended(_start(words, where, passed)))
        assert child.stdout is not None and child.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ, _Stream(out.extend))
            selector.register(child.stderr, selectors.EVENT_READ, _Stream(err.extend))
            if on_progress is not None:
                written_file.close()  # the child has the other one
                selector.register(progress_file, selectors.EVENT_READ, _Lines(on_progress))
            while selector.get_map():
                for key, _ in selector.select():
                    data = os.read(key.fd, _READ_BYTES)
                    if data:
                        key.data.take(data)
                    else:
                        selector.unregister(key.fileobj)
        code = child.wait()
    assert code is not None
    return Outcome(code, out.decode(errors="replace"), err.decode(errors="replace"))


@contextmanager
def _ended(child: _Child) -> Iterator[_Child]:
    """A child that does not outlive the block, and leaves no zombie."""
    pipes = [pipe for pipe in (child.stdout, child.stderr) if pipe is not None]
    try:
        yield child
    finally:
        try:
            for pipe in pipes:  # first, so that it does not wait for a reader
                pipe.close()
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)  # as an interruption
                child.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if child.poll() is None:  # it does not end, or a second Ctrl-C came
                child.kill()
                child.wait()
