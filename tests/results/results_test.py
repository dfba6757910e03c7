#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results files: every command's against the schema, which refuses keys that it does not know, and the machine in them
as a machine file, whose run repeats the results.

  results_test.py --program build/fredsim --own-npu build/tb_own_npu --schema sc_models/results/results.schema.json
                  --machine-schema docs/reference/machine.schema.json
"""

import argparse
import copy
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import jsonschema

WITHOUT_NPU_1 = ["--group", "0,2,3"]
CUSTOM_SWITCH = "switch.rtl_top=custom_switch"
SMALL = "configs/fred_small.yaml"
MESH = "configs/mesh_2x2.yaml"

LLAMA = ["--workload", "configs/models/llama3_70b.yaml", "--mp", "4", "--context", "64", "--set", "npu.memory=1000GB"]

# Every command, with options that add further keys to its file.
COMMANDS = {
    "run": ["run", MESH, "-b", "1KiB", "-e", "4KiB", "-f", "2"],
    "run rtl": ["run", SMALL, "--model", "rtl", "--size", "512", "--set", CUSTOM_SWITCH],
    "run some rtl": ["run", SMALL, "--rtl-instances", "l1_0*", "--size", "512"],
    "run lockstep": ["run", MESH, "--model", "lockstep", "--size", "512", *WITHOUT_NPU_1],
    "run placed": ["run", SMALL, "--strategy", "mp2-dp2-pp1", "--dimension", "dp", "--size", "4KiB"],
    "run faults": ["run", SMALL, "--set", "fabric.slices=2", "--fault", "switch:l1_0.s0", "--fault", "npu:3", "--size", "4KiB"],
    "run work": ["run", SMALL, "--work", "WORK"],
    "compare work": ["compare", MESH, SMALL, "--work", "WORK", "--breakdown"],
    "run matrix": ["run", MESH, "--collective", "all_to_all_v", "--matrix", "MATRIX"],
    "run I/O": ["run", "configs/mesh.yaml", "--collective", "scatter", "--group", "io0,0-3", "--size", "8KiB"],
    "run concurrent groups": ["run", SMALL, "--collective", "all_gather", "--group", "0,1", "--group", "2,3", "--size", "4KiB"],
    "run without skipping": ["run", MESH, "--size", "4KiB", "--no-skip", "--timeout-cycles", "100000", "--lanes", "16", "--seed", "9"],
    "run skew": ["run", MESH, "--size", "4KiB", "--skew", "normal:100ns", "--set", "npu.collective_overhead=1us"],
    "run threads": ["run", MESH, "--size", "512", "--model", "rtl", "--threads", "2"],
    "run errors": ["run", MESH, "--size", "16KiB", "--set", "link={reliability: link, bit_error_rate: 1e-6}"],
    "run torus": ["run", "configs/torus.yaml", "--size", "20KiB", "--algorithm", "ring", "--on-conflict", "later"],
    "run reducing mesh": ["run", "configs/mesh_reducing.yaml", "--size", "4KiB"],
    "run timeline": ["run", MESH, "--size", "4KiB", "--timeline", "OUT.json", "--timeline-level", "3"],
    "run wave": ["run", MESH, "--size", "512", "--wave", "OUT.fst", "--wave-links-only"],
    "run slices": ["run", SMALL, "--set", "fabric.slices=2", "--size", "4KiB"],
    "compare": ["compare", "configs/torus.yaml", "configs/fred_d.yaml", "--collective", "all_to_all", "--size", "20KiB"],
    "train": ["train", MESH, SMALL, "--workload", "configs/models/small.yaml", "--mp", "2", "--pp", "2", "--fit", SMALL + "=0.98"],
    "train roofline": ["train", SMALL, "--workload", "configs/models/small.yaml", "--dp", "4", "--gradients", "zero2", "--optimizer", "adam"],
    "train schedule": ["train", SMALL, "--workload", "configs/models/small.yaml", "--dp", "4", "--gradients", "priority=4KiB", "--compress", "dp=2"],
    "train split sequences": ["train", SMALL, "--workload", "TRANSFORMER.yaml", "--mp", "2", "--cp", "2", "--sp"],
    "train streamed": ["train", "configs/fred_d.yaml", "--workload", "configs/models/small.yaml", "--mp", "2", "--execution", "streaming",
                       "--stream", "broadcast", "--accounting", "overlap"],
    "train timeline": ["train", MESH, "--workload", "configs/models/small.yaml", "--dp", "4", "--timeline", "OUT.json", "--compute-rate", "1PFLOP/s"],
    "train exports": ["train", MESH, "--workload", "configs/models/small.yaml", "--dp", "4", "--export-et", "TRACES"],
    "train traces": ["train", MESH, "--trace", "TRACES", "--comm-groups", "TRACES.groups.json"],
    "trace": ["trace", "info", "TRACES.0.et", "TRACES.1.et"],
    "train text": ["train", MESH, "--workload", "TEXT.txt"],
    "train decode": ["train", MESH, SMALL, *LLAMA, "--phase", "decode", "--batch", "2"],
    "train prefill": ["train", SMALL, *LLAMA, "--phase", "prefill"],
    "train skew": ["train", SMALL, *LLAMA, "--phase", "prefill", "--skew", "uniform:1us", "--set", "npu.collective_overhead=1us"],
    "traffic": ["traffic", MESH, "--rate", "0.1,0.5", "--cycles", "500", "--warmup", "100"],
    "traffic hotspot": ["traffic", SMALL, "--pattern", "hotspot", "--rate", "0.1", "--cycles", "500", "--warmup", "10"],
    "traffic threads": ["traffic", MESH, "--rate", "0.2", "--cycles", "500", "--warmup", "10", "--threads", "2"],
    "traffic faults": ["traffic", "configs/mesh.yaml", "--fault", "io:3", "--rate", "0.1", "--cycles", "300", "--warmup", "10"],
    "traffic saturation": ["traffic", MESH, "--saturation", "--cycles", "200", "--warmup", "10"],
    "run breakdown": ["run", SMALL, "--size", "20KiB", "--breakdown", "--trace-packets", "2"],
    "compare breakdown": ["compare", MESH, SMALL, "--collective", "all_gather", "--size", "20KiB", "--breakdown"],
    "traffic breakdown": ["traffic", MESH, "--rate", "0.5", "--cycles", "500", "--warmup", "100", "--breakdown",
                          "--trace-packets", "first:2"],
    "info": ["info", "configs/mesh.yaml", "--ranks", "3", "--set", "fabric.link_latency=30ns"],
    "info rtl": ["info", "configs/fred_d.yaml", "--ranks", "1", "--model", "rtl", "--lanes", "256"],
    "doctor": ["doctor", MESH, "-b", "1KiB", "-e", "64KiB", "-f", "64", "--set", "switch.input_buffer=4KiB"],
    "doctor system": ["doctor", "dear_64_10g", "--collective", "all_to_all", "--size", "64KiB"],
    "optimize": ["optimize", "libra_4d", "--workload", "configs/workloads/libra_1t.txt", "--total", "300GB/s", "--for", "time_cost",
                 "--at-least", "d3=5GB/s"],
    "optimize flow": ["optimize", SMALL, "--size", "1MiB", "--engine", "flow", "--total", "1TB/s", "--max-evaluations", "3"],
    "optimize topology": ["optimize", SMALL, "--topology", "topoopt", "--npus", "8", "--degree", "3", "--workload",
                          "configs/models/small.yaml"],
    "conflicts": ["conflicts", "--ports", "8", "--middle", "2,3", "--flows", "2:3", "--trials", "100"],
    "strategies": ["strategies", SMALL],
    "strategies placed": ["strategies", SMALL, "--placement", "snake", "--middle", "2,3", "--all"],
    "strategies that fail": ["strategies", "configs/fred_b.yaml", "--middle", "2"],
    "route": ["route", "--ports", "5", "--middle", "2", "0,1:0,1", "2:3"],
}

# Files that they read: names, repetition and order of a work, as users write them.
FILES = {
    "WORK": """- {name: forward, collective: all_reduce, groups: [[0, 1], [2, 3]], size: 8KiB, priority: mp, repeat: 3, delay: 20}
- {name: gradients, collective: all_reduce, size: 16KiB, priority: dp, after: forward, repeat: 2}
- {collective: broadcast, groups: [[0, 1, 2, 3]], size: 4KiB, after: [forward, gradients]}
""",
    "MATRIX": "0 512 0 4\n1 0 2 3\n0 0 0 1\n7 8 9 0\n",
    "TRANSFORMER.yaml": "name: tiny\ntransformer: {layers: 2, hidden: 64, heads: 4, mlp: 128, vocabulary: 1000, sequence: 64}\n",
    "TEXT.txt": "DATA\n1\nlayer -1 10000 NONE 0 10000 NONE 0 10000 ALLREDUCE 65536 5000\n",
}

# A point that fails, and one of each command.
STUDY = """machines: [configs/mesh_2x2.yaml]
run: {size: 1KiB, algorithm: [in_switch, ring]}
traffic: {rate: 0.1, cycles: 200, warmup: 10}
train: {workload: configs/models/small.yaml, dp: 4}
seeds: 5
"""

# Kinds of machines, with --set.
MACHINES = {
    "mesh with I/O controllers": ["configs/mesh.yaml", "fabric.local_latency=3ns", "switch.input_buffer=24 KiB"],
    "torus": ["configs/torus.yaml", "switch.format=bf16", "name='a: \"b\" #c'"],
    "tree of two levels": ["configs/fred_d.yaml", "fabric.middle=4", "fabric.link_latency=7.5 ns",
                           "switch.vc_order=[dp, control, pp, mp]"],
    "tree of three levels": ["configs/fred_64.yaml", "fabric.levels.2.uplink_bandwidth=7200GB/s", "clock=2 GHz"],
    "custom switch": [SMALL, CUSTOM_SWITCH, "fabric.simulate_slices=all", "npu.receive_buffer=8KiB"],
}


def yaml_of(value, indent=""):
    """YAML in block style, as people write it."""
    if isinstance(value, dict):
        return "".join(f"\n{indent}{key}: {yaml_of(inner, indent + '  ')}" for key, inner in value.items())
    if isinstance(value, list):
        return "".join(f"\n{indent}- {json.dumps(inner)}" for inner in value)
    return json.dumps(value)


def processor_seconds(pid):
    """Times of a process that has not been waited for."""
    after_name = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def without(run, *keys):
    return {key: value for key, value in run.items() if key not in keys}


class ResultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(OPTIONS.schema.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.any_of_them = jsonschema.Draft202012Validator(schema)
        cls.of = {command: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
                  for command, kind in [("run", "run"), ("compare", "run"), ("own", "own"), ("traffic", "traffic"),
                                        ("train", "training"),
                                        ("sweep", "sweep"), ("failed", "failed_point"),
                                        ("conflicts", "conflicts"), ("strategies", "strategies"), ("route", "route"),
                                        ("info", "ranks"), ("doctor", "doctor"), ("trace", "trace_info"), ("optimize", "optimize"),
                                        ("optimize --topology", "optimize_topology")]}

        machine_schema = json.loads(OPTIONS.machine_schema.read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(machine_schema)
        cls.machine_file = jsonschema.Draft7Validator(machine_schema)

        # Names stand for paths in a folder.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name, text in FILES.items():
            (cls.folder / name).write_text(text, encoding="utf-8")

    def results(self, *arguments):
        names = {name.split(".")[0] for name in (*FILES, "OUT", "TRACES")}
        arguments = [str(self.folder / word) if word.split(".")[0] in names else word for word in arguments]
        done = subprocess.run([OPTIONS.program, *arguments, "--json", "-"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_valid(self, command, document):
        for error in self.of[command].iter_errors(document):
            self.fail(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        self.assertTrue(self.any_of_them.is_valid(document))

    def test_every_command_keeps_to_the_schema(self):
        for name, arguments in COMMANDS.items():
            with self.subTest(name):
                kind = "optimize --topology" if "--topology" in arguments else arguments[0]
                self.assert_valid(kind, self.results(*arguments))

    def test_a_sweep_does_too(self):
        results = self.folder / "sweep"
        study = self.folder / "study.yaml"
        study.write_text(STUDY, encoding="utf-8")
        done = subprocess.run([OPTIONS.program, "sweep", study, "--results", results, "--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        table = json.loads((results / "table.json").read_text(encoding="utf-8"))
        self.assert_valid("sweep", table)
        self.assertEqual([point["status"] for point in table["points"]], ["failed", "done", "done", "done"])
        for point in table["points"]:
            kind = point["command"] if point["status"] == "done" else "failed"
            self.assert_valid(kind, json.loads((results / "points" / f"{point['point']}.json").read_text(encoding="utf-8")))

    def test_own_npus_do_too(self):
        for config in (MESH, SMALL):
            command = [OPTIONS.own_npu, "--config", config, "--model", "tlm", "--json", "-"]
            document = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            self.assert_valid("own", document)
            self.assertFalse(self.of["run"].is_valid({**document, "command": "fredsim run"}), "has null")

    def test_interrupted_runs_do_too(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "results.json"
            command = [OPTIONS.program, "compare", MESH, SMALL, "-b", "1KiB", "-e", "16GiB", "-f", "16777216", "--no-skip", "--json", file]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
                for line in program.stdout:
                    if line.startswith("fred_small ") and " exact" in line:  # its first run is done
                        break
                program.send_signal(signal.SIGINT)
                program.stdout.read()
            self.assertEqual(program.returncode, 130)
            self.assert_valid("compare", json.loads(file.read_text(encoding="utf-8")))

    def assert_valid_when_interrupted(self, seconds, command, *arguments):
        file = self.folder / "interrupted.json"
        words = [OPTIONS.program, command, *arguments, "--json", file]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
            while processor_seconds(program.pid) < seconds:
                time.sleep(0.02)
            program.send_signal(signal.SIGINT)
        self.assertEqual(program.returncode, 130)
        document = json.loads(file.read_text(encoding="utf-8"))
        self.assert_valid(command, document)
        self.assertTrue(document["runs"][-1]["incomplete"])

    def test_what_is_left_of_commands_does_too(self):
        self.assert_valid_when_interrupted(2, "train", MESH, MESH + "@fabric.link_bandwidth=1MB/s", "--workload",
                                           "configs/models/small.yaml", "--dp", "4", "--no-skip")
        self.assert_valid_when_interrupted(1, "conflicts", "--ports", "32", "--middle", "2,3", "--flows", "1,8", "--trials", "10000000")
        self.assert_valid_when_interrupted(0.7, "strategies", "configs/fred_64.yaml", "--middle", "2,3,4")

    def test_schema_refuses_what_is_not_in_it(self):
        document = self.results(*COMMANDS["run"])
        unknown = copy.deepcopy(document)
        unknown["runs"][1]["links"][0]["colour"] = "red"
        missing = copy.deepcopy(document)
        del missing["runs"][0]["machine"]["npu"]["receive_buffer"]
        other = {**document, "schema": 2}
        for wrong in (unknown, missing, other):
            self.assertFalse(self.any_of_them.is_valid(wrong))

    def test_schema_of_machine_files_refuses_what_fredsim_does(self):
        tree = self.results("run", SMALL, "--size", "512")["runs"][0]["machine"]
        self.assertTrue(self.machine_file.is_valid(tree))
        for section, key, value in [("fabric", "width", 4), ("fabric", "uplinks", 0), ("fabric", "slices", None),
                                    ("npu", "bandwith", "3 TB/s"), ("npu", "bandwidth", "fast"), ("switch", "format", "fp8")]:
            changed = {name: inner for name, inner in {**tree[section], key: value}.items() if inner is not None}
            self.assertFalse(self.machine_file.is_valid({**tree, section: changed}), key)

    def test_machine_is_a_machine_file_that_repeats_the_results(self):
        measured = ("config", "settings", "wall_s", "sim_cycles_per_s")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "machine.yaml"
            for name, (config, *settings) in MACHINES.items():
                with self.subTest(name):
                    options = [word for setting in settings for word in ("--set", setting)]
                    first = self.results("run", config, *options, "--size", "24KiB")["runs"][0]
                    self.assertEqual([error.message for error in self.machine_file.iter_errors(first["machine"])], [])
                    file.write_text(yaml_of(first["machine"]), encoding="utf-8")
                    again = self.results("run", str(file), "--size", "24KiB")["runs"][0]
                    self.assertEqual(without(first, *measured), without(again, *measured))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--own-npu", required=True)
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--machine-schema", required=True, type=pathlib.Path)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["results_test"])
