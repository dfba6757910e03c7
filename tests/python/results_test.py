# SPDX-License-Identifier: Apache-2.0
"""Results as objects: every key as an attribute of the type that the class says, arrays, frames, JSON."""

import html.parser
import json
import subprocess
import sys
import tempfile
import types
import typing
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import numpy.typing
import pandas
from command import fredsim as command

import fredsim
from fredsim import records

MACHINES = ["configs/mesh_2x2.yaml", "configs/fred_small.yaml"]


def is_of(value: Any, kind: Any) -> bool:
    """A value is of an annotated type, containers by their contents."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(is_of(value, one) for one in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(is_of(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(is_of(one, arguments[1]) for one in value.values())
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, origin or kind)


class ResultsTest(unittest.TestCase):
    seen: set[str]

    def check(self, record: fredsim.Record) -> None:
        self.seen.add(type(record).__name__)
        for key, value in record.items():
            name = key if hasattr(record, key) else f"{key}_"
            attribute = getattr(record, name)
            kind = typing.get_type_hints(getattr(type(record), name).fget, localns={"NDArray": numpy.typing.NDArray})["return"]
            self.assertTrue(is_of(attribute, kind), f"{type(record).__name__}.{name}: {attribute!r} is no {kind}")
            if isinstance(attribute, fredsim.Record):
                self.check(attribute)
            elif isinstance(attribute, fredsim.Records):
                self.assertEqual(len(attribute), len(value))
                for one in attribute:
                    self.check(one)
            else:
                self.assertEqual(attribute.tolist() if isinstance(attribute, numpy.ndarray) else attribute, value)

    def test_every_key_is_an_attribute(self) -> None:
        self.seen = set()
        self.check(fredsim.compare(MACHINES, size="16KiB", breakdown=True, trace_packets=2, best_base=True, series=100))
        self.check(fredsim.run("configs/fred_d.yaml", work="configs/paper/mp2_dp5_pp2_dp.yaml", size="8KiB", on_conflict="later", strategy="mp2-dp5-pp2", placement="paper"))
        self.check(fredsim.traffic(MACHINES[0], [0.1, 0.9], breakdown=True, series=1000))
        self.check(fredsim.train(MACHINES, "configs/models/small.yaml", mp=2, dp=2, compute_rate="10PFLOP/s"))
        self.check(fredsim.sweep({"machines": MACHINES, "run": {"size": "1KiB"}}))
        self.assertGreaterEqual(self.seen, {"RunResults", "CollectiveRun", "Part", "Link", "Switch", "Stalls", "TrafficRun", "TrainingRun", "Rank",
                                            "BreakdownPacket", "SweepPoint", "Saturation", "Node"})  # fmt: skip

    def test_every_key_of_the_schema_has_one(self) -> None:
        schema = json.loads(command("schema", "results").stdout)
        documents = [entry["$ref"].rpartition("/")[2] for entry in schema["anyOf"]]
        for name, definition in schema["$defs"].items():
            if name == "machine" or name == "own" or name.startswith("own_"):
                continue
            kind = getattr(records, "".join(map(str.capitalize, name.split("_"))) + ("Results" if name in documents else ""))
            for key, of_key in definition["properties"].items():
                of_class = getattr(kind, key, None) or getattr(kind, f"{key}_")
                self.assertEqual(of_class.__doc__, of_key["description"])

    def test_keys_that_are_not_there(self) -> None:
        run = fredsim.run(MACHINES[1], size="1KiB").runs[0]
        self.assertIsNone(run.speedup)
        self.assertFalse(run.incomplete)
        self.assertNotIn("speedup", run)
        with self.assertRaises(AttributeError):
            run.speedup_factor  # type: ignore[attr-defined]
        with self.assertRaises(KeyError):
            run["speedup"]

    def test_columns(self) -> None:
        found = fredsim.compare(MACHINES, begin="1KiB", end="4KiB", factor=2)
        times = found.column("time_ns")
        self.assertEqual(times.dtype, float)
        self.assertEqual(times.tolist(), [run["time_ns"] for run in found["runs"]])
        self.assertEqual(found.column("fabric").tolist(), ["mesh_2x2"] * 3 + ["fred_small"] * 3)
        self.assertTrue(numpy.isnan(found.column("speedup")[:3]).all())
        self.assertEqual(found.column("traffic.link_bytes").tolist(), [run["traffic"]["link_bytes"] for run in found["runs"]])
        with self.assertRaisesRegex(KeyError, "found 'time'; allowed: .*time_ns"):
            found.column("time")

    def test_frames(self) -> None:
        found = fredsim.compare(MACHINES, size="4KiB")
        frame = found.to_frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame["time_ns"].tolist(), found.column("time_ns").tolist())
        self.assertEqual(found.runs[0].links.to_frame()["bytes"].sum(), found.runs[0].links.column("bytes").sum())
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, r"^to_frame\(\): no pandas found; allowed: install it \(Debian: python3-pandas\)"):
                found.to_frame()

    def test_pandas_is_not_needed_before(self) -> None:
        code = "import sys; sys.modules['pandas'] = None; import fredsim; print(fredsim.run('configs/fred_small.yaml', size=512).runs[0].payload)"
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("exact\n", ""))

    def test_arrow_needs_pyarrow_and_says_so(self) -> None:
        found = fredsim.compare(MACHINES, size="1KiB")
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, {"pyarrow": None, "pyarrow.parquet": None}):
            path = Path(folder) / "runs.parquet"
            for results in (found, found.runs, found.runs[0].links):
                with self.assertRaisesRegex(ImportError, r"^to_arrow\(\): found no pyarrow \(.*\); allowed: install it: \S+ -m pip install pyarrow"):
                    results.to_arrow()
                with self.assertRaisesRegex(ImportError, r"^to_parquet\(\): found no pyarrow"):
                    results.to_parquet(path)
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_what_pyarrow_is_given(self) -> None:
        found = fredsim.compare(MACHINES, size="1KiB", series=50)
        arrow, parquet = mock.MagicMock(), mock.MagicMock()
        arrow.array = list
        parquet.write_table = lambda table, path, **options: Path(path).write_text(f"{table} {options}", encoding="utf-8")
        arrow.parquet = parquet
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, {"pyarrow": arrow, "pyarrow.parquet": parquet}):
            found.to_arrow()
            columns = arrow.table.call_args.args[0]
            self.assertEqual(columns["time_ns"], found.column("time_ns").tolist())
            self.assertEqual(columns["speedup"], [None, found.runs[1].speedup])
            self.assertEqual(columns["traffic.link_bytes"], found.column("traffic.link_bytes").tolist())
            self.assertNotIn("machine.name", columns)
            self.assertEqual(arrow.table.return_value.replace_schema_metadata.call_args.args[0]["fredsim.fredsim"], found.fredsim)
            series = found.runs[1].series
            assert series is not None
            series.links.to_arrow()
            self.assertEqual(arrow.table.call_args.args[0]["flits"], [link["flits"] for link in series.links])
            path = Path(folder) / "runs.parquet"
            found.to_parquet(path, compression="zstd")
            self.assertIn("{'compression': 'zstd'}", path.read_text(encoding="utf-8"))
            path.chmod(0o640)
            found.runs.to_parquet(str(path))
            self.assertEqual(path.stat().st_mode & 0o777, 0o640)
            with self.assertRaisesRegex(fredsim.BadInput, r"^to_parquet\(\): found '.*/no/x.parquet', No such file or directory; allowed: "):
                found.to_parquet(Path(folder) / "no" / "x.parquet")
            parquet.write_table = mock.Mock(side_effect=OSError(28, "No space left on device"))
            with self.assertRaisesRegex(fredsim.BadInput, "No space left on device; allowed: a file that can be written"):
                found.to_parquet(Path(folder) / "full.parquet")
            self.assertEqual([file.name for file in Path(folder).iterdir()], ["runs.parquet"])

    def test_arrow_and_parquet(self) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            self.skipTest("no pyarrow, of which Debian 12 has no package")
        found = fredsim.compare(MACHINES, begin="1KiB", end="4KiB", factor=2, series=50)
        with tempfile.TemporaryDirectory() as folder:
            for results in (found, found.runs[0].links, found.runs[0].series.links, fredsim.traffic(MACHINES[0], [0.1, 0.9])):
                table = results.to_arrow()
                self.assertIsInstance(table, pyarrow.Table)
                results.to_parquet(Path(folder) / "runs.parquet")
                self.assertTrue(pyarrow.parquet.read_table(Path(folder) / "runs.parquet").equals(table))
        table = found.to_arrow()
        self.assertEqual(table["time_ns"].to_pylist(), found.column("time_ns").tolist())
        self.assertEqual(table["speedup"].null_count, 3)
        self.assertEqual(table.schema.metadata[b"fredsim.fredsim"].decode(), found.fredsim)

    def test_json_and_files(self) -> None:
        found = fredsim.run(MACHINES[1], size="1KiB")
        self.assertEqual(json.loads(found.to_json()), found.to_dict())
        with tempfile.TemporaryDirectory() as folder:
            for results in (found, fredsim.traffic(MACHINES[0], 0.1), fredsim.sweep({"machines": MACHINES, "run": {"size": "1KiB"}}),
                            fredsim.train(MACHINES[0], "configs/models/small.yaml", mp=2, dp=2, compute_rate="10PFLOP/s")):  # fmt: skip
                path = Path(folder) / "results.json"
                path.write_text(results.to_json(2), encoding="utf-8")
                self.assertEqual(fredsim.load(path), results)
                self.assertIs(type(fredsim.load(path)), type(results))

    def test_html(self) -> None:
        found = fredsim.compare([MACHINES[1], f"{MACHINES[1]}@name=<b>"], size="1KiB")
        for shown in (found, found.runs, found.runs[0], found.runs[0].links, fredsim.Machine(MACHINES[0])):
            tags: list[str] = []
            parser = html.parser.HTMLParser()
            parser.handle_starttag = lambda tag, _: tags.append(tag)  # type: ignore[method-assign]
            parser.feed(shown._repr_html_())
            self.assertIn("td", tags)
            self.assertNotIn("b", tags)


if __name__ == "__main__":
    unittest.main()
