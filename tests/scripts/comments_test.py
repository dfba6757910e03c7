# SPDX-License-Identifier: Apache-2.0
"""comments_test.py FOLDER: comments as the linter finds them in every language, and those that open without a subject."""

import contextlib
import io
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import comments  # noqa: E402

FOLDER = Path(sys.argv.pop())


def file(name, text):
    path = FOLDER / name
    path.write_text(text, encoding="utf-8")
    return path


class Comments(unittest.TestCase):
    def found(self, name, text):
        return [(comment.line, comment.text) for comment in comments.comments(file(name, text))]

    def test_cpp(self):
        text = ('// Ports of a node:\n// two.\nint a = 1\'000;  // a node\'s unit,\n                // exact\n'
                'int b = 0;  // one\nint c = 0;  // another\n'
                'auto d = "// none";\nauto e = R"x(\n// none\n)x";\nchar f = \'"\';  /// after\n\n/* A block\n   of two. */\n\n// the next')  # fmt: skip
        self.assertEqual(self.found("a.cpp", text), [(1, "Ports of a node: two."), (3, "a node's unit, exact"), (5, "one"), (6, "another"),
                                                     (11, "after"), (13, "A block\n   of two."), (16, "the next")])  # fmt: skip

    def test_systemverilog(self):
        text = '/// Lanes.\nparameter X = 8\'h2f;  // a quote\nif (x == \'0) y = \'1;  // two\n$display("// none");\n'
        self.assertEqual(self.found("a.sv", text), [(1, "Lanes."), (2, "a quote"), (3, "two")])

    def test_python(self):
        text = '#!/usr/bin/python3\n"""Module."""\n\ndef f():\n    """Function.\n    On."""\n    return "# none"  # end\n'
        self.assertEqual(self.found("a.py", text), [(2, "Module."), (5, "Function.\nOn."), (7, "end")])

    def test_shell_and_cmake(self):
        text = "#!/bin/bash\n# One\n# comment.\nn=$#  # trailing\nm=${#n}\n"
        self.assertEqual(self.found("a.sh", text), [(2, "One comment."), (4, "trailing")])
        self.assertEqual(self.found("CMakeLists.txt", text), self.found("a.cmake", text))
        self.assertEqual(self.found("notes.txt", text), [])


class Openings(unittest.TestCase):
    def run_on(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as found, contextlib.redirect_stderr(io.StringIO()):
            code = comments.main([str(word) for word in words])
        return code, found.getvalue().splitlines()

    def test_found_with_file_and_line(self):
        path = file("opens.h", "// Of a node's ports: two.\n\nint a;  // what is sent\n// Offers. What it sends.\n/// (Whose.)\nint b;\n")
        self.assertEqual(self.run_on("--limit", 1, path), (1, [f"{path}:1: Of a node's ports: two.", f"{path}:3: what is sent"]))
        self.assertEqual(self.run_on("--limit", 2, path)[0], 0)

    def test_the_checkout(self):
        code, found = self.run_on()
        self.assertEqual(code, 0, "\n".join(found))

    def test_every_opening_word(self):
        for word in ("What", "Of", "Where", "Whether", "Who", "what", "(of", "`where", "---- who"):
            with self.subTest(word=word):
                self.assertEqual(len(self.run_on(file("word.py", f"a = 1  # {word} it is\n"))[1]), 1)
        for word in ("Offers", "Whole", "Whose", "Wherever", "Whatever"):
            with self.subTest(word=word):
                self.assertEqual(self.run_on(file("word.py", f"a = 1  # {word} it is\n"))[1], [])


unittest.main()
