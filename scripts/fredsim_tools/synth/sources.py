"""The RTL as text: which modules there are, what each one is built of, and with which parameters."""

import re
from pathlib import Path

# File lists, one per top. A list's last file is the top; lists in it are named here before it.
LISTS = ("rtl/fred/fred_switch.f", "rtl/fred/fred_switch_top.f", "rtl/mesh/mesh_router.f",
         "rtl/reducing_crossbar/reducing_crossbar.f", "rtl/mesh_reducing/mesh_reducing.f", "rtl/aggregator/aggregator.f",
         "rtl/voq_crossbar/voq_crossbar.f", "rtl/common/link_retry.f")

# Modules that are synthesised on their own and put together afterwards. All others are flattened into the
# module that uses them. A large module that is used often belongs here.
PARTS = frozenset((
    "apb_slave", "fp_add", "fred_register_map", "switch_counters",
    "phased_candidates", "phased_control", "phased_input_unit", "phased_join", "phased_join_check", "phased_matcher",
    "fred_online_paths", "phased_output_unit", "fred_paths", "phased_store", "phased_route_ram",
    "fred_port_demux", "fred_port_mux", "fred_r_uswitch", "fred_rd_uswitch",
    "reducing_crossbar_node", "mesh_reducing_routes",
    "aggregator_adder", "aggregator_scheduler", "aggregator_table",
    "voq_arbiter", "voq_input_unit", "voq_list", "voq_scheduler", "voq_crossbar_mux", "voq_crossbar_registers",
    "mesh_allocator", "mesh_input", "mesh_output", "mesh_registers", "mesh_stalls",
))  # fmt: skip


class Sources:
    """The modules of all file lists below a checkout."""

    def __init__(self, checkout):
        self.checkout = Path(checkout)
        self.files = {}  # name of a module or package -> file, relative to the checkout
        for name in LISTS:
            folder = (self.checkout / name).parent
            for line in (self.checkout / name).read_text().splitlines():
                if line.endswith(".sv"):
                    file = (folder / line).resolve().relative_to(self.checkout.resolve())
                    self.files[file.stem] = file
        self._texts = {}

    def modules(self):
        return sorted(name for name in self.files if not name.endswith("_pkg"))

    def tops(self):
        return [Path(name).stem for name in LISTS]

    def text(self, name):
        if name not in self._texts:
            self._texts[name] = (self.checkout / self.files[name]).read_text()
        return self._texts[name]

    def code(self, name):
        """The text without comments."""
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", self.text(name), flags=re.DOTALL)

    def pins(self, name):
        """Its parameters and ports, as text without comments."""
        return re.search(r"\bmodule\b.*?^\);", self.code(name), re.MULTILINE | re.DOTALL)[0]

    def parameters(self, name):
        """Parameters that may be set, in order."""
        return re.findall(r"^\s*parameter\s+[\w\s\[\]:-]*?(\w+)\s*=", self.code(name), re.MULTILINE)

    def below(self, name):
        """Everything that a module is elaborated from, in order of reading."""
        packages, boxes, modules = self.needed(name)
        return list(dict.fromkeys([*packages, *(inner for box in boxes for inner in self.below(box)), *modules]))

    def needed(self, name):
        """What a module is elaborated from, in order of reading: (packages, parts used as black boxes, modules)."""
        packages, boxes, modules = [], [], []

        def add(item, to):
            if item in packages + boxes + modules:
                return
            used = [word for word in dict.fromkeys(re.findall(r"\b\w+\b", self.code(item)))
                    if word in self.files and word != item]  # fmt: skip
            for word in used:
                if word.endswith("_pkg"):
                    add(word, packages)
                elif to is modules:
                    add(word, boxes if word in PARTS else modules)
            to.append(item)

        add(name, modules)
        return packages, boxes, modules
