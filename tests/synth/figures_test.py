# SPDX-License-Identifier: Apache-2.0
"""figures_test.py KIND FOLDER: area and longest path of a kind's tops at small sizes, against figures.json beside this.

After a change of the RTL that is meant, `figures_test.py KIND FOLDER --write` writes the measured values into figures.json.
"""

import json
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).with_name("figures.json")
TOPS = {
    "fred": ("fred_switch:P=2,M=2,LANES=4", "fred_interconnect:P=3,M=3,LANES=4"),
    "mesh": ("mesh_router:NUM_LOCAL=1,NUM_IO=0,LANES=4",),
    # Parts without a common part.
    "crossbars": ("reducing_crossbar_interconnect:P=3,LANES=4", "aggregator_interconnect:P=3,ADDERS=2,LANES=4",
                  "voq_scheduler:P=3", "voq_input_unit:P=3,LANES=4", "voq_crossbar_mux:P=3,FLIT_W=160",
                  "mesh_reducing_routes:NUM_LOCAL=1,NUM_IO=0"),
    # Parts as wide as the machine has them.
    "wide": ("fred_r_uswitch:OUTPUTS=3,LANES=256", "reducing_crossbar_node:LANES=256", "fred_port_mux:M=3,LANES=256",
             "voq_crossbar_mux:P=4,FLIT_W=4192"),
}
# The tools' results are equal on every machine. A larger change of a path must be recorded, since
# pages quote the figures.
TOLERANCE = {"path_fo4": 0.01, "area_kge": 0.05, "memory_bits": 0}


def measured(tops, folder):
    """Figures of every top, and of the modules in it: "TOP" and "TOP MODULE" -> figures."""
    file = folder / "synth.json"
    subprocess.run([CHECKOUT / "scripts" / "synth.sh", *tops, "--full-width", "--json", file, "--folder", folder / "parts"], check=True)
    figures = {}
    for name, top in zip(tops, json.loads(file.read_text())["tops"], strict=True):
        assert top["complete"], top["lacks"]
        figures[name] = {key: top[key] for key in TOLERANCE}
        for row in top["modules"]:
            if row["module"] != top["kind"] and row["area_kge"] > 0:
                worst = figures.setdefault(f"{name} {row['module']}", {"path_fo4": 0, "area_kge": 0})
                for key in worst:
                    worst[key] = max(worst[key], row[key])
    return figures


def main(kind, folder, *options):
    figures = measured(TOPS[kind], Path(folder))
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if options == ("--write",):
        FIGURES.write_text(json.dumps(known | {kind: figures}, indent=1) + "\n")
        return
    wanted = known[kind]
    wrong = [f"no figures of {name}" for name in wanted.keys() ^ figures.keys()]
    for name in wanted.keys() & figures.keys():
        for key, was in wanted[name].items():
            if abs(figures[name][key] - was) > TOLERANCE[key] * was:
                wrong.append(f"{name}: {key} is {figures[name][key]}, was {was} ± {TOLERANCE[key]:.0%}")
    if wrong:
        sys.exit("\n".join(["The RTL's area or timing is another one:", *sorted(wrong)]))


main(*sys.argv[1:])
