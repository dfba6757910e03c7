# SPDX-License-Identifier: Apache-2.0
"""comments_test.py FOLDER: comments as the linter finds them in every language, refused openers, and limits by kind of file."""

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
    path.parent.mkdir(parents=True, exist_ok=True)
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

    def test_yaml(self):
        text = "# SPDX-License-Identifier: Apache-2.0\n# A mesh of\n# 4 x 4.\nname: a#b\nnpus: [1, 2]  # by node\n#\n# Links\n"
        for name in ("a.yaml", "a.yml"):
            self.assertEqual(self.found(name, text), [(2, "A mesh of 4 x 4."), (5, "by node"), (7, "Links")])

    def test_no_comments(self):
        text = ("// SPDX-License-Identifier: Apache-2.0\n// Ports.\n#pragma once\nnamespace a {\nint f(int /*of*/);  // NOLINT(x)\n"
                "// clang-format off\n}  // namespace a\n")  # fmt: skip
        self.assertEqual(self.found("a.h", text), [(2, "Ports.")])


class Openers(unittest.TestCase):
    def refused(self, name, text):
        return [comment.line for comment in comments.comments(file(name, text)) if comments.is_refused(comment)]

    def check(self, text, refused):
        with self.subTest(comment=text):
            self.assertEqual(self.refused("word.cpp", f"// {text}\n"), [1] * refused)

    def check_behind_code(self, text, refused):
        with self.subTest(comment=text):
            self.assertEqual(self.refused("word.cpp", f"int a;  // {text}\n"), [1] * refused)

    def test_every_refused_opener(self):
        for word in ("By", "Of", "In", "As", "Such", "So", "Those", "That", "The same", "What", "Where", "Whether", "Who", "Which", "Whose",
                     "From which", "To whose", "For that", "For what", "what", "(of", "`where", "---- who"):  # fmt: skip
            self.check(f"{word} it is", True)
            self.check_behind_code(f"{word} it is", True)
        for word in ("Offers", "Whole", "Wherever", "Bytes", "Inputs", "Asks", "Thosewords", "In-switch trees", "As-is", "From", "To", "For",
                     "The samples", "Solves"):  # fmt: skip
            self.check(f"{word} it is", False)

    def test_one_word(self):
        for text in ("About.", "Dijkstra's.", "--seed.", "rtl/mesh/mesh_router.sv."):
            self.check(text, True)
        for text in ("link", "ports", "Shortest path (Dijkstra)."):
            self.check(text, False)

    def test_adjectives(self):
        for text in ("alike", "Alike.", "sent", "delivered and compared", "not repeated", "still open", "likewise"):
            self.check_behind_code(text, True)
        for text in ("flits sent", "relative error", "one-hot", "read-only", "ascending", "speed", "need"):
            self.check_behind_code(text, False)

    def test_unit_notes(self):
        for text in ("in flits", "by NPU", "by (port, VC)", "by VC and link: flits of a packet", "in CSV, unit included", "in ascending order", "as a mask",
                     "as typed; empty: none", "by destination, as written: 1 + output port"):  # fmt: skip
            self.check_behind_code(text, False)
            self.check(text, True)
        for text in ("by how much it is lowered", "by its output", "as many phases can be in use", "in which it runs", "in the window",
                     "in the order of the phase store", "of maps", "so far", "as many as there are", "by what they come after",
                     "by the same place", "as the parent does", "as on a tree"):  # fmt: skip
            self.check_behind_code(text, True)

    def test_docstrings(self):
        self.assertEqual(self.refused("a.py", '"""What it does."""\n\n\ndef f():\n    """Returns what it does."""\n'), [1])


class Limits(unittest.TestCase):
    def run_on(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as found, contextlib.redirect_stderr(io.StringIO()) as said:
            code = comments.main([str(word) for word in words])
        return code, found.getvalue().splitlines(), said.getvalue()

    def planted(self, name, lines):
        root = FOLDER / name
        for kind in comments.LIMITS:
            file(f"{name}/{kind}/good.h", "// Ports of a node.\n\n" * 100)
        file(f"{name}/rtl/planted.sv", "".join(f"// {line}\n\n" for line in lines))
        return self.run_on("--root", root)

    def test_share_of_refused_openers(self):
        self.assertEqual(self.planted("five", ["Of a node's ports: two."] * 5)[0], 0)  # 5 of 105
        file("six/configs/planted.yaml", "".join("# Of a mesh.\nnpus: 4\n" for _ in range(6)))
        code, found, said = self.planted("six", ["Of a node's ports: two."] * 6)
        self.assertEqual(code, 1)
        self.assertEqual(len(found), 12)
        self.assertEqual(found[0], f"{FOLDER}/six/configs/planted.yaml:1: Of a mesh.")
        self.assertEqual(found[6], f"{FOLDER}/six/rtl/planted.sv:1: Of a node's ports: two.")
        self.assertIn("configs: 106 comments, 418 words\n  refused openers, percent: found 5.66; allowed: 5 at most\n", said)
        self.assertIn("rtl: 106 comments, 430 words\n  refused openers, percent: found 5.66; allowed: 5 at most\n", said)
        self.assertIn("tests: 100 comments, 400 words\n  refused openers, percent: found 0.00; allowed: 5 at most\n", said)

    def test_pronouns(self):
        for pronoun in comments.PRONOUNS:
            with self.subTest(pronoun=pronoun):
                folder = pronoun.replace(" ", "_")
                self.assertEqual(self.planted(folder, [f"Ports of {pronoun} sent."] * 5)[0], 1)
                self.assertIn(f'"{pronoun}" per 1000 words: found ', self.planted(folder, ["Ports of a node."] * 5)[2])
                self.assertEqual(self.planted(folder, ["Ports of a node."] * 5)[0], 0)

    def test_paths_without_limits(self):
        path = file("part/rtl/opens.h", "// Of a node's ports: two.\n\nint a;  // what is sent\n// Offers. What it sends.\n")
        self.assertEqual(self.run_on("--root", FOLDER / "part", path)[:2], (0, [f"{path}:1: Of a node's ports: two.", f"{path}:3: what is sent"]))

    def test_the_checkout(self):
        code, found, said = self.run_on()
        self.assertEqual(code, 0, "\n".join([*found, said]))


unittest.main()
