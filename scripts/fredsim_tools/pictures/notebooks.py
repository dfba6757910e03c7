# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/user/python, which are scripts: each is run as it stands, and its figure is the picture of its name."""

import contextlib
import os
import runpy
import sys
from pathlib import Path

from ..plots import pyplot
from .picture import Picture

PACKAGES = "build/python"


def run(picture: Picture) -> None:
    path = Path("docs/user/python") / f"{picture.file.name}.py"
    os.environ["FREDSIM_PROGRAM"] = str(Path(picture.runs.program).resolve())
    sys.path.insert(0, str(Path(os.environ.get("PYTHONPATH", PACKAGES)).resolve()))
    print("==", path, file=picture.runs.announced, flush=True)
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        figure = runpy.run_path(str(path))["figure"]
    assert isinstance(figure, pyplot.Figure)
    picture.save(figure)


latency_curve = pareto_front = run
