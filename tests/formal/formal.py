# SPDX-License-Identifier: Apache-2.0
"""Proofs of the RTL by yosys and z3, their faults by yosys and its abc: what a proof is, and how it is run.

A proof is a harness, a module <name>_proof in tests/formal/<name>_proof.sv, at given parameters. Everything that it and the RTL below it
assert is shown to hold from any state that a reset leads from, for `depth` steps; with `induction` for any number of steps: k steps in which
all holds, from any state, are followed by one in which it does. A step is an edge of the clock, or with `free_clocks` a moment at which any
of the clocks may have an edge.

Each proof has faults: a text of the RTL and what to put in its place, and the assertion, by its label, that must fail then in `depth` steps.
abc looks for that failure bit by bit, in hundredths of a second; z3, which also proves by induction and writes waveforms, takes seconds.
"""

import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth.sources import Sources  # noqa: E402

LIMIT_S = 1800  # per run of a tool
ASSERTION = re.compile(r"\b(\w+)\s*:\s*assert\b")
# A netlist as AND gates and registers: before it is one, logic that no assertion depends on goes. Bits without a value may be either.
BITS = ("opt_clean -purge", "setundef -undriven -anyseq", "opt -full -purge -nodffe -nosdff", "wreduce", "pmuxtree", "opt_expr -full",
        "opt_clean -purge", "simplemap", "techmap", "opt_expr", "opt_clean -purge", "setundef -anyseq", "aigmap")  # fmt: skip


class Wrong(Exception):
    """A proof that failed, a fault that was not seen, or a proof that does not fit the RTL."""


@dataclass(frozen=True)
class Fault:
    breaks: str  # label of the assertion
    module: str
    old: str  # occurs once in the module's file
    new: str
    depth: int = 0  # steps; 0: as many as the proof states


@dataclass(frozen=True)
class Proof:
    name: str  # harness, without _proof
    depth: int
    faults: tuple
    induction: int = 0  # steps; 0: bounded only
    deep: int = 0  # steps if time does not matter (scripts/formal.sh); 0: unchanged
    only: tuple = ()  # labels of the assertions to prove; none: all
    free_clocks: bool = False
    parameters: dict = field(default_factory=dict)
    beside: tuple = ()  # further files here; a module in them goes in place of the RTL's of that name
    of: tuple = ()  # modules that it is of, where none has its name
    assumed: tuple = ()  # assertions of the RTL on its user, for which the harness stands

    def title(self):
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.parameters.items())])


def labels(text):
    return set(ASSERTION.findall(re.sub(r"//[^\n]*", "", text)))


def changed(text, fault):
    """Blanks and ends of lines do not count: they are the formatter's."""
    found = re.findall(r"\s*".join(re.escape(letter) for letter in fault.old if not letter.isspace()), text)
    if len(found) != 1:
        raise Wrong(f"{fault.module}.sv: found {len(found)} times, must be once: {fault.old}")
    return text.replace(found[0], fault.new)


class Prover:
    """Runs proofs in a folder."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.sources = Sources(CHECKOUT)

    def run(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S, check=False)

    def modules(self, proof):
        """The RTL that a harness and the files beside it use, in order of reading."""
        text = "".join((HERE / name).read_text() for name in (f"{proof.name}_proof.sv", *proof.beside))
        words = re.findall(r"\w+", re.sub(r"//[^\n]*", "", text))
        found = []
        replaced = set(re.findall(r"^(?:module|package) (\w+)", text, re.MULTILINE))
        for word in dict.fromkeys(words):
            if word in self.sources.files:
                found += self.sources.below(word)
        found = dict.fromkeys(item for item in found if item not in replaced)
        return sorted(found, key=lambda item: not item.endswith("_pkg"))

    def compile(self, proof, job, fault=None):
        """Writes JOB.smt2; with a fault JOB.aig, with only the assertion that it breaks."""
        files = []
        for item in self.modules(proof):
            text = self.sources.text(item)
            if fault and fault.module == item:
                text = changed(text, fault)
            files.append(self.folder / f"{job}.{item}.sv")
            files[-1].write_text(text)
        top = f"{proof.name}_proof"
        packages = [file for file in files if file.stem.endswith("_pkg")]
        files = [*packages, *(HERE / name for name in proof.beside), *files[len(packages):], HERE / f"{top}.sv"]
        chparams = "".join(f" -chparam {key} {value}" for key, value in proof.parameters.items())
        wanted = [fault.breaks] if fault else proof.only
        only = []
        if wanted:
            union = " ".join(f"c:{label} c:*.{label}" for label in wanted)
            only = [f"select -set wanted {union} {'%u ' * (2 * len(wanted) - 1)}", "select -set others t:$assert @wanted %d", "delete @others"]
        script = [*(f"read_verilog -defer -formal -sv {file}" for file in files), f"hierarchy -check -top {top}{chparams}", "proc",
                  "memory_collect", "memory_map", "flatten", "chformal -cover -remove", *only, "opt_clean", "select -assert-min 1 t:$assert",
                  "clk2fflogic" if proof.free_clocks else "async2sync",
                  *([*BITS, f"write_aiger -zinit {job}.aig"] if fault else ["opt -nodffe -nosdff", f"write_smt2 -wires {job}.smt2"])]  # fmt: skip
        (self.folder / f"{job}.ys").write_text("\n".join([*script, ""]))
        done = self.run("yosys", "-Q", "-T", "-l", f"{job}.log", f"{job}.ys")
        if done.returncode != 0:
            raise Wrong(f"{proof.title()}: yosys: {done.stderr.strip()}")

    def solve(self, job, *options):
        """None if all holds, else what does not, as yosys-smtbmc says it."""
        done = self.run("yosys-smtbmc", "-s", "z3", "--unroll", *options, f"{job}.smt2")
        if done.returncode == 0 and "Status: PASSED" in done.stdout:
            return None
        if "Status: FAILED" not in done.stdout:
            raise Wrong(f"{job}: yosys-smtbmc: {done.stdout}{done.stderr}")
        return done.stdout

    @staticmethod
    def unchecked(proof):
        """Steps at the beginning that are not checked. The first two cover the edge before any reset; with clocks of their own all are."""
        return 0 if proof.free_clocks else 2

    def prove(self, proof, job, depth=0):
        """Raises Wrong if it does not hold; a waveform is JOB.vcd then."""
        self.compile(proof, job)
        found = self.solve(job, "-t", f"{self.unchecked(proof)}:{max(depth, proof.depth)}", "--dump-vcd", f"{job}.vcd")
        if not found and proof.induction:
            found = self.solve(job, "-i", "-t", str(proof.induction), "--dump-vcd", f"{job}.vcd")
        if found:
            raise Wrong(f"{proof.title()} does not hold; waveform: {self.folder / job}.vcd\n{found}")

    def break_it(self, proof, job, fault):
        """Raises Wrong if a fault is not seen."""
        self.compile(proof, job, fault)
        steps = f"-S {self.unchecked(proof)} -F {fault.depth or proof.depth}"
        done = self.run("yosys-abc", "-c", f"read_aiger {job}.aig; fold; bmc3 {steps}")
        if not re.search(r"Output \d+ of miter .* was asserted in frame", done.stdout):
            raise Wrong(f"{proof.title()}: {fault.breaks} holds with a fault in {fault.module}: {fault.new}\n{done.stdout}{done.stderr}")

    def check(self, proof, number, depth=0):
        """A proof and all of its faults; returns what was done, a line."""
        job = f"{proof.name}.{number}"
        start = time.monotonic()
        self.prove(proof, job, depth)
        proven = time.monotonic()
        for index, fault in enumerate(proof.faults):
            self.break_it(proof, f"{job}.fault{index}", fault)
        end = time.monotonic()
        how = f"induction over {proof.induction} steps" if proof.induction else f"bounded to {max(depth, proof.depth)} steps"
        return (f"{proof.title()}: {how}, {proven - start:.1f} s; "
                f"{len(proof.faults)} faults found, {end - proven:.1f} s")  # fmt: skip

    def unbroken(self, proofs):
        """Labels of a harness and of the modules it is of that no fault of its proofs breaks."""
        name = proofs[0].name
        found = {label for label in labels((HERE / f"{name}_proof.sv").read_text()) if not label.startswith("invariant_")}
        for module in (name, *(item for proof in proofs for item in proof.of)):
            if module in self.sources.files:
                found |= labels(self.sources.text(module))
        for proof in proofs:
            found -= {fault.breaks for fault in proof.faults} | set(proof.assumed)
        return found
