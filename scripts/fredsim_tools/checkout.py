# SPDX-License-Identifier: Apache-2.0
"""Checkout that contains the scripts, with its installed and built programs."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

CHECKOUT = Path(__file__).resolve().parents[2]


def enter() -> None:
    """Goes to the top of the checkout, where the paths of machine files begin."""
    os.chdir(CHECKOUT)


def prepare(script: str, packages: Sequence[str], targets: Sequence[str] = (), progress: IO[str] = sys.stderr) -> None:
    """Installs packages, the names of lists in lib.sh or of Debian packages, and builds targets in build/. Ends the program when that
    fails, with a message of the script."""
    lists = " ".join(f'"${{{name}[@]}}"' if name.isupper() else name for name in packages)
    steps = ['source "$1"', f"need_packages {lists}", *([f"build_targets {' '.join(targets)}"] if targets else [])]
    sys.stdout.flush()
    done = subprocess.run(["bash", "-c", "; ".join(steps), script, str(CHECKOUT / "scripts" / "lib.sh")], stdout=progress)
    if done.returncode:
        sys.exit(done.returncode)


def programs(given: Mapping[str, str | None], script: str, packages: Sequence[str] = (), progress: IO[str] = sys.stderr) -> dict[str, str]:
    """Target -> its program: the one that is given, or build/TARGET, which is built. Where all are given, nothing is installed or built."""
    missing = [target for target, program in given.items() if program is None]
    if missing:
        prepare(script, ["BUILD_PACKAGES", "python3", *packages], missing, progress)
    return {target: program or f"build/{target}" for target, program in given.items()}
