#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of keys: the schemas made from them take the files of the tree and examples that have every key; fredsim reads every key,
and refuses other keys with their line.

  file_keys_test.py --program build/fredsim
"""

import argparse
import copy
import json
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

TRAIN = ["train", "configs/mesh_2x2.yaml", "--engine", "flow", "--mp", "2", "--dp", "2"]
TRANSFORMER = {"layers": 2, "hidden": 64, "heads": 4, "mlp": 96, "vocabulary": 100, "sequence": 32}
EXPERTS = {"name": "experts", "transformer": {**TRANSFORMER, "experts": 4, "top_k": 2}}
# A machine whose graph is FILE.
GRAPH = "name: graph\nclock: auto\nnpu: {receive_buffer: auto}\nswitch: {input_buffer: auto}\nfabric: {type: graph, graph: FILE}\n"

# Per kind: the command that reads a file, examples that together have every key, files of the tree.
KINDS = {
    "model": ([*TRAIN, "--workload", "FILE"], [
        {"name": "layers", "sample": "4 KiB", "layers": [
            {"name": "a", "parameters": 40e3, "flops": 80e6, "output": "8 KiB", "reduces": True, "repeat": 2, "forward": "200 ns",
             "backward": "400 ns"}]},
        {"name": "heads", "transformer": {**TRANSFORMER, "kv_heads": 2, "head_size": 16, "mlp_matrices": 3}},
        {"name": "experts", "transformer": {**TRANSFORMER, "kv_rank": 16, "rope_size": 8, "q_rank": 16, "experts": 4, "top_k": 2,
                                            "expert_mlp": 32, "shared_experts": 1, "dense_layers": 1}}],
              ["configs/models/*.yaml", "docs/gallery/files/my_model.yaml", "docs/gallery/files/two_layers.yaml"]),
    "work": (["run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--work", "FILE"], [[
        {"name": "a", "collective": "all_reduce", "groups": [[0, 1], ["2-3"]], "size": "8KiB", "priority": "mp", "repeat": 2, "delay": 20},
        {"name": "b", "collective": "broadcast", "algorithm": "auto", "root": 1, "after": "a", "start": "100 ns"},
        {"collective": "all_gather", "groups": "all", "after": ["a", {"name": "b", "rank": "all"}]},
        {"collective": "multicast", "size": "8KiB", "roots": 1}]],
             ["configs/works/*.yaml", "configs/paper/mp*.yaml", "configs/paper/streaming*.yaml", "docs/gallery/files/my_groups.yaml", "docs/gallery/files/my_algorithm*.yaml"]),
    "placement": (["run", "configs/mesh_2x2.yaml", "--size", "1KiB", "--placement", "FILE"], [[3, 2, 1, 0]], []),
    "router": ([*TRAIN, "--workload", "EXPERTS", "--ep", "2", "--router", "FILE"], [
        {"rows": "layers", "shares": [[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25]]}, {"rows": "all", "tokens": [[5, 2, 1, 9]]}], []),
    "expert_placement": ([*TRAIN, "--workload", "EXPERTS", "--ep", "2", "--expert-placement", "FILE"], [{"layers": [[[0, 1], [2, 3]]]}], []),
    "graph": (["info", "GRAPH"], [{
        "nodes": [{"name": "a", "kind": "npu", "count": 4}, {"name": "s", "kind": "switch"}],
        "links": [{"from": "a", "to": "s", "bandwidth": "100 GB/s", "latency": "200 ns", "efficiency": 0.9, "count": 1, "one_way": False}]}],
              []),
    "study": (["sweep", "FILE", "--list"], [{
        "name": "study", "machines": ["configs/mesh_2x2.yaml", {"file": "configs/fred_small.yaml", "settings": {"fabric.middle": 2}}],
        "settings": {"npu.bandwidth": ["1 TB/s", "2 TB/s"], "fabric.link_latency": ["1 ns", "2 ns"]}, "run": {"size": "1KiB"},
        "traffic": {"rate": 0.1}, "train": {"workload": "configs/models/small.yaml"}, "seeds": "1:3",
        "zip": [["npu.bandwidth", "fabric.link_latency"]], "exclude": [{"seed": 2}]}],
              ["configs/studies/*.yaml"]),
}
# Lists of items other than keys, and values that no file has.
NO_KEYS = ("settings", "run", "traffic", "train", "exclude")
WRONG = {"no": {"such": "value"}}


def maps_of(value, path=()):
    """Paths of the maps in an example whose keys have rows, each with the path of its rows."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            if key not in NO_KEYS:
                yield from maps_of(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from maps_of(inner, (*path, place))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def rows_of(schema, path=""):
    """Paths of all keys of a schema, without the numbers of entries."""
    schema = schema.get("items", schema)
    for key, inner in schema.get("properties", {}).items():
        yield f"{path}{key}"
        yield from rows_of(inner, f"{path}{key}.")


class FileKeysTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "experts.yaml").write_text(yaml.safe_dump(EXPERTS), encoding="utf-8")
        (cls.folder / "graph.yaml").write_text(GRAPH.replace("FILE", "file.yaml"), encoding="utf-8")
        cls.schemas = {}
        for kind in KINDS:
            done = subprocess.run([OPTIONS.program, "schema", kind], capture_output=True, text=True, check=True)
            schema = json.loads(done.stdout)
            jsonschema.Draft7Validator.check_schema(schema)
            cls.schemas[kind] = jsonschema.Draft7Validator(schema)

    def read(self, kind, document):
        """Exit code and messages of fredsim with this file."""
        file = self.folder / "file.yaml"
        file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        names = {"FILE": file, "EXPERTS": self.folder / "experts.yaml", "GRAPH": self.folder / "graph.yaml"}
        command = [names.get(word, word) for word in KINDS[kind][0]]
        done = subprocess.run([OPTIONS.program, *command], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    @staticmethod
    def examples():
        return [(kind, document) for kind, (_, documents, _) in KINDS.items() for document in documents]

    def test_schemas_take_the_files_of_the_tree(self):
        for kind, (_, _, patterns) in KINDS.items():
            for pattern in patterns:
                files = sorted(pathlib.Path().glob(pattern))
                self.assertTrue(files, pattern)
                for file in files:
                    document = yaml.safe_load(file.read_text(encoding="utf-8"))
                    errors = [error.message[:200] for error in self.schemas[kind].iter_errors(document)]
                    self.assertEqual(errors, [], file)

    def test_schemas_and_fredsim_take_the_examples(self):
        for kind, document in self.examples():
            self.assertEqual([error.message for error in self.schemas[kind].iter_errors(document)], [])
            self.assertEqual(self.read(kind, document)[0], 0, self.read(kind, document)[1])

    def test_examples_have_every_key(self):
        for kind, (_, documents, _) in KINDS.items():
            if kind == "study":  # keys of its commands are options
                continue
            found = set()
            for document in documents:
                for path in maps_of(document):
                    prefix = "".join(f"{key}." for key in path if isinstance(key, str))
                    found.update(f"{prefix}{key}" for key in at(document, path))
            self.assertEqual(set(rows_of(self.schemas[kind].schema)) - found, set(), kind)

    def test_every_key_is_read(self):
        for kind, document in self.examples():
            for path in maps_of(document):
                for key in at(document, path):
                    changed = copy.deepcopy(document)
                    at(changed, path)[key] = WRONG
                    code, message = self.read(kind, changed)
                    self.assertEqual(code, 2, f"{kind}: {path} {key}: {message}")
                    self.assertIn("file.yaml:", message)

    def test_other_keys_are_refused_with_their_line(self):
        for kind, document in self.examples():
            for path in maps_of(document):
                changed = copy.deepcopy(document)
                at(changed, path)["no_such_key"] = 1
                self.assertFalse(self.schemas[kind].is_valid(changed), f"{kind}: {path}")
                code, message = self.read(kind, changed)
                self.assertEqual(code, 2, message)
                lines = yaml.safe_dump(changed, sort_keys=False).splitlines()
                line = next(number for number, text in enumerate(lines, 1) if "no_such_key" in text)
                self.assertIn(f"file.yaml:{line}: ", message)
                self.assertIn("'no_such_key'", message)

    def test_names_of_others_are_known(self):
        for name, advice in [("num_key_value_heads", "kv_heads"), ("hiddn", "hidden"), ("kv_lora_rank", "kv_rank")]:
            code, message = self.read("model", {"name": "m", "transformer": {**TRANSFORMER, name: 2}})
            self.assertEqual(code, 2)
            self.assertIn(f"found the key '{name}'; did you mean '{advice}'?", message)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["file_keys_test"])
