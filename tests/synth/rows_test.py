# SPDX-License-Identifier: Apache-2.0
"""rows_test.py FOLDER: the energy rows that the program has: one for every size, and a µSwitch of 16 lanes, gate by gate, against its row."""

import json
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import energy, rows, technology, traffic  # noqa: E402
from fredsim_tools.synth.flow import Flow  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402

FOLDER = Path(sys.argv.pop())
ROWS = json.loads((CHECKOUT / "sc_models" / "energy" / "rows.json").read_text())
LANES = 16
TOLERANCE = 0.15
LIMIT = 600


class Kept(unittest.TestCase):
    def test_sizes(self):
        """Rows are the sizes that the script makes, in its order."""
        made = [(size.kind, size.ports, dict(size.parameters)) for size in rows.sizes()]
        self.assertEqual([(row["kind"], row["ports"], row["parameters"]) for row in ROWS["rows"]], made)

    def test_models(self):
        """Figures of memories and links equal technology.json."""
        self.assertEqual(ROWS["memory_read_pj_per_bit"], technology.DATA["memory"]["read_pj_per_bit"])
        self.assertEqual(ROWS["memory_write_pj_per_bit"], technology.DATA["memory"]["write_pj_per_bit"])
        self.assertEqual(ROWS["link_pj_per_bit"], technology.DATA["link"]["pj_per_bit"])
        self.assertEqual((ROWS["lanes"], ROWS["flit_bits"]), (rows.LANES, traffic.flit_bits(rows.LANES)))


class Wider(unittest.TestCase):
    """One µSwitch is a Fred_2(2)."""

    def test_16_lanes(self):
        """Flits scale by lanes, of which a row has 256; the clock by bits, since headers have registers, too. Situations as of the row, so that what inputs hold
        is alike."""
        wanted = [size.network for size in rows.sizes() if size.kind == "fred" and dict(size.parameters)["M"] == 2]
        situations, beside = (
            {one for network in wanted for one in energy.parts_needed(network, kinds).get("fred_rd_uswitch", ())}
            for kinds in (None, (traffic.ALONE,)))  # fmt: skip
        ordered = sorted(situations, key=repr) + sorted(beside - situations, key=repr)
        flow = Flow(Sources(CHECKOUT), FOLDER, 2, LIMIT, (20, 4))
        part, _ = flow.part("fred_rd_uswitch", dict(FORMAT=0, LANES=LANES))
        flow.synthesise([part])
        self.assertIsNone(part.unfinished)
        measured = energy._of_part(flow, wanted[0], LANES, part, ordered)
        kinds = (*traffic.KINDS, traffic.ALONE)
        [size] = [size for size in rows.sizes() if (size.kind, size.ports, size.parameters) == ("fred", 2, (("M", 2), ("ADDER_STAGES", 1)))]
        found = rows.row_of(size, energy.compose(size.network, LANES, {"fred_rd_uswitch": (ordered, measured)}, kinds))
        [row] = [row for row in ROWS["rows"] if (row["kind"], row["ports"], row["parameters"]) == ("fred", 2, {"M": 2, "ADDER_STAGES": 1})]
        # Events: a sum, and a flit that leaves by both outputs.
        events = {"unicast": ("unicast_pj",), "sum": ("flow_pj", "addition_pj"), "copied": ("flow_pj", "copy_pj"), "clock": ("unicast_load_pj", "clock_pj")}
        for name, keys in events.items():
            gates, scaled = (sum(figures[key] for key in keys) for figures in (found, row))
            bits = traffic.flit_bits(LANES) / traffic.flit_bits(rows.LANES)
            scaled *= bits if name == "clock" else LANES / rows.LANES
            with self.subTest(name):
                self.assertAlmostEqual(gates, scaled, delta=TOLERANCE * scaled)


if __name__ == "__main__":
    unittest.main()
