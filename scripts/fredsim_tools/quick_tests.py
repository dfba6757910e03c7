# SPDX-License-Identifier: Apache-2.0
"""Tests of what has changed since a commit, and of what uses it: scripts/test.sh --quick.

A file of a folder in sc_models/ or testbenches/ concerns the targets of that folder, and by CMake's dependencies the test programs that link them: of these
the suites with label unit run, and those in the folder's own folder of tests/, without slow cases and those of RTL. They are built in build-dev/, by the preset
dev. An RTL module concerns the test programs that scripts/fredsim_tools/mutate/concerns.py names for it, built in build/, by the preset release. Any
file concerns the tests whose command names it, or names NAME_test.* for a script NAME.py; a page of docs/ the test of links.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .checkout import CHECKOUT
from .mutate import concerns

QUERY = ".cmake/api/v1/query/codemodel-v2"
LEFT = "^(slow|rtl)$"  # labels of cases that are left out


@dataclass
class Target:
    """A target of CMake; its folder is relative to the checkout."""

    name: str
    folder: str
    is_program: bool
    sources: set[str]
    uses: set[str]  # ids of targets


@dataclass
class Plan:
    """Suites by the folder in which they are built, and whole names of tests."""

    dev: set[str] = field(default_factory=set)
    rtl: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)


def git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.split("\0")


def changed_since(commit: str) -> list[str]:
    """Files that differ from a commit, new ones too."""
    return sorted(set(filter(None, [*git("diff", "--name-only", "-z", commit, "--"), *git("ls-files", "--others", "--exclude-standard", "-z")])))


def targets_of(build: Path) -> dict[str, Target]:
    """Id -> target, out of the answer of CMake's file API."""
    reply = build / ".cmake/api/v1/reply"
    index = json.loads(max(reply.glob("index-*.json")).read_text())
    model = json.loads((reply / index["reply"]["codemodel-v2"]["jsonFile"]).read_text())
    found = {}
    for entry in model["configurations"][0]["targets"]:
        target = json.loads((reply / entry["jsonFile"]).read_text())
        found[entry["id"]] = Target(target["name"], target["paths"]["source"], target["type"] == "EXECUTABLE",
                                    {source["path"] for source in target.get("sources", [])},
                                    {used["id"] for used in target.get("dependencies", [])})  # fmt: skip
    return found


def users_of(concerned: Iterable[str], targets: Mapping[str, Target]) -> set[str]:
    """Ids of these targets and of all that use them."""
    found = set(concerned)
    while more := {one for one, target in targets.items() if one not in found and target.uses & found}:
        found |= more
    return found


def suite_of(target: Target) -> str | None:
    return target.name.removeprefix("test_") if target.is_program and target.name.startswith("test_") else None


def concerned_by(file: str, targets: Mapping[str, Target]) -> set[str]:
    """Targets that have the file, or else targets of its folder: the nearest one that has any."""
    source = Path(file).with_suffix(".cpp")
    if has := {one for one, target in targets.items() if {file, str(source)} & target.sources}:
        return has
    for folder in map(str, Path(file).parents):
        if folder in (".", "sc_models", "testbenches", "tests"):
            break
        if has := {one for one, target in targets.items() if target.folder == folder}:
            return has
    return set()


def plan_of(files: Sequence[str], targets: Mapping[str, Target], tests: Sequence[Mapping[str, Any]], unit: set[str]) -> Plan:
    """tests: as ctest shows them; unit: suites of that label."""
    plan = Plan()
    suites = {one: suite for one, target in targets.items() if (suite := suite_of(target))}
    for file in files:
        top = file.partition("/")[0]
        if top == "rtl":
            # Lists and included files concern what the modules of their folder do.
            names = [file] if file.endswith(".sv") else [str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / file).parent.glob("*.sv")]
            programs = {test[0] for name in names for test in concerns.tests_of(name)}
            plan.rtl |= {program.removeprefix("test_") for program in programs if program.startswith("test_")}
        elif top in ("sc_models", "testbenches", "tests"):
            direct = concerned_by(file, targets)
            own = {f"tests/{Path(targets[one].folder).name}" for one in direct} | {targets[one].folder for one in direct}
            for one in users_of(direct, targets):
                if one in suites and (suites[one] in unit or targets[one].folder in own):
                    plan.dev.add(suites[one])
        elif file.endswith(".md"):
            plan.tests.add("pages.links")
        names_it = {Path(file).name, *(f"{Path(file).stem}_test{end}" for end in (".py", ".sh") if top == "scripts")}
        plan.tests |= {test["name"] for test in tests if any(Path(word).name in names_it for word in test.get("command", [])[1:])}
    return plan


def shown(build: Path) -> list[dict[str, Any]]:
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    return json.loads(done[done.index("{") :])["tests"]


def run(*words: str) -> None:
    print("==", " ".join(words), flush=True)
    if code := subprocess.run(words, cwd=CHECKOUT).returncode:
        sys.exit(code)


def build_and_test(folder: Path, suites: set[str], left: str) -> None:
    run("cmake", "--build", str(folder), "--target", *sorted(f"test_{suite}" for suite in suites))
    run("ctest", "--test-dir", str(folder), "--output-on-failure", "--parallel", str(os.cpu_count()), "-LE", left, "-R", f"^({'|'.join(sorted(suites))})\\.")


def unit_suites() -> set[str]:
    text = (CHECKOUT / "tests/labels.cmake").read_text()
    found = re.search(r"set\(unit_suites ([^)]*)\)", text)
    return set(found[1].split()) if found else set()


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/test.sh --quick", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", metavar="COMMIT", nargs="?", default="HEAD", help="what files are compared with (default: HEAD)")
    parser.add_argument("--list", action="store_true", help="say which suites and tests, and run none")
    options = parser.parse_args(words)
    if subprocess.run(["git", "rev-parse", "--verify", "--quiet", f"{options.commit}^{{commit}}"], cwd=CHECKOUT, capture_output=True).returncode:
        print(f"test.sh: COMMIT: found {options.commit}; allowed: a commit of this checkout", file=sys.stderr)
        return 2
    files = changed_since(options.commit)
    dev, release = CHECKOUT / "build-dev", CHECKOUT / "build"
    (dev / QUERY).parent.mkdir(parents=True, exist_ok=True)
    (dev / QUERY).touch()
    done = subprocess.run(["cmake", "--preset", "dev"], cwd=CHECKOUT, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return 1
    plan = plan_of(files, targets_of(dev), shown(dev), unit_suites())
    print(f"{len(files)} files differ from {options.commit}; suites: {', '.join(sorted(plan.dev)) or 'none'}; of the RTL: "
          f"{', '.join(sorted(plan.rtl)) or 'none'}; tests: {', '.join(sorted(plan.tests)) or 'none'}", flush=True)  # fmt: skip
    if options.list:
        return 0
    if plan.dev:
        build_and_test(dev, plan.dev, LEFT)
    if plan.rtl:
        run("cmake", "--preset", "release", "-DBUILD_TESTING=ON")
        build_and_test(release, plan.rtl, "^slow$")
    if plan.tests:
        run("ctest", "--test-dir", str(dev), "--output-on-failure", "-R", f"^({'|'.join(map(re.escape, sorted(plan.tests)))})$")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
