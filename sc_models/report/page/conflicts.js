// SPDX-License-Identifier: Apache-2.0
// Frequency of random sets of flows without a routing (`fredsim conflicts`).

const conflictSwitch = (one) => `Fred_${one.middle}(${one.ports}), ${one.kind}`;

function drawConflicts() {
  if (data.conflicts.length === 0) return;
  element("conflicts").hidden = false;
  const charts = d3.select(element("conflicts-charts")).text("").node();
  // A set of one file, so that the same switch with another seed is another line.
  const keyOf = (one) => JSON.stringify([one.file, conflictSwitch(one)]);
  const series = unique(data.conflicts.map(keyOf)).map((key, index) => {
    const own = data.conflicts.filter((one) => keyOf(one) === key).sort((a, b) => a.flows - b.flows);
    const file = data.conflicts.some((one) => one.file !== own[0].file) ? ` (${shortName(data.files[own[0].file].name)})` : "";
    const label = conflictSwitch(own[0]) + file;
    return {
      label, index, dash: seriesDash(index),
      points: own.map((one) => ({
        x: one.flows, y: one.conflict_rate, low: one.wilson_95.low, high: one.wilson_95.high, title: label,
        lines: [["flows", one.flows], ["no routing", share(one.conflict_rate)],
          ["95 % interval", `${share(one.wilson_95.low)} to ${share(one.wilson_95.high)}`], ["sets", count(one.trials)], ["seed", one.seed]],
      })),
    };
  });
  legend(element("conflicts-legend"), series.map((one) => ({ label: one.label, mark: lineMark(one.index) })));
  lineChart(charts, "Sets without a routing", { label: "Flows of a set", format: d3.format("d"), ticks: unique(data.conflicts.map((one) => one.flows)).sort(d3.ascending) },
    { label: "Share of the sets", format: d3.format(".0%"), text: share }, series);
}

const share = (rate) => `${d3.format(".3~f")(100 * rate)} %`;

function showConflictsTable() {
  if (data.conflicts.length === 0) return;
  const number = (name, key, text, unit) => ({ name, unit, value: (one) => one[key], text: (one) => text(one[key]), number: true });
  showTable(element("conflicts-table"), "Random sets of flows through one switch; Wilson's 95 % interval", [
    { name: "Results file", value: (one) => data.files[one.file].name },
    { name: "Switch", value: (one) => `Fred_${one.middle}(${one.ports})` },
    { name: "Kind", value: (one) => one.kind },
    number("Flows", "flows", count),
    number("Sets", "trials", count),
    number("Without a routing", "conflicts", count),
    number("Share", "conflict_rate", share, "fraction"),
    { name: "From", unit: "fraction", value: (one) => one.wilson_95.low, text: (one) => share(one.wilson_95.low), number: true },
    { name: "To", unit: "fraction", value: (one) => one.wilson_95.high, text: (one) => share(one.wilson_95.high), number: true },
    number("Seed", "seed", (seed) => seed),
  ], data.conflicts);
}
