# SPDX-License-Identifier: Apache-2.0
"""--timeline FILE.pftrace: a trace of Perfetto with the tracks, events and arrows of the JSON, read by the wire format and Perfetto's own field numbers."""

import argparse
import json
import math
import random
import struct
import subprocess
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path
from typing import Any

PROGRAM = ""
Message = dict[int, list[Any]]


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data: bytes) -> Message:
    """Values by field number; of length-delimited ones the bytes."""
    found: Message = defaultdict(list)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        value: Any
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise AssertionError(f"wire type {kind}")
        found[number].append(value)
    assert at == len(data)
    return found


def text(message: Message, number: int) -> str:
    return message[number][0].decode() if message[number] else ""


def annotations(event: Message) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in map(fields, event[4]):
        found[text(one, 10)] = one[3][0] if one[3] else text(one, 6)
    return found


class Trace:
    """Spans, instants, counters and arrows of a file, by names of processes and tracks."""

    def __init__(self, data: bytes) -> None:
        self.tracks: dict[int, tuple[str, str]] = {}
        self.order: list[tuple[int, tuple[str, str]]] = []
        self.spans: list[tuple[Any, ...]] = []
        self.ends: dict[tuple[Any, ...], int] = {}
        self.instants: list[tuple[Any, ...]] = []
        self.counters: list[tuple[Any, ...]] = []
        self.arrows: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        self.terminated: set[int] = set()
        self.file: dict[str, Any] = {}
        processes: dict[int, str] = {}
        open_spans: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        last = 0
        packets = [fields(packet) for packet in fields(data)[1]]
        assert packets[0][13] == [1], "the first packet clears the state"
        for packet in packets:
            assert packet[10] == [1], "one sequence"
            for track in map(fields, packet[60]):
                uuid = track[1][0]
                assert uuid not in self.tracks and uuid != 0
                if track[3]:
                    process = fields(track[3][0])
                    processes[process[1][0]] = text(process, 6)
                    self.tracks[uuid] = (text(process, 6), "")
                elif track[4]:
                    thread = fields(track[4][0])
                    self.tracks[uuid] = (processes[thread[1][0]], text(thread, 5))
                    self.order.append((thread[3][0], self.tracks[uuid]))
                else:
                    self.tracks[uuid] = (self.tracks[track[5][0]][0] if track[5] else "", text(track, 2))
            for event in map(fields, packet[11]):
                time = packet[8][0]
                assert time >= last, "in the order of time"
                last = time
                uuid = event[11][0]
                name = self.tracks[uuid]
                kind = event[9][0]
                if kind == 1:
                    span = (name, time, text(event, 23), text(event, 22), json.dumps(annotations(event), sort_keys=True))
                    assert not open_spans[uuid], f"spans of {name} do not overlap"
                    open_spans[uuid].append(span)
                    self.spans.append(span)
                    for number in (47, 48):
                        for flow in event[number]:
                            key = struct.unpack("<Q", flow)[0]
                            assert key not in self.terminated
                            self.arrows[key].append((name, time))
                            if number == 48:
                                self.terminated.add(key)
                elif kind == 2:
                    self.ends[open_spans[uuid].pop()] = time
                elif kind == 4:
                    self.counters.append((name, time, struct.unpack("<d", event[44][0])[0]))
                elif name == ("", "fredsim"):
                    self.file = annotations(event)
                else:
                    self.instants.append((name, time, text(event, 23), text(event, 22), json.dumps(annotations(event), sort_keys=True)))
        assert not any(open_spans.values())


class PerfettoTest(unittest.TestCase):
    def run_both(self, *words: str, code: int = 0) -> tuple[dict[str, Any], Trace]:
        """One run for each of the files."""
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / "t.json", Path(folder) / random.choice(["t.pftrace", "t.perfetto-trace"])]
            for file in files:
                done = subprocess.run([PROGRAM, *words, "--quiet", "--timeline", str(file)], capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stderr)
            return json.loads(files[0].read_text(encoding="utf-8")), Trace(files[1].read_bytes())

    def compare(self, expected: dict[str, Any], found: Trace) -> None:
        events = expected["traceEvents"]
        processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}

        def name_of(e: dict[str, Any]) -> tuple[str, str]:
            return processes[e["pid"]], threads.get((e["pid"], e["tid"]), "")

        def ns(us: float) -> int:
            return math.floor(us * 1000)

        def entry(e: dict[str, Any]) -> tuple[Any, ...]:
            return name_of(e), ns(e["ts"]), e["name"], e["cat"], json.dumps(e["args"], sort_keys=True)

        spans = [e for e in events if e["ph"] == "X"]
        self.assertEqual(sorted(map(entry, spans)), sorted(found.spans))
        for e in spans:
            end = found.ends[entry(e)]
            self.assertLessEqual(abs(end - (e["ts"] + e["dur"]) * 1000), 1)
        instants = [e for e in events if e["ph"] == "i" and e["cat"] != "failures"]
        failures = [((processes[e["pid"]], ""), *entry(e)[1:]) for e in events if e.get("cat") == "failures"]
        self.assertEqual(sorted([*map(entry, instants), *failures]), sorted(found.instants))
        counters = [((processes[e["pid"]], f"{e['name']} {key}"), ns(e["ts"]), float(value))
                    for e in events if e["ph"] == "C" for key, value in e["args"].items()]  # fmt: skip
        self.assertEqual(sorted(counters), sorted(found.counters))
        arrows = defaultdict(list)
        for e in events:
            if e["ph"] in "stf":
                arrows[e["id"]].append((name_of(e), ns(e["ts"])))
        for key, places in arrows.items():
            # A place within a span is an arrow to its beginning.
            begins = [(name, max(time for n, time, *_ in found.spans if n == name and time <= at)) for name, at in places]
            self.assertEqual(list(dict.fromkeys(begins)), found.arrows[key])
        self.assertEqual(set(arrows), set(found.arrows))
        self.assertEqual(set(arrows), found.terminated)
        self.assertEqual([name for _, name in sorted(found.order)],
                         [(processes[pid], name) for (pid, _), name in sorted(threads.items(), key=lambda item: item[0][1])])  # fmt: skip
        self.assertEqual(found.file["max_events"], expected["otherData"]["max_events"])
        self.assertEqual({key.removeprefix("left_out."): value for key, value in found.file.items() if key.startswith("left_out.")},
                         expected["otherData"]["left_out"])  # fmt: skip
        self.assertEqual(found.file.get("failed"), expected["otherData"].get("failed"))

    def test_runs(self) -> None:
        for words in (["run", "mesh_2x2", "--size", "20000", "--timeline-level", "3"],
                      ["run", "fred_small", "-b", "512", "-e", "4KiB", "-f", "8", "--timeline-level", "3"],
                      ["compare", "mesh_2x2", "fred_2x2", "--size", "8KiB", "--timeline-level", "2"],
                      ["run", "fred_small", "--size", "16KiB"]):  # fmt: skip
            with self.subTest(words=words):
                expected, found = self.run_both(*words)
                self.compare(expected, found)
                self.assertTrue(found.spans)
                self.assertEqual(bool(found.arrows), "--timeline-level" in words)

    def test_training(self) -> None:
        expected, found = self.run_both("train", "mesh_2x2", "--workload", "small", "--mp", "2", "--dp", "2")
        self.compare(expected, found)
        self.assertTrue(found.arrows)

    def test_a_failed_run(self) -> None:
        expected, found = self.run_both("run", "fred_small", "--size", "64KiB", "--timeout-cycles", "100", code=1)
        self.compare(expected, found)
        self.assertIn("failed", found.file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program
    random.seed(74)
    unittest.main(argv=["perfetto_test.py", *rest])
