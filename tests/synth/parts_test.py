# SPDX-License-Identifier: Apache-2.0
"""parts_test.py FOLDER: the parts of scripts/fredsim_tools/synth/ that need no synthesis, and one that is quick."""

import json
import subprocess
import sys
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools.synth import cells, clock_gates, flow, report, technology, timing, trees, yosys  # noqa: E402
from fredsim_tools.synth.sources import Sources  # noqa: E402

FOLDER = Path(sys.argv.pop())


def synth(*words):
    return subprocess.run([CHECKOUT / "scripts" / "synth.sh", *map(str, words)], capture_output=True, text=True)


class Words(unittest.TestCase):
    """Typing errors are named, with what is allowed, and end with 2."""

    def refused(self, words, *texts):
        result = synth(*words)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        for text in texts:
            self.assertIn(text, result.stderr)

    def test_unknown_module(self):
        self.refused(["fred_contrl"], "unknown module 'fred_contrl'", "allowed:", "phased_control")

    def test_unknown_parameter(self):
        self.refused(["phased_control:Q=4"], "'Q=4'", "allowed:", "P, ROW_W, CONFIG_STAGES, PHASES_IN_USE, CONFIG_FIELD_W, YIELD, QUANTUM, VC_ORDER")

    def test_parameter_without_number(self):
        self.refused(["phased_control:P"], "'P'", "NAME=NUMBER")

    def test_unknown_option(self):
        self.refused(["--quik"], "--quik")

    def test_numbers(self):
        self.refused(["--limit", "0"], "--limit", "a whole number from 1")
        self.refused(["--memory-fo4", "20"], "READ,SETUP")

    def test_quick_with_modules(self):
        self.refused(["--quick", "fp_add"], "--quick")
        self.refused(["--paper", "--quick"], "--paper")

    def test_no_folder_for_json(self):
        self.refused(["fp_add", "--json", FOLDER / "none" / "x.json"], "no folder")

    def test_help_and_list(self):
        text = synth("--help")
        self.assertEqual(text.returncode, 0)
        self.assertIn("example:", text.stdout)
        names = synth("--list").stdout
        self.assertIn("phased_control P ROW_W CONFIG_STAGES PHASES_IN_USE CONFIG_FIELD_W YIELD QUANTUM", names)
        self.assertIn("mesh_router NUM_LOCAL NUM_IO", names)


class Quick(unittest.TestCase):
    """A module that takes a second: table and JSON."""

    @classmethod
    def setUpClass(cls):
        cls.file = FOLDER / "quick.json"
        cls.result = synth("fred_paths:P=2,M=2", "phased_output_unit:LANES=1", "--json", cls.file, "--folder", FOLDER / "parts")
        cls.json = json.loads(cls.file.read_text()) if cls.file.exists() else None

    def test_table(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertLessEqual(max(map(len, self.result.stdout.splitlines())), 80)
        self.assertIn("1 × phased_output_unit.i_staging.i_ram.mem_q: 96 × 128 bit; reads: 1 synchronous; writes: 1",
                      " ".join(self.result.stdout.split()))  # fmt: skip
        text = " ".join(self.result.stdout.split())
        self.assertGreater(text.count("Clock at"), 0)
        self.assertEqual(text.count("Clock at"), text.count("(open flow: slower than commercial"))

    def test_json(self):
        top = self.json["tops"][1]
        self.assertEqual(top["kind"], "phased_output_unit")
        self.assertEqual((top["lanes"], top["memory_bits"], top["complete"]), (1, 96 * 128, True))
        self.assertEqual(top["path_fo4"], top["paths"][0]["fo4"])
        self.assertEqual({"from", "to", "fo4"}, set(top["paths"][0]))
        low, high = top["clock_ghz"]
        self.assertAlmostEqual(low, 1000 / 8.4 / 1.42 / top["path_fo4"], delta=0.01)
        self.assertAlmostEqual(high, 1000 / 5.7 / 1.42 / top["path_fo4"], delta=0.01)
        self.assertAlmostEqual(top["typical_clock_ghz"][0], 1000 / 8.4 / top["path_fo4"], delta=0.01)
        self.assertEqual(self.json["tops"][0]["middle"], 2)
        for path in top["paths"]:
            self.assertNotRegex(path["from"] + path["to"], r"(^|\.)_\d+_")

    def test_areas_and_delay(self):
        """Beside kGE and FO4: µm², ns, leakage."""
        top = self.json["tops"][1]
        area = top["area_um2"]
        self.assertAlmostEqual(area["logic_180nm"], 24_000 * top["area_kge"], delta=13)
        self.assertAlmostEqual(area["logic_14_to_16nm"][0], 0.0093 * area["logic_180nm"], delta=0.1)
        self.assertAlmostEqual(area["logic_14_to_16nm"][1], 0.0101 * area["logic_180nm"], delta=0.1)
        memory = 18_400 - (512 - 128) * 26.2 + 96 * 128 * 0.159
        self.assertAlmostEqual(area["memory_22nm"], memory, delta=0.1)
        self.assertAlmostEqual(area["memory_14_to_16nm"][0], 0.70 * memory, delta=0.1)
        self.assertAlmostEqual(area["memory_14_to_16nm"][1], 0.78 * memory, delta=0.1)
        self.assertAlmostEqual(top["path_ns"], 0.0992 * top["path_fo4"], delta=0.01)
        self.assertGreater(top["leakage_uw"], 0)

    def test_json_to_standard_output(self):
        """Nothing else goes there, and no file is made."""
        result = synth("fred_paths:P=2,M=2", "--json", "-", "--folder", FOLDER / "parts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["tops"][0]["kind"], "fred_paths")
        self.assertIn("fred_paths M=2 P=2", result.stderr)
        self.assertFalse(Path("-").exists())

    def test_interrupt(self):
        """The tools end with it, and nothing is written."""
        file = FOLDER / "interrupted.json"
        process = subprocess.Popen([CHECKOUT / "scripts" / "synth.sh", "phased_control:P=11", "--json", file,
                                    "--folder", FOLDER / "interrupted"], stderr=subprocess.PIPE, text=True)  # fmt: skip
        while not list((FOLDER / "interrupted").glob("phased_control*/log")) and process.poll() is None:
            time.sleep(0.1)
        process.terminate()
        self.assertEqual((process.communicate()[1], process.returncode), ("synth.sh: interrupted\n", 130))
        self.assertFalse(file.exists())
        with yosys.locked(next((FOLDER / "interrupted").glob("phased_control*"))):  # not held by anything any more
            pass

    def test_time_limit(self):
        file = FOLDER / "unfinished.json"
        result = synth("phased_join:P=12", "--limit", 1, "--json", file, "--folder", FOLDER / "parts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("did not finish in 1 s", result.stdout)
        top = json.loads(file.read_text())["tops"][0]
        self.assertEqual((top["complete"], top["lacks"]), (False, ["phased_join did not finish in 1 s"]))
        self.assertEqual([path.name for path in FOLDER.iterdir() if path.name.startswith(".")], [])


class Parts(unittest.TestCase):
    def test_fo4(self):
        self.assertAlmostEqual(timing.measure_fo4_ns(FOLDER / "fo4"), 0.0992, delta=0.0002)
        low, high = cells.typical_clock_ghz(79)
        self.assertAlmostEqual(low, 1.507, delta=0.001)
        self.assertAlmostEqual(high, 2.221, delta=0.001)
        self.assertAlmostEqual(cells.clock_ghz(79)[0], 1.061, delta=0.001)  # the slow corner of the same

    def test_line(self):
        self.assertAlmostEqual(flow.on_line(3 + 2 * flow.LANES[0], 3 + 2 * flow.LANES[1], 256), 3 + 2 * 256)

    def test_areas(self):
        areas = cells.areas(cells.LIBERTY.read_text())
        self.assertEqual((areas["NAND2X1"], areas["DFFPOSX1"], areas["BUFX2"]), (24, 96, 24))

    def test_leakages(self):
        leakages = cells.leakages(cells.LIBERTY.read_text())
        self.assertEqual((leakages["NAND2X1"], leakages["DFFPOSX1"]), (0.0393659, 0.160725))

    def test_scaling(self):
        """The figures of technology.json, by hand."""
        self.assertEqual(technology.scaled("delay", 1), [0.057, 0.085])
        self.assertEqual(technology.scaled("energy", 1000), [2.0, 2.5])
        self.assertAlmostEqual(technology.scaled("area", 1e6)[1], 10100)
        self.assertAlmostEqual(technology.memory_22nm_um2(100, 512), 18_400 + 51_200 * 0.159)
        two_banks = 18_400 + (18_400 - 511 * 26.2) + 51_300 * 0.159
        self.assertAlmostEqual(technology.memory_22nm_um2(100, 513), two_banks)
        self.assertAlmostEqual(technology.memory_um2(100, 513)[1], 0.78 * two_banks)
        self.assertAlmostEqual(technology.memory_pj(1000), 44)
        self.assertAlmostEqual(technology.link_pj(1000), 63)

    def test_small_memories(self):
        """Registers below 2 kbit; at that size the models meet, and more words do not take less."""
        low, high = technology.memory_um2(48, 16)
        flip_flops = 768 * 186 + 48 * 400 + 16 * 220
        self.assertAlmostEqual(low, 0.0093 * flip_flops)
        self.assertAlmostEqual(high, 0.0101 * flip_flops)
        self.assertLess(36 * high, 0.07e6)  # the side queues of 12 ports, µm²
        for end in (0, 1):
            file = technology.scaled("area", technology.register_file_um2(128, 16))[end]
            banks = technology.banks_um2(128, 16) * technology.DATA["memory"]["to_14_to_16nm"][end]
            self.assertAlmostEqual(banks / file, 1, delta=0.03)
            for width in (16, 32, 160, 4192):
                areas = [technology.memory_um2(words, width)[end] for words in range(1, 300)]
                for words, (fewer, more) in enumerate(zip(areas, areas[1:]), 1):
                    self.assertGreater(more, 0.99 * fewer, f"{words} words of {width} bit")

    def test_register_files_against_synthesis(self):
        """Memories as registers, by the same flow."""
        areas = cells.areas(cells.LIBERTY.read_text())
        bits = yosys.MEMORY_BITS
        yosys.MEMORY_BITS = 1 << 20
        self.addCleanup(setattr, yosys, "MEMORY_BITS", bits)
        for words, width in (16, 16), (16, 32), (48, 16), (64, 32):
            part = yosys.Part("bist_ram", {"WIDTH": width, "DEPTH": words, "BIST": 0}, Sources(CHECKOUT), FOLDER / "registers")
            with yosys.locked(part.folder):
                part.prepare(240)
                part.build(240)
            self.assertEqual(part.memories, [])
            self.assertAlmostEqual(technology.register_file_um2(words, width) / part.area(areas)[0], 1, delta=0.03)

    def test_memory(self):
        memory = cells.Memory("mem_q", {"SIZE": "110000", "WIDTH": "1000", "ABITS": "110", "RD_PORTS": "10",
                                        "WR_PORTS": "1", "RD_CLK_ENABLE": "01"})  # fmt: skip
        self.assertEqual((memory.bits(), memory.read_kinds(), memory.synchronous), (384, (1, 1), [True, False]))
        memory.cell = "memory"
        text = cells.memory_library([memory], 2.0, 0.5)
        self.assertIn('related_pin : "RD_CLK[0]"', text)  # port 0 is synchronous,
        self.assertNotIn('related_pin : "RD_ADDR[0]"', text)
        self.assertIn('related_pin : "RD_ADDR[6]"', text)  # port 1 is not

    def test_names(self):
        self.assertEqual(timing.readable(r"i/gen_port\[0\].i_input/ i/gen_port\[0\].i_input/count_q\[3\]"),
                         "gen_port[0].i_input.count_q")  # fmt: skip
        self.assertEqual(timing.readable(r"in_flit_i\[3\]_pin/ in_flit_i[3]"), "in_flit_i")
        self.assertEqual(timing.readable(r"i/i_x/mem_q/WR_ADDR[3] i/i_x/mem_q/WR_ADDR[3]"), "i_x.mem_q")

    def test_assignments(self):
        """One assignment per bit, since OpenSTA does not read concatenations."""
        split = yosys.one_by_one("  assign { p, _1_ } = { 1'h0, \\q.r , z[3] };\n  assign a = b;\n  assign { z[2:1] } = 2'h1;\n",
                                 {"p": 2, "z": 4})  # fmt: skip
        self.assertEqual(split, "  assign p[1] = 1'b0;\n  assign p[0] = \\q.r ;\n  assign _1_ = z[3];\n  assign a = b;\n"
                         "  assign z[2] = 1'b0;\n  assign z[1] = 1'b1;\n")  # fmt: skip

    def test_trees(self):
        """A net that drives 40 parts, with 0.05 pF each, has one; so has a port; a light net and abc's own have none."""
        children = {"adder": trees.Child(frozenset(("sum",)), {"en": [0.05], "a": [0.01, 0.01]})}
        instances = [f"  adder \\i[{number}].i_add  (\n    .a({{ light, in[{number % 2}] }}),\n    .en(enable),\n    .sum(\\s[{number}] )\n  );"
                     for number in range(40)]  # fmt: skip
        text = "\n".join(["module top(in, out);", "  assign enable = before;", "  NAND2X1 _1_ (\n    .A(in[0]),\n    .B(in[1]),\n    .Y(before)\n  );",
                          *instances, "endmodule", ""])  # fmt: skip
        grown = trees.grow(text, {"in": ("input", 2), "out": ("output", 1)}, children)
        self.assertEqual(grown.buffers, 3)  # 16 pins each are 0.8 pF
        self.assertEqual(grown.text.count(".en(tree_"), 40)
        self.assertEqual(grown.text.count("BUFX4 tree_"), 3)
        self.assertEqual(grown.text.count(".A(before)"), 3)
        self.assertNotIn(".en(enable)", grown.text)
        self.assertEqual(grown.text.count("{ light, in["), 40)  # 0.4 pF
        for pf in grown.input_pf["in"]:
            self.assertAlmostEqual(pf, 0.2, delta=0.02)
        heavy = {"adder": trees.Child(frozenset(("sum",)), {"en": [0.0], "a": [0.1, 0.01]})}  # the net of in is now 2 pF each
        grown = trees.grow(text, {"in": ("input", 2), "out": ("output", 1)}, heavy)
        self.assertIn("    .a({ light, tree_", grown.text)
        self.assertLess(max(grown.input_pf["in"]), trees.MOST_PF)

    def test_clock_gates(self):
        """Set-up is the way through OR and latch; registers behind a gate; the cell's area by hand."""
        setup, hold = timing.measure_gate_ns(FOLDER / "gate", 0.1)
        self.assertAlmostEqual(setup, 0.082 + 0.169, delta=0.002)
        self.assertAlmostEqual(hold, 0.119)
        self.assertEqual(clock_gates.area(cells.areas(cells.LIBERTY.read_text())), 32 + 16 + 32 + 56)
        flat = FOLDER / "gated.v"
        flat.write_text("  clock_gate \\i[0].gate  (\n    .clk_i(clk_i),\n    .clk_o(\\i[0].clk ),\n    .en_i(en)\n  );\n"
                        "  DFFPOSX1 _1_ (\n    .CLK(\\i[0].clk ),\n    .D(d)\n  );\n  DFFPOSX1 _2_ (\n    .CLK(clk_i),\n    .D(d)\n  );\n")  # fmt: skip
        self.assertEqual(clock_gates.gated_registers(flat), {"i[0].gate": ["_1_"]})

    def test_sources(self):
        sources = Sources(CHECKOUT)
        self.assertEqual(sources.needed("fred_rd_uswitch"),
                         (["noc_pkg", "phased_pkg", "fred_pkg"], ["fred_r_uswitch"], ["fred_rd_uswitch"]))  # fmt: skip
        for name in sources.modules():
            self.assertRegex(sources.text(name), rf"\bmodule {name}\b")

    def test_long_names(self):
        name = "i_network." + "gen_sub[2].i_network." * 4 + "i_r_uswitch.out_flit_o"
        lines = report.path_lines(76.4, name, name)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertTrue(lines[0].startswith("    76.4  i_network...i_network."), lines[0])
        self.assertTrue(lines[1].endswith(".i_r_uswitch.out_flit_o"), lines[1])
        self.assertEqual(report.path_lines(5, "a.b", "c"), ["     5.0  a.b -> c"])

    def test_memories_that_differ_in_an_index_are_one_line(self):
        def memory(name, words):
            return {"name": name, "words": words, "width": 8, "reads": (1, 0), "writes": 1}

        rows = [SimpleNamespace(module="a", count=2, memories=[memory("w[0].m", 4), memory("w[1].m", 4), memory("w[2].m", 5)]),
                SimpleNamespace(module="b", count=1, memories=[memory("w[0].m", 4)])]  # fmt: skip
        shape = "{} × 8 bit; reads: 1 synchronous; writes: 1"
        self.assertEqual(dict(report.alike_memories(SimpleNamespace(rows=rows))),
                         {"a.w[*].m: " + shape.format(4): 4, "a.w[*].m: " + shape.format(5): 2, "b.w[*].m: " + shape.format(4): 1})  # fmt: skip

    def test_wrapped(self):
        self.assertEqual(report.wrapped(["a" * 50, "b" * 50], "  "), ["  " + "a" * 50, "  " + "b" * 50])


unittest.main()
