// SPDX-License-Identifier: Apache-2.0
// Execution traces (`trace show`): each stream and thread as recorded, and below as simulated.

const kTraceKinds = [{ name: "CPU", colour: 6 }, { name: "computation", colour: 0 }, { name: "memory", colour: 2 }, { name: "communication", colour: 1 }];
const kTraceRow = 18;      // pixels of a row
const kTraceHeading = 22;  // pixels of a lane's name
const kTraceGap = 0.7;     // and between spans that touch
let traceRank = 0;
let traceWindow = null;  // [from, to] in ns; null: all

// Spans as objects; `source`: 0 as recorded, k the machine k - 1.
const traceSpans = (rank, lane, source) => lane.spans
  .filter((span) => span[2 + 2 * source] !== null)
  .map((span) => ({ span, name: rank.names[span[0]], kind: span[1], from: span[2 + 2 * source], to: span[2 + 2 * source] + span[3 + 2 * source] }))
  .sort((a, b) => a.from - b.from);

const traceSources = (rank) => [rank.recorded ? "recorded" : "earliest", ...data.traces.machines];
const traceEnd = (rank, source) => d3.max(rank.lanes, (lane) => d3.max(traceSpans(rank, lane, source), (one) => one.to)) ?? 0;

// Bars of the window. Spans of a kind that share a pixel are one bar.
function traceBars(spans, across, [low, high]) {
  const bars = [];
  const last = new Map();  // by kind
  for (const one of spans) {
    if (one.to < low || one.from > high) continue;
    const from = across(Math.max(low, one.from));
    const to = Math.max(from + 0.6, across(Math.min(high, one.to)));
    const before = last.get(one.kind);
    if (before && from < before.to + 0.4 && (to - from < 1 || before.to - before.from < 1)) {
      before.to = Math.max(before.to, to);
      before.spans.push(one);
      continue;
    }
    const bar = { kind: one.kind, from, to, spans: [one] };
    last.set(one.kind, bar);
    bars.push(bar);
  }
  return bars;
}

function traceTooltip(rank, lane, source, bar) {
  const [one] = bar.spans;
  const title = bar.spans.length === 1 ? one.name : `${count(bar.spans.length)} operations, the first ${one.name}`;
  const times = traceSources(rank).map((name, k) => [name, k])
    .filter(([, k]) => one.span[2 + 2 * k] !== null)
    .map(([name, k]) => [name, `${time(one.span[3 + 2 * k])} from ${time(one.span[2 + 2 * k])}`]);
  return [title, [["lane", `${lane.name}, ${traceSources(rank)[source]}`], ["kind", kTraceKinds[bar.kind].name], ...times]];
}

function moveTraceWindow(factor, shift) {
  const rank = data.traces.ranks[traceRank];
  const end = d3.max(traceSources(rank), (_, source) => traceEnd(rank, source));
  const [low, high] = traceWindow ?? [0, end];
  const middle = (low + high) / 2 + shift * (high - low);
  const half = Math.min(end, (high - low) * factor) / 2;
  const from = Math.max(0, Math.min(middle - half, end - 2 * half));
  traceWindow = 2 * half >= end ? null : [from, from + 2 * half];
  drawTraces();
}

function showTraceControls() {
  const controls = d3.select(element("traces-controls")).text("").node();
  addSelect(controls, "trace", "Trace", data.traces.ranks.map((rank, k) => ({ value: k, label: `rank ${rank.rank}, ${shortName(rank.name)}` })), traceRank, (k) => {
    traceRank = Number(k);
    traceWindow = null;
    drawTraces();
  });
  [["Zoom in", 0.5, 0], ["Zoom out", 2, 0], ["Earlier", 1, -0.5], ["Later", 1, 0.5], ["Whole", Infinity, 0]].forEach(([name, factor, shift]) => {
    d3.select(controls).append("button").attr("type", "button").text(name).on("click", () => moveTraceWindow(factor, shift));
  });
}

function drawTraceLanes(rank, window) {
  const sources = traceSources(rank);
  const title = `${shortName(rank.name)}: operations in time`;
  const container = element("traces-chart");
  const figure = d3.select(container).text("").append("figure");
  figure.append("figcaption").text(title);
  const buttons = figure.append("span");
  const width = Math.max(280, figure.node().clientWidth);
  const left = Math.min(130, width * 0.28);
  const laneHeight = kTraceHeading + sources.length * kTraceRow;
  const bottom = rank.lanes.length * laneHeight + 6;
  const svg = figure.append("svg").attr("width", width).attr("height", bottom + 44).attr("role", "group").attr("aria-label", title);
  const axis = timeAxis(window);
  const across = d3.scaleLinear().domain(window).range([left, width - 20]);
  const ticks = { scale: across, ticks: across.ticks(width < 500 ? 4 : 8) };
  const labelled = labelledTicks(svg, ticks, axis.format);
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(0,${bottom})`)
    .call(d3.axisBottom(across).tickValues(ticks.ticks).tickSize(-bottom).tickPadding(6).tickFormat((tick) => (labelled.has(tick) ? axis.format(tick) : "")));
  svg.append("text").attr("class", "label").attr("x", (left + width) / 2).attr("y", bottom + 36).attr("text-anchor", "middle").text(axis.label);
  rank.lanes.forEach((lane, k) => {
    const top = k * laneHeight;
    svg.append("text").attr("y", top + 16).style("font-weight", 600).text(lane.name);
    sources.forEach((name, source) => {
      const y = top + kTraceHeading + source * kTraceRow;
      const label = name.length > 16 ? `${name.slice(0, 15)}…` : name;
      svg.append("text").attr("class", "label").attr("x", left - 6).attr("y", y + 12).attr("text-anchor", "end").text(label);
      svg.append("g").selectAll("rect").data(traceBars(traceSpans(rank, lane, source), across, window)).join("rect")
        .attr("x", (bar) => bar.from).attr("width", (bar) => bar.to - bar.from - (bar.to - bar.from > 3 ? kTraceGap : 0)).attr("y", y).attr("height", kTraceRow - 4)
        .style("fill", (bar) => seriesColour(kTraceKinds[bar.kind].colour)).style("opacity", source === 0 ? 1 : 0.75)
        .on("pointermove", (bar) => showTooltip(d3.event, ...traceTooltip(rank, lane, source, bar)))
        .on("pointerleave", hideTooltip);
    });
  });
  addSaving(buttons.node(), title, svg.node(), container);
}

function showTraceTable(rank) {
  const sources = traceSources(rank);
  const rows = rank.lanes.map((lane) => ({ name: lane.name, spans: sources.map((_, source) => traceSpans(rank, lane, source)) }));
  rows.unshift({ name: "all", spans: sources.map((_, source) => d3.merge(rank.lanes.map((lane) => traceSpans(rank, lane, source)))) });
  const busy = (row, source) => d3.sum(row.spans[source], (one) => one.to - one.from);
  const end = (row, source) => d3.max(row.spans[source], (one) => one.to);
  const column = (what, value, name, source) => ({ name: `${what}, ${name}`, unit: "ns", value: (row) => value(row, source), text: (row) => orDash(value(row, source), time), number: true });
  showTable(element("traces-table"), "Streams and threads: sum of operations, and the end of the last", [
    { name: "Lane", value: (row) => row.name },
    { name: "Operations", value: (row) => row.spans[0].length, text: (row) => count(row.spans[0].length), number: true },
    ...sources.map((name, source) => column("Busy", busy, name, source)),
    ...sources.map((name, source) => column("End", end, name, source)),
  ], rows);
}

function drawTraces() {
  if (!data.traces) return;
  const rank = data.traces.ranks[traceRank];
  element("traces").hidden = false;
  const kinds = unique(d3.merge(rank.lanes.map((lane) => lane.spans.map((span) => span[1])))).sort(d3.ascending);
  legend(element("traces-legend"), kinds.map((kind) => ({ label: kTraceKinds[kind].name, mark: boxMark(kTraceKinds[kind].colour) })));
  const end = d3.max(traceSources(rank), (_, source) => traceEnd(rank, source));
  drawTraceLanes(rank, traceWindow ?? [0, end > 0 ? end : 1]);
  element("traces-note").textContent = `${rank.recorded ? "Recorded: begins and durations of the trace." : "Earliest: durations of the trace, each as early as its dependencies allow; begins were not recorded."}${
    data.traces.machines.length > 0 ? " Simulated: on the machine named; a communication begins there when its last rank has come, while a recorded one includes its wait for the others." : ""}`;
  showTraceTable(rank);
}
