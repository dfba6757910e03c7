# SPDX-License-Identifier: Apache-2.0
"""licences_test.py FOLDER: the line that names the licence, in every format, and where it is missing."""

import contextlib
import io
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import licences  # noqa: E402

FOLDER = Path(sys.argv.pop())
LINE = licences.IDENTIFIER


class Lines(unittest.TestCase):
    def test_comment_of_every_format(self):
        for names, wanted in ((("a.cpp", "a.h", "a.h.in", "a.sv", "a.vlt", "rtl/a.f", "a.js", "a.proto"), f"// {LINE}"),
                              (("a.py", "a.sh", "CMakeLists.txt", "a.cmake", "a.cmake.in", "a.yaml", "run", ".clang-format"), f"# {LINE}"),
                              (("a.css",), f"/* {LINE} */"), (("a.html",), f"<!-- {LINE} -->")):  # fmt: skip
            for name in names:
                with self.subTest(name=name):
                    self.assertEqual(licences.comment(name), wanted)

    def test_unknown_format(self):
        with self.assertRaisesRegex(SystemExit, "a.bin: found a format that has no comments here; allowed: "):
            licences.comment("a.bin")

    def test_added_in_front(self):
        self.assertEqual(licences.with_line("a.cpp", "int a;\n"), f"// {LINE}\nint a;\n")
        self.assertEqual(licences.with_line("a.py", ""), f"# {LINE}\n")

    def test_added_behind_a_first_line_that_has_to_stay(self):
        for name, first, comment in (("a.sh", "#!/bin/bash", f"# {LINE}"), ("a.html", "<!DOCTYPE html>", f"<!-- {LINE} -->"), ("a.proto", 'syntax = "proto3";', f"// {LINE}")):
            with self.subTest(name=name):
                self.assertEqual(licences.with_line(name, f"{first}\nrest\n"), f"{first}\n{comment}\nrest\n")

    def test_there_already(self):
        for text in (f"// {LINE}\nint a;\n", f"#!/bin/bash\n# {LINE}\n"):
            self.assertEqual(licences.with_line("a.sh", text), text)
        third = f"# a\n# b\n# {LINE}\n"
        self.assertEqual(licences.with_line("a.sh", third), f"# {LINE}\n{third}")

    def test_listed(self):
        self.assertTrue(licences.is_listed("LICENSE", []))
        self.assertTrue(licences.is_listed(".reuse/dep5", []))
        self.assertTrue(licences.is_listed("docs/a.md", ["*.svg", "*.md"]))
        self.assertFalse(licences.is_listed("docs/a.mdx", ["*.md"]))


class Checkouts(unittest.TestCase):
    def setUp(self):
        self.folder = FOLDER / self.id()
        (self.folder / ".reuse").mkdir(parents=True)
        (self.folder / ".reuse" / "dep5").write_text("Format: x\n\nFiles: *.md data/*\nLicense: Apache-2.0\n\nFiles: b.json\n")
        for name, text in (("with.py", f"# {LINE}\n"), ("without.py", "a = 1\n"), ("notes.md", "# Notes\n"), ("b.json", "{}"), ("LICENSE", "Apache\n")):
            (self.folder / name).write_text(text)
        (self.folder / "link.py").symlink_to("without.py")
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        subprocess.run(["git", "add", "."], cwd=self.folder, check=True)
        (self.folder / "not_tracked.py").write_text("b = 1\n")

    def test_patterns(self):
        self.assertEqual(licences.patterns(self.folder), ["*.md", "data/*", "b.json"])

    def test_finds_and_writes(self):
        self.assertEqual(licences.check(self.folder), ["without.py"])
        self.assertEqual((self.folder / "without.py").read_text(), "a = 1\n")
        self.assertEqual(licences.check(self.folder, write=True), ["without.py"])
        self.assertEqual((self.folder / "without.py").read_text(), f"# {LINE}\na = 1\n")
        self.assertEqual(licences.check(self.folder), [])
        self.assertTrue((self.folder / "link.py").is_symlink())

    def test_command(self):
        with mock.patch.object(licences, "CHECKOUT", self.folder), contextlib.redirect_stderr(io.StringIO()) as said:
            with self.assertRaises(SystemExit) as ended:
                licences.main([])
            self.assertEqual((ended.exception.code, said.getvalue()), (1, f"without.py: found no '# {LINE}' in its first two lines\n"))
            licences.main(["--write"])
            licences.main([])


unittest.main()
