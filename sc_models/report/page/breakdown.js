// SPDX-License-Identifier: Apache-2.0
// Breakdown of packets' cycles (--breakdown): a bar per stage of their path, stacked by groups of
// causes, one per colour.

const kCauseGroups = [
  { label: "queue", causes: ["source", "queue"] }, { label: "phase", causes: ["phase"] }, { label: "credit", causes: ["credit"] },
  { label: "link", causes: ["link"] }, { label: "arbiter", causes: ["arbiter"] },
  { label: "pipeline, latency", causes: ["pipeline", "latency"] },
  { label: "length of the packet", causes: ["serialisation", "flits", "gaps", "receive"] },
];

function showBreakdown() {
  const parts = run.breakdown || [];
  element("breakdown").hidden = parts.length === 0;
  if (parts.length === 0) return;
  legend(element("breakdown-legend"), kCauseGroups.map((group, index) => ({ label: group.label, mark: boxMark(index) })));
  const charts = d3.select(element("breakdown-charts")).text("").node();
  const exact = d3.format(",.1f");
  const bars = (stages) => stages.map((stage) => {
    let end = 0;
    return {
      label: stage.stage, title: stage.stage, lines: Object.entries(stage.causes).map(([cause, cycles]) => [cause, `${exact(cycles)} cycles`]),
      bars: kCauseGroups.map((group, index) => ({ index, from: end, to: (end += d3.sum(group.causes, (cause) => stage.causes[cause] || 0)) })),
      text: exact(end),
    };
  });
  const name = (part) => (part.work ? `, ${part.work}` : "");
  const rows = [];
  parts.forEach((part) => {
    barChart(charts, `A packet's path${name(part)}: mean of ${count(part.packets)} packets`, "Cycles", null, bars(part.stages));
    if (part.path) {
      barChart(charts, `The collective${name(part)}: ${count(part.path.cycles)} cycles, ${count(part.path.packets)} packets one after the other`, "Cycles",
        null, bars(part.path.stages));
    }
    part.stages.forEach((stage) => Object.entries(stage.causes).forEach(([cause, cycles]) => rows.push({ of: "packet, mean", part, stage, cause, cycles })));
    if (part.path) {
      part.path.stages.forEach((stage) => Object.entries(stage.causes)
        .forEach(([cause, cycles]) => rows.push({ of: "collective", part, stage, cause, cycles })));
    }
  });
  showTable(element("breakdown-table"), "Where cycles went", [
    { name: "Of", value: (row) => row.of },
    ...(parts.some((part) => part.work) ? [{ name: "Work", value: (row) => row.part.work }] : []),
    { name: "Stage", value: (row) => row.stage.stage },
    { name: "Cause", value: (row) => row.cause },
    { name: "Cycles", value: (row) => row.cycles, text: (row) => exact(row.cycles), number: true },
  ], rows);
}
