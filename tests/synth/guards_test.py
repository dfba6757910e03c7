# SPDX-License-Identifier: Apache-2.0
"""guards_test.py FOLDER: phased_matcher, mesh_allocator and vc_allocator in them read otherwise for a simulator, which skips idle
logic, than for synthesis (`ifdef SYNTHESIS`). yosys proves both to be the same, in every output and every register, from any state."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth.sources import Sources  # noqa: E402

FOLDER = Path(sys.argv.pop())
# Only registers, ports and these wires are compared: each pair stands for both in what follows it.
# Names are hidden before yosys chooses among the names of one wire.
COMPARED = ("*_q", "*_q[*", "ask", "request", "*.any*", "*.winner*", "*.grant*")
HIDE = "rename -hide w:*" + "".join(f" w:{name} %d" for name in COMPARED)
READ = ("chformal -remove", "proc", "flatten", HIDE, "memory_map", "opt -full", "opt_clean -purge")
PROVE = ("read_rtlil simulated.il", "read_rtlil synthesised.il", "equiv_make simulated synthesised both", "hierarchy -top both",
         "equiv_struct", "equiv_simple -undef", "equiv_induct", "equiv_status")  # fmt: skip


def yosys(name, script):
    """Runs it; returns its log."""
    (FOLDER / f"{name}.ys").write_text("\n".join([*script, ""]))
    return subprocess.run(["yosys", "-Q", "-T", f"{name}.ys"], cwd=FOLDER, check=True, capture_output=True, text=True).stdout


def unproven(module, change=lambda text: text, **parameters):
    """Names without indices of what differs; and how many pairs there were. change: of the text that synthesis reads. A pair stands for both
    in what follows it."""
    sources = Sources(CHECKOUT)
    for name, option in (("simulated", "-nosynthesis"), ("synthesised", "")):
        files = []
        for item in sources.below(module):
            files.append(FOLDER / f"{name}_{item}.sv")
            text = sources.text(item)
            files[-1].write_text(change(text) if name == "synthesised" else text)
        chparams = "".join(f" -chparam {key} {value}" for key, value in parameters.items())
        yosys(name, [*(f"read_verilog -sv {option} {file}" for file in files), f"hierarchy -check -top {module}{chparams}", *READ,
                     f"rename -top {name}", f"write_rtlil {name}.il"])  # fmt: skip
    log = yosys("prove", PROVE)
    pairs = int(re.findall(r"Found (\d+) \$equiv cells in both", log)[-1])
    names = re.findall(r"Unproven \$equiv \S+: \\(\S+)_gold ", log)
    return {re.sub(r"\[\d+\]", "", name).rpartition(".")[2] for name in names}, pairs


class Same(unittest.TestCase):
    def test_matcher(self):
        found, pairs = unproven("phased_matcher", P=2)
        self.assertGreater(pairs, 100)
        self.assertEqual(found, set())

    def test_mesh_allocator(self):
        found, pairs = unproven("mesh_allocator", P=5)
        self.assertGreater(pairs, 100)
        self.assertEqual(found, set())

    def test_a_difference_is_found(self):
        """A head-of-line flit that synthesis lets ask where there is none."""
        wrong = "to = request_i[noc_pkg::vc_index(p, v)] ?"
        found, _ = unproven("phased_matcher", lambda text: text.replace(wrong, "to = enable ?"), P=2)
        self.assertTrue(found)


unittest.main()
