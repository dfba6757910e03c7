# SPDX-License-Identifier: Apache-2.0
"""sv_format_test.py FOLDER: every rule of the format of SystemVerilog, broken and mended or found; tokens; and the checkout."""

import contextlib
import io
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import sv_format, sv_lexer, sv_syntax  # noqa: E402

FOLDER = Path(sys.argv.pop())


def module(*lines):
    """A module of these lines."""
    return "".join(f"{line}\n" for line in ("module m;", *(f"  {line}" if line else "" for line in lines), "endmodule"))


class Tokens(unittest.TestCase):
    def found(self, text):
        return [token.text for token in sv_lexer.tokens(text)]

    def test_numbers_and_casts(self):
        self.assertEqual(self.found("4'd0+'1-8'hF_f*W'(x)/'z"), ["4'd0", "+", "'1", "-", "8'hF_f", "*", "W", "'", "(", "x", ")", "/", "'z"])

    def test_longest_operator(self):
        self.assertEqual(self.found("a<<=b>>>c<=d**e+:f::g"), ["a", "<<=", "b", ">>>", "c", "<=", "d", "**", "e", "+:", "f", "::", "g"])

    def test_comments_strings_attributes(self):
        self.assertEqual(self.found('(* keep *) x; // a "b"  \n"// c" @(*) /* d\n e */'),
                         ["(* keep *)", "x", ";", '// a "b"', '"// c"', "@", "(", "*", ")", "/* d\n e */"])  # fmt: skip

    def test_escaped_names_end_at_a_blank(self):
        self.assertEqual(self.found("\\a.b[0] , c;"), ["\\a.b[0]", ",", "c", ";"])

    def test_directives_are_lines(self):
        self.assertEqual(self.found("a;\n  `ifdef X // y\nb;"), ["a", ";", "  `ifdef X // y".strip(), "b", ";"])

    def test_places(self):
        self.assertEqual([(t.line, t.column, t.newlines) for t in sv_lexer.tokens("a b\n\n  c /*\n*/ d")],
                         [(1, 0, 1), (1, 2, 0), (3, 2, 2), (3, 4, 0), (4, 3, 0)])  # fmt: skip

    def test_unreadable(self):
        for text, line in (("a\n\x01", 2), ('x = "a\n', 1)):
            with self.assertRaisesRegex(sv_lexer.Unreadable, f"^{line}: "):
                sv_lexer.tokens(text)


class Structure(unittest.TestCase):
    def read(self, text):
        return sv_syntax.read(sv_lexer.tokens(text))

    def test_units_instances_declarations(self):
        source = self.read("module m #(parameter A = 1) (input a_i, output [3:0] b_o);\nsub #(.A(A)) i_sub (.a_i, .b_o(b_o));\n"
                           "p::t x, y [2];\nlogic [1:0] z = f(1);\ncheck(x);\nendmodule\npackage p; endpackage")  # fmt: skip
        self.assertEqual([unit.name.text for unit in source.units], ["m", "p"])
        self.assertEqual([(one.module.text, one.name.text, len(one.connections.elements)) for one in source.instances], [("sub", "i_sub", 2)])
        self.assertEqual([(one.kind, one.name.text) for one in source.declarations], [("port", "a_i"), ("port", "b_o"), ("net", "x"), ("net", "z")])

    def test_brackets_that_do_not_match(self):
        for text in ("module m; assign a = (b]; endmodule", "module m (", "endmodule )"):
            with self.assertRaisesRegex(sv_lexer.Unreadable, "^1: .*without its partner"):
                self.read(text)

    def test_ends_that_are_missing(self):
        with self.assertRaises(sv_lexer.Unreadable):
            self.read("module m; initial begin x = 1; endmodule")


class Mended(unittest.TestCase):
    def becomes(self, text, wanted):
        """The text is found, becomes the wanted one, and that stays as it is; without findings that remain."""
        self.assertNotEqual(text, wanted)
        self.assertEqual(sv_format.formatted(text), (wanted, []))
        self.assertEqual(sv_format.formatted(wanted), (wanted, []))

    def body(self, text, wanted):
        self.becomes(module(*text), module(*wanted))

    def test_indentation_of_blocks(self):
        self.becomes("module m;\nalways_comb begin\nif (a) begin\nfor (int i = 0; i < 2; i++) begin\nb = 1;\nend\nend\nelse begin\ncase (x)\n1: begin\nc = 0;\n"
                     "end\nendcase\nend\nend\nfunction automatic logic f(input logic a);\nf = a;\nendfunction\nendmodule\n",
                     "module m;\n  always_comb begin\n    if (a) begin\n      for (int i = 0; i < 2; i++) begin\n        b = 1;\n      end\n    end else begin\n"
                     "      case (x)\n        1: begin\n          c = 0;\n        end\n      endcase\n    end\n  end\n  function automatic logic f(input logic a);\n"
                     "    f = a;\n  endfunction\nendmodule\n")  # fmt: skip

    def test_indentation_of_statements_under_conditions(self):
        self.body(["always_ff @(posedge c)", "if (a)", "b <= 1;", "else if (d) b <= 2;", "else", "b <= 3;"],
                  ["always_ff @(posedge c)", "  if (a)", "    b <= 1;", "  else if (d) b <= 2;", "  else", "    b <= 3;"])  # fmt: skip

    def test_indentation_of_comments_and_directives(self):
        self.becomes("module m;\n// of a\nassign a = 1;\n  `ifdef X\n initial begin\n// nothing\n  end\n `endif\n// end\nendmodule\n// behind\n",
                     "module m;\n  // of a\n  assign a = 1;\n`ifdef X\n  initial begin\n    // nothing\n  end\n`endif\n  // end\nendmodule\n// behind\n")  # fmt: skip

    def test_statements_of_several_lines(self):
        self.body(["assign a = b &", "  c &", "    (d |", "e);", "assign f = g ? h", ": k ? (x ? y", ": z)", ": w;", "assign l = {", "m,", "n", "};", "logic o,", "p;", "if (q &&", "r) begin : gen_s", "end"],
                  ["assign a = b &", "           c &", "           (d |", "            e);", "assign f = g ? h", "             : k ? (x ? y", "                      : z)", "             : w;", "assign l = {", "  m,", "  n", "};", "logic o,",
                   "      p;", "if (q &&", "    r) begin : gen_s", "end"])  # fmt: skip

    def test_lists_of_modules(self):
        self.becomes("module m #(\n/// a\nparameter int A = 1,\n/// b\nlocalparam int B = 2\n)(\ninput logic a_i,\n// group\noutput logic [3:0] b_o\n);\nendmodule\n",
                     "module m #(\n  /// a\n  parameter int A = 1,\n  /// b\n  localparam int B = 2\n) (\n  input  logic       a_i,\n  // group\n  output logic [3:0] b_o\n);\n"
                     "endmodule\n")  # fmt: skip

    def test_tabs_blanks_and_empty_lines(self):
        self.becomes("module m;  \n\n\n\n\tassign a = 1;\t// b  \n\nendmodule\n\n\n", "module m;\n\n  assign a = 1;  // b\n\nendmodule\n")

    def test_blanks_around_operators(self):
        self.body(["assign a=b+c* -d&&!e||f==g;", "assign h = & i|~ j ?k:l;", "assign {n,o} = {3{p}};", "assign q = (r+1)' (s)<<2;", "always_comb t [u] = v ;"],
                  ["assign a = b + c * -d && !e || f == g;", "assign h = &i | ~j ? k : l;", "assign {n, o} = {3{p}};", "assign q = (r + 1)'(s) << 2;", "always_comb t[u] = v;"])  # fmt: skip

    def test_blanks_in_index_brackets(self):
        self.body(["assign a = b[W*i+:W] | c[ v*P +o-:2 ] | d[P-1 : 0] | e[f?1:0];", "logic [A- 1:0][3:0] g[2][B-1:0];"],
                  ["assign a = b[W*i +: W] | c[v*P + o -: 2] | d[P-1:0] | e[f ? 1 : 0];", "logic [A - 1:0][3:0] g [2][B-1:0];"])  # fmt: skip

    def test_blanks_around_commas_brackets_and_keywords(self):
        self.body(["assign a = f( b ,c ) ;", "always_ff@( posedge clk )if( d )e:assert( g );", "initial $display( \"x\" );", "for(genvar i=0;i<2;i ++)begin:gen_a", "end:gen_a"],
                  ["assign a = f(b, c);", "always_ff @(posedge clk) if (d) e: assert (g);", "initial $display(\"x\");", "for (genvar i = 0; i < 2; i++) begin : gen_a", "end : gen_a"])  # fmt: skip

    def test_names_of_packages_and_escaped_names(self):
        self.body(["assign a = p :: B + s . c;", "(*keep*)  logic  \\i_d.q  , \\i_d.r ;"], ["assign a = p::B + s.c;", "(*keep*) logic \\i_d.q , \\i_d.r ;"])

    def test_columns_of_declarations(self):
        self.body(["logic a;", "// b", "p::t_t b;", "logic [3:0] c;", "", "logic d;", "localparam int E = 1;", "localparam bit [3:0] F = 1;"],
                  ["logic       a;", "// b", "p::t_t      b;", "logic [3:0] c;", "", "logic d;", "localparam int E = 1;", "localparam bit [3:0] F = 1;"])  # fmt: skip
        self.becomes("package p;\n  typedef struct packed {\n  logic [3:0] a;\n  logic b;\n  } t;\nendpackage\n",
                     "package p;\n  typedef struct packed {\n    logic [3:0] a;\n    logic       b;\n  } t;\nendpackage\n")  # fmt: skip

    def test_columns_of_comments(self):
        self.body(["logic a; // one", "logic b;", "logic cc;     // two,", "              // and more", "assign a = 1; // far", "assign cc = 10;  // near"],
                  ["logic a;   // one", "logic b;", "logic cc;  // two,", "           // and more", "assign a = 1;    // far", "assign cc = 10;  // near"])  # fmt: skip

    def test_comments_that_do_not_fit_stay_with_their_code(self):
        long = f"// {'x' * 100}"
        self.body([f"assign a = 1;   {long}", "assign b = 23456; // y"], [f"assign a = 1;  {long}", "assign b = 23456;  // y"])

    def test_columns_of_case_items(self):
        self.body(["always_comb", "case (a)", "1: b = 1;", "22 : b = 2;  // c", "default:  b = 3;", "endcase"],
                  ["always_comb", "  case (a)", "    1:       b = 1;", "    22:      b = 2;  // c", "    default: b = 3;", "  endcase"])  # fmt: skip

    def test_instances_on_one_line(self):
        self.body(["sub #(", "  .A(A)", ") i_sub (", "  .clk_i, .a_i  (a),", "  .b_o  (b)", ");"], ["sub #(.A(A)) i_sub (.clk_i, .a_i(a), .b_o(b));"])

    def test_instances_of_several_lines(self):
        a, b = "a" * 40, "b" * 60
        self.body(["sub #(.A(A), .B(B)) i_sub (.clk_i,", f".long_i({a}), .b_o({b}));"],
                  ["sub #(.A(A), .B(B)) i_sub (", "  .clk_i,", f"  .long_i({a}),", f"  .b_o   ({b})", ");"])  # fmt: skip
        self.body([f"sub #(.AA({a}), .B({b}), .C(1)) i_sub (.clk_i);"],
                  ["sub #(", f"  .AA({a}),", f"  .B ({b}),", "  .C (1)", ") i_sub (", "  .clk_i", ");"])  # fmt: skip
        self.body(["sub i_sub (", "// inputs", ".clk_i, .a_i(a), // b", ".c_i(", "c)", ");"],
                  ["sub i_sub (", "  // inputs", "  .clk_i,", "  .a_i(a),  // b", "  .c_i(c)", ");"])  # fmt: skip

    def test_begin_and_else(self):
        self.body(["always_comb", "begin", "if (a)", "begin", "b = 1;", "end", "else", "begin", "b = 0;", "end", "end"],
                  ["always_comb begin", "  if (a) begin", "    b = 1;", "  end else begin", "    b = 0;", "  end", "end"])  # fmt: skip


class Remaining(unittest.TestCase):
    def finds(self, text, *wanted, name=None):
        self.assertEqual(sv_format.formatted(text, name), (text, list(wanted)))

    def test_columns(self):
        self.finds(f"// {'x' * 117}\n")
        self.finds(f"// x {'x' * 116}\n", (1, "found 121 columns; allowed: 120"))
        self.finds(f"// {'x' * 118}\n")  # one word that cannot be broken

    def test_tabs_in_comments(self):
        self.finds("// a\tb\n", (1, "found a tab"))

    def test_comments_before_begin(self):
        self.finds(module("initial  // a", "begin", "end"), (3, "found a comment in front of begin; allowed: begin on a line that is begun"))

    def test_names_of_instances(self):
        self.finds(module("sub u_sub (.clk_i);"), (2, "found the instance u_sub; allowed: i_*"))

    def test_labels(self):
        self.finds(module("if (A) begin : a", "end else begin", "end", "always_comb begin : any", "end"),
                   (2, "found the generate block a; allowed: gen_*"), (3, "found the generate block without a label; allowed: gen_*"))  # fmt: skip

    def test_ports(self):
        self.finds("module m (\n  input  logic a_i,\n  input  logic rst_ni,\n  output logic b_o,\n  output logic c_no,\n  output logic d\n);\nendmodule\n",
                   (6, "found the port d; allowed: *_i, *_o, *_ni, *_no"))  # fmt: skip

    def test_parameters(self):
        self.finds("module m #(\n  /// one\n  parameter int A = 1,\n  // two\n  parameter int B = 2,\n  localparam int C = 3\n);\nendmodule\n",
                   (5, "found a parameter without a /// line above"), (6, "found a parameter without a /// line above"))  # fmt: skip

    def test_an_included_file_stands_in_its_list(self):
        text = 'module m #(\n  /// one\n  parameter int A = 1,\n  `include "p.svh"\n) (\n  `include "q.svh"\n  output logic b_o\n);\nendmodule\n'
        self.assertEqual(sv_format.formatted(text.replace("  `", "`")), (text, []))
        self.assertEqual(sv_format.formatted(text), (text, []))

    def test_parts_of_lists(self):
        ports = "// Pins.\n  input  logic       a_i,\n  output logic [1:0] b_o,\n"
        self.assertEqual(sv_format.formatted_part(ports.replace("       a_i", " a_i")), (ports, []))
        self.assertEqual(sv_format.formatted_part(ports.replace("a_i", "a")), (ports.replace("a_i", "a"), [(2, "found the port a; allowed: *_i, *_o, *_ni, *_no")]))
        parameters = "// Numbers.\n// Two.\n  /// one\n  parameter int A = 1,\n  localparam int B = 2\n"
        self.assertEqual(sv_format.formatted_part(parameters), (parameters, [(5, "found a parameter without a /// line above")]))

    def test_one_unit_of_the_files_name(self):
        self.finds(module(), name="m")
        self.finds(module(), (1, "found the modules m; allowed: one, n"), name="n")
        self.finds(module() + module(), (1, "found the modules m, m; allowed: one, m"), name="m")
        self.finds("// a\n", (1, "found the modules none; allowed: one, m"), name="m")


class Command(unittest.TestCase):
    def run_on(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as found, contextlib.redirect_stderr(io.StringIO()):
            code = sv_format.main([str(word) for word in words])
        return code, found.getvalue()

    def file(self, name, text):
        path = FOLDER / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_checks_and_writes(self):
        path = self.file("m.sv", "module m;\nassign a=1;\nendmodule\n")
        code, found = self.run_on(path)
        self.assertEqual((code, "-assign a=1;\n+  assign a = 1;" in found), (1, True))
        self.assertEqual(self.run_on("--write", path), (0, ""))
        self.assertEqual(path.read_text(), module("assign a = 1;"))
        self.assertEqual(self.run_on(FOLDER / "m.sv"), (0, ""))

    def test_what_remains(self):
        path = self.file("n.sv", "module n;\nsub u_a(.b);\nendmodule\n")
        self.assertEqual(self.run_on("--write", path), (1, f"{path}:2: found the instance u_a; allowed: i_*\n"))
        self.assertEqual(path.read_text(), "module n;\n  sub u_a (.b);\nendmodule\n")

    def test_what_is_not_read(self):
        path = self.file("o.sv", "module o;\nassign a = (b;\nendmodule\n")
        code, found = self.run_on("--write", path)
        self.assertEqual((code, found), (1, f"{path}:2: found ( without its partner\n"))

    def test_other_tokens_are_never_written(self):
        text = "module p;\nassign a = b;\nendmodule\n"
        path = self.file("p.sv", text)
        write = sv_format._Writer.write
        try:
            sv_format._Writer.write = lambda writer: write(writer).replace("= b", "= c")
            code, found = self.run_on("--write", path)
        finally:
            sv_format._Writer.write = write
        self.assertEqual((code, found), (1, f"{path}:the tokens would change: a mistake of sv_format\n"))
        self.assertEqual(path.read_text(), text)


class Checkout(unittest.TestCase):
    def test_a_second_time_changes_nothing(self):
        files = [file for folder in sv_format.FOLDERS for file in (CHECKOUT / folder).rglob("*.sv")]
        self.assertTrue([file for folder in sv_format.FOLDERS for file in (CHECKOUT / folder).rglob("*.svh")])
        self.assertGreater(len(files), 50)
        for file in files:
            with self.subTest(file=file):
                better, _ = sv_format.formatted(file.read_text(encoding="utf-8"))
                self.assertEqual(sv_format.formatted(better)[0], better)


unittest.main()
