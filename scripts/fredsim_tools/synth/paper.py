# SPDX-License-Identifier: Apache-2.0
"""Figures of the paper's Table 4 beside ours, for a Fred_3(12) chiplet."""

from . import report, technology, traffic
from .flow import Top

MODULE = ("fred_switch", {"P": 12, "M": 3})
GBYTES = 1e9


def perimeter_mm2(ports: int) -> float:
    """Area of a chiplet whose edges are as long as its links need, in and out."""
    paper, link = technology.DATA["paper"], technology.DATA["link"]
    return (ports * paper["port_gb_per_s"] * 2 / (4 * link["gb_per_s_per_mm"])) ** 2


def comparison(top: Top) -> list[str]:
    """Lines of text."""
    paper, ports = technology.DATA["paper"], technology.DATA["paper"]["ports"]
    chiplet = paper["chiplet_mm2"]
    logic = [mm2 / 1e6 for mm2 in technology.scaled("area", report.um2(top))]
    memory = [mm2 / 1e6 for mm2 in report.memory_um2(top)]
    shares = [100 * sum(ends) / chiplet for ends in zip(logic, memory, strict=True)]
    missed = [area for area in paper["areas_mm2"]
              if all(abs(perimeter_mm2(count) / area - 1) > 0.01 for count in range(2, 33))]  # fmt: skip
    bits_per_s = ports * paper["port_gb_per_s"] * GBYTES * 8
    text = [
        f"Paper's Table 4, a Fred_3({ports}) chiplet: {chiplet} mm², logic under {paper['logic_percent']} %,"
        f" {paper['chiplet_w']} W.",
        f"Ours, {top.lanes} lanes, at 14 to 16 nm: logic {logic[0]:.1f} to {logic[1]:.1f} mm², memories {memory[0]:.1f} to"
        f" {memory[1]:.1f} mm²: {shares[0]:.1f} to {shares[1]:.1f} % of {chiplet} mm².",
        "Area by perimeter, (bandwidth / (4 x " + f"{technology.DATA['link']['gb_per_s_per_mm']} GB/s/mm))²: "
        + ", ".join(f"{count} ports {perimeter_mm2(count):.0f} mm²" for count in range(8, ports + 1))
        + ". Of the paper's areas, " + ", ".join(map(str, paper["areas_mm2"])) + " mm², these come out for no number of"
        " ports, within 1 %: " + (", ".join(map(str, missed)) or "none") + ".",
        f"{paper['chiplet_w']} W for {ports} ports of {paper['port_gb_per_s']} GB/s are"
        f" {1e12 * paper['chiplet_w'] / bits_per_s:.3f} pJ/bit; the paper's link alone takes"
        f" {technology.DATA['link']['pj_per_bit']}.",
    ]  # fmt: skip
    if top.energy:
        bits = traffic.flit_bits(top.energy.lanes)
        rate = bits_per_s / ports / (bits - traffic.HEADER_BITS)
        memories = 2 * technology.memory_pj(bits)  # input buffer and staging
        for kind, pj in top.energy.glitch_pj.items():
            watts = [(ports * value + clock) * rate * 1e-12 for value, clock in
                     zip(technology.scaled("energy", pj + top.energy.loading_pj[kind]), technology.scaled("energy", top.energy.clock_pj), strict=True)]  # fmt: skip
            text.append(f"Ours, {kind}, a flit per cycle at {rate / 1e9:.2f} GHz: interconnect {watts[0]:.1f} to"
                        f" {watts[1]:.1f} W, memories {ports * memories * rate * 1e-12:.1f} W, links"
                        f" {ports * technology.link_pj(bits) * rate * 1e-12:.1f} W.")  # fmt: skip
    return [line for paragraph in text for line in report.wrapped(paragraph.split(), "")]
