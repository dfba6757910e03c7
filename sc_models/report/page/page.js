// SPDX-License-Identifier: Apache-2.0
// Puts the page together from its data (report/report_data.h).

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const unique = (values) => [...new Set(values)];
const isTraffic = (run) => "pattern" in run;

// The folders that the paths of all results files begin with, "a/b/".
function sharedFolder() {
  const folders = data.files.map((file) => file.name.split("/").slice(0, -1));
  const shared = folders[0].filter((_, k) => folders.every((names) => names.slice(0, k + 1).join("/") === folders[0].slice(0, k + 1).join("/")));
  return shared.map((name) => `${name}/`).join("");
}

const shortName = (path) => path.slice(sharedFolder().length);

// Settings over the machine file: "fabric.middle=2, fabric.slices=1".
const settingsOf = (run) => Object.entries(run.settings).map(([key, value]) => `${key}=${value}`).join(", ");

// Runs of one machine file with the same settings in one results file are one machine; a second run
// of the same work there is another machine. Its label is the fabric's name, with further parts as
// far as needed to make it unique.
function machinesOf(runs) {
  const machines = new Map();
  const seen = new Map();
  for (const run of runs) {
    const work = JSON.stringify([run.file, run.fabric, run.config, run.settings, run.collective, run.algorithm, run.size_bytes, run.rate]);
    const round = seen.get(work) || 0;
    seen.set(work, round + 1);
    const key = JSON.stringify([run.file, run.fabric, run.config, run.settings, round]);
    if (!machines.has(key)) machines.set(key, { key, round, file: data.files[run.file].name, first: run, runs: [] });
    machines.get(key).runs.push(run);
    run.machine = machines.get(key);
  }
  const all = [...machines.values()];
  const parts = [(m) => m.first.fabric, (m) => m.first.config ?? "no machine file", (m) => settingsOf(m.first) || "as in its file", (m) => shortName(m.file), (m) => `#${m.round + 1}`];
  for (const machine of all) {
    const chosen = [parts[0](machine)];
    let alike = all.filter((other) => other !== machine && parts[0](other) === parts[0](machine));
    for (const part of parts.slice(1)) {
      const left = alike.filter((other) => part(other) === part(machine));
      if (left.length < alike.length) chosen.push(part(machine));
      alike = left;
    }
    machine.label = chosen.length > 1 ? `${chosen[0]} (${chosen.slice(1).join(", ")})` : chosen[0];
  }
  return all;
}

const machines = machinesOf(data.runs);
const collectiveRuns = data.runs.filter((run) => !isTraffic(run));
const trafficRuns = data.runs.filter(isTraffic);

// Options: [{value, label}]. Returns the element; `onChange` gets the value.
function addSelect(container, id, label, options, value, onChange) {
  const field = d3.select(container).append("label").attr("for", id).text(label);
  const select = field.append("select").attr("id", id);
  select.selectAll("option").data(options).join("option").attr("value", (option) => option.value)
    .text((option) => option.label);
  select.property("value", value).on("change", function () { onChange(this.value); });
  return select;
}

// Latency and bandwidth by size.

// A testbench's own NPUs may have no size, and no bus bandwidth: null.
const sizedRuns = collectiveRuns.filter((run) => run.size_bytes !== null);
const collectives = unique(sizedRuns.map((run) => run.collective));
const orDash = (value, text) => (value === null || value === undefined ? "–" : text(value));
let shownCollective = collectives[0];

// A tick per measured size.
const sizeAxis = (sizes) => ({ label: "Size", log: 2, format: sizeText, text: bytes, ticks: sizes.slice().sort(d3.ascending) });
const timesOf = (series) => d3.merge(series.map((one) => one.points.map((point) => point.y)));
const present = (lines) => lines.filter((line) => line[1] !== undefined && line[1] !== null);

function runLines(run) {
  return present([
    ["collective", `${run.collective}, ${run.algorithm}`],
    ["size", run.size_bytes === null ? null : bytes(run.size_bytes)],
    ["time", time(run.time_ns)],
    ["cycles", count(run.cycles)],
    ["bus bandwidth", run.busbw_gbps === null ? null : bandwidth(run.busbw_gbps)],
    ["speed-up", run.speedup === undefined ? null : `${ratio(run.speedup)} ×`],
    ["time / network bound", run.derived && run.derived.time_over_network_bound ? ratio(run.derived.time_over_network_bound) : null],
    ["time / bound", run.derived && run.derived.time_over_bound !== null ? ratio(run.derived.time_over_bound) : null],
  ]);
}

// A curve per machine and algorithm; one for all algorithms of a machine if no size was run with two,
// as with `auto`.
function curveSeries(runs, value) {
  const compares = new Set(runs.filter((run) => runs.some((other) => other.machine.key === run.machine.key
    && other.size_bytes === run.size_bytes && other.algorithm !== run.algorithm)).map((run) => run.machine.key));
  const keyOf = (run) => JSON.stringify([run.machine.key, compares.has(run.machine.key) ? run.algorithm : null]);
  return unique(runs.map(keyOf)).map((key, index) => {
    const own = runs.filter((run) => keyOf(run) === key);
    return {
      label: `${own[0].machine.label}, ${unique(own.map((run) => run.algorithm)).join(" or ")}`, index, dash: seriesDash(index),
      points: own.sort((a, b) => a.size_bytes - b.size_bytes)
        .map((run) => ({ x: run.size_bytes, y: value(run), title: run.machine.label, lines: runLines(run) }))
        .filter((point) => point.y !== null),
    };
  }).filter((one) => one.points.length > 0);
}

// A curve of one point shows nothing: a bar per machine instead.
function drawOneSize(charts, work, runs) {
  const rows = (value, text) => d3.merge(curveSeries(runs, value).map((one) => one.points.map((point) => ({
    label: one.label, title: point.title, lines: point.lines, text: text(point.y), bars: [{ from: 0, to: point.y, index: one.index }],
  }))));
  const axis = timeAxis(runs.map((run) => run.time_ns));
  barChart(charts, `Latency of ${work}`, axis.label, axis.format, rows((run) => run.time_ns, time));
  const busbw = rows((run) => run.busbw_gbps, bandwidth);
  if (busbw.length > 0) barChart(charts, `Bus bandwidth of ${work}`, "Bus bandwidth, GB/s", d3.format(",~r"), busbw);
}

function drawCurves() {
  if (sizedRuns.length === 0) return;
  element("curves").hidden = false;
  const runs = sizedRuns.filter((run) => run.collective === shownCollective);
  const charts = d3.select(element("curves-charts")).text("").node();
  const sizes = unique(runs.map((run) => run.size_bytes));
  element("curves-legend").hidden = sizes.length === 1;
  if (sizes.length === 1) {
    drawOneSize(charts, `${shownCollective}, ${bytes(sizes[0])}`, runs);
    return;
  }
  const latency = curveSeries(runs, (run) => run.time_ns);
  legend(element("curves-legend"), latency.map((one) => ({ label: one.label, mark: lineMark(one.index) })));
  lineChart(charts, `Latency of ${shownCollective}`, sizeAxis(sizes), timeAxis(timesOf(latency), 10), latency);
  const busbw = curveSeries(runs, (run) => run.busbw_gbps);
  if (busbw.length === 0) return;
  lineChart(charts, `Bus bandwidth of ${shownCollective}`, sizeAxis(sizes),
    { label: "Bus bandwidth, GB/s", log: 10, format: d3.format("~r"), text: bandwidth }, busbw);
}

function showRunsTable() {
  showTable(element("runs-table"), "Runs", [
    { name: "Machine", value: (run) => run.machine.label },
    { name: "Collective", value: (run) => run.collective },
    { name: "Algorithm", value: (run) => run.algorithm },
    { name: "Size", unit: "bytes", value: (run) => run.size_bytes, text: (run) => orDash(run.size_bytes, bytes), number: true },
    { name: "Cycles", value: (run) => run.cycles, text: (run) => count(run.cycles), number: true },
    { name: "Time", unit: "ns", value: (run) => run.time_ns, text: (run) => time(run.time_ns), number: true },
    { name: "busbw", unit: "GB/s", value: (run) => run.busbw_gbps, text: (run) => orDash(run.busbw_gbps, bandwidth), number: true },
    { name: "Speed-up", value: (run) => run.speedup, text: (run) => ratio(run.speedup), number: true },
    { name: "Inj. traffic ÷", value: (run) => run.injected_traffic_reduction, text: (run) => ratio(run.injected_traffic_reduction), number: true },
    { name: "Link traffic ÷", value: (run) => run.link_traffic_reduction, text: (run) => ratio(run.link_traffic_reduction), number: true },
    { name: "Time / network bound (derived)", value: (run) => run.derived && run.derived.time_over_network_bound, text: (run) => ratio(run.derived && run.derived.time_over_network_bound), number: true },
    { name: "Time / bound (derived)", value: (run) => run.derived && run.derived.time_over_bound, text: (run) => ratio(run.derived && run.derived.time_over_bound), number: true },
    { name: "Payload", value: (run) => run.payload ?? "–" },
  ], collectiveRuns);
}

// One run: machine and run are chosen, everything below follows.

let machine = machines[0];  // none: results of conflicts or train only
let run = machine && largest(machine);
let slice = "mean";
let scaleTo = "busiest";
let zoom = "readable";

function largest(of) {
  return of.runs[of.runs.length - 1];
}

function workOf(one) {
  return isTraffic(one)
    ? `${one.pattern}, ${one.packet_flits}-flit packets, rate ${d3.format(".4~r")(one.rate)}`
    : `${one.collective}${one.size_bytes === null ? "" : ` ${bytes(one.size_bytes)}`}${one.groups.length > 1 ? `, ${one.groups.length} groups` : ""}`;
}

function showRunControls() {
  const controls = d3.select(element("run-controls")).text("").node();
  addSelect(controls, "machine", "Machine", machines.map((one, k) => ({ value: k, label: one.label })), machines.indexOf(machine), (k) => {
    const before = workOf(run);
    machine = machines[k];
    run = machine.runs.find((one) => workOf(one) === before) || largest(machine);
    showRunControls();
    showRun();
    element("machine").focus();
  });
  addSelect(controls, "run-of-machine", "Run", machine.runs.map((one, k) => ({ value: k, label: workOf(one) })), machine.runs.indexOf(run), (k) => {
    run = machine.runs[k];
    showRun();
  });
}

const groupText = (group) => `{${group.join(", ")}}`;

// NPUs are numbers, I/O controllers names.
function membersText(group) {
  const io = group.filter((member) => typeof member === "string").length;
  return io === 0 ? `${group.length} NPUs` : `${group.length - io} NPUs and ${io} I/O controllers`;
}

function showFacts() {
  const facts = isTraffic(run)
    ? [["pattern", run.pattern], ["packets", `${run.packet_flits} ${run.packet_flits === 1 ? "flit" : "flits"}`], ...rateLines(run)]
    : [
      ...runLines(run),
      run.groups.length === 1 ? ["group", membersText(run.groups[0])] : ["groups", run.groups.map(groupText).join(" ")],
      ["payload", run.payload ?? "not checked"],
      ...(run.slices ? [["slices", `${run.slices.all}, simulated ${run.slices.simulated}`]] : []),
    ];
  const faults = data.fabrics[run.fabric_index].faults;
  if (faults.length > 0) facts.push(["failed from the start", faults.join(", ")]);
  const entries = d3.select(element("run-facts")).text("").selectAll("div").data(facts).join("div");
  entries.append("dt").text((fact) => fact[0]);
  entries.append("dd").text((fact) => fact[1]);
}

const linkCache = new Map();

function linksOf(one) {
  if (!linkCache.has(one)) {
    const fabric = data.fabrics[one.fabric_index];
    linkCache.set(one, fabric.links.map((link, k) => {
      const [flits, size, utilization] = one.links[k];
      return { ...link, flits, bytes: size, utilization };
    }));
  }
  return linkCache.get(one);
}

const drawings = new Map();

function drawingFor(one) {
  const index = one.fabric_index;
  if (!drawings.has(index)) drawings.set(index, drawingOf(data.fabrics[index]));
  return drawings.get(index);
}

function boxLines(box, drawing) {
  const fabric = data.fabrics[run.fabric_index];
  const own = fabric.switches.map((name, k) => [name, run.switches[k]])
    .filter(([name]) => drawing.boxOf.get(name) === box && (!isSlice(slice) || drawing.sliceOf.get(name) === Number(slice)));
  const lost = [...drawing.lostNodes].filter((name) => drawing.boxOf.get(name) === box).map((name) => ["failed", name]);
  if (own.length === 0) return [["kind", box.kind === "npu" ? "NPU" : box.kind === "io" ? "I/O controller" : "switch"], ...lost];
  const sum = (key) => count(d3.sum(own, ([, counts]) => counts[key]));
  return [
    ...(own.length > 1 ? [["chiplets", own.length]] : [["name", own[0][0]]]),
    ["model", unique(own.map(([, counts]) => counts.model)).join("+")],
    ["flits in", sum("flits_in")], ["flits out", sum("flits_out")],
    ["reductions", sum("reductions")], ["phase changes", sum("phase_changes")],
    ["stall cycles", count(d3.sum(own, ([, counts]) => d3.sum(Object.values(counts.stall_cycles))))],
    ...lost,
  ];
}

const isSlice = (value) => value !== "mean" && value !== "max";

function showWaferControls(drawing) {
  const controls = d3.select(element("wafer-controls")).text("").node();
  const slices = drawing ? unique([...drawing.sliceOf.values()]).sort(d3.ascending) : [];
  if (isSlice(slice) && !slices.includes(Number(slice))) slice = "mean";
  addSelect(controls, "slice", slices.length > 0 ? "Slices" : "Parallel links", [
    { value: "mean", label: slices.length > 0 ? "all, mean" : "mean" },
    { value: "max", label: slices.length > 0 ? "all, busiest" : "busiest" },
    ...slices.map((one) => ({ value: one, label: `slice ${one}` })),
  ], slice, (value) => { slice = value; showLinks(); });
  addSelect(controls, "scale", "Colours", [
    { value: "busiest", label: "0 to the busiest link" }, { value: "all", label: "0 to 100 %" },
  ], scaleTo, (value) => { scaleTo = value; showLinks(); });
  addSelect(controls, "zoom", "Map", [
    { value: "readable", label: "readable" }, { value: "whole", label: "whole" }, { value: "large", label: "large" },
  ], zoom, (value) => { zoom = value; showLinks(); });
}

// The drawing's room depends on the width of the page.
function showWaferNote() {
  const drawing = drawingFor(run);
  element("wafer-note").textContent = !drawing
    ? "The results do not say where the nodes of this fabric are; the table has its links."
    : `An arrow keeps to the right of its direction of travel, and is wider the higher the load.${
      drawing.isTree ? " A box is a switch (above L1: one of its chiplets) with all the slices shown." : ""}${
      drawing.lostLinks.length + drawing.lostNodes.size > 0 ? " Failed components are dashed, and crossed out where all that a box stands for have failed." : ""}${
      isCut(element("wafer")) ? " There is more of it than fits here: scroll it, or choose the whole map." : ""}`;
}

function showLinks() {
  const drawing = drawingFor(run);
  const sliceOf = (link) => drawing.sliceOf.get(link.from) ?? drawing.sliceOf.get(link.to);
  const isShown = (link) => !drawing || !isSlice(slice) || sliceOf(link) === Number(slice);
  const links = linksOf(run).filter(isShown);
  let pick = () => {};
  d3.select(element("wafer")).text("");
  d3.select(element("wafer-legend")).text("");
  d3.select(element("wafer-save")).text("");
  if (drawing) {
    const load = slice === "max" ? d3.max : d3.mean;
    const busiest = d3.max(arrowsOf(drawing, links), (arrow) => load(arrow.links, (link) => link.utilization)) || 0;
    const full = scaleTo === "all" ? 1 : busiest;
    showWaferLegend(element("wafer-legend"), full, drawing.isTree, drawing.lostLinks.length + drawing.lostNodes.size > 0);
    pick = showWafer(element("wafer"), drawing, links, load, full, zoom, (box) => boxLines(box, drawing), isShown);
    addSaving(element("wafer-save"), `Link load of ${machine.label}, ${workOf(run)}`, element("wafer").firstChild, element("wafer"));
  }
  showWaferNote();
  showTable(element("links-table"), "Links: flits and bytes carried, and the share of what the link's rate allows", [
    { name: "Link", value: (link) => link.name },
    { name: "From", value: (link) => link.from },
    { name: "To", value: (link) => link.to },
    { name: "On die", value: (link) => (link.on_die ? "yes" : "no") },
    { name: "Flits", value: (link) => link.flits, text: (link) => count(link.flits), number: true },
    { name: "Bytes", value: (link) => link.bytes, text: (link) => count(link.bytes), number: true },
    { name: "Utilization", unit: "fraction", value: (link) => link.utilization, text: (link) => percent(link.utilization), number: true },
  ], links, { sortBy: "Utilization", onRow: (link) => pick(link) });
}

const kMostSwitches = 40;  // maximum in the chart

function showStalls() {
  const names = data.fabrics[run.fabric_index].switches;
  const rows = names.map((name, k) => ({ name, counts: run.switches[k], stalls: run.switches[k]?.stall_cycles || {} }));
  element("stalls").hidden = run.switches.length === 0;
  if (run.switches.length === 0) return;
  const reasons = unique(d3.merge(rows.map((row) => Object.keys(row.stalls))));
  const total = (row) => d3.sum(Object.values(row.stalls));
  const most = rows.length > kMostSwitches
    ? rows.slice().sort((a, b) => d3.descending(total(a), total(b))).slice(0, kMostSwitches) : rows;
  const hasStalls = rows.some((row) => total(row) > 0);
  element("stalls-none").hidden = hasStalls;
  element("stalls-figure").hidden = !hasStalls;
  legend(element("stalls-legend"), reasons.map((reason, index) => ({ label: reason, mark: boxMark(index) })));
  const chart = d3.select(element("stalls-chart")).text("").node();
  const title = most.length < rows.length
    ? `The ${kMostSwitches} of ${rows.length} switches that stalled most` : "Stall cycles by reason";
  barChart(chart, title, "Stall cycles", null, most.map((row) => {
    let end = 0;
    return {
      label: row.name, title: row.name, lines: reasons.map((reason) => [reason, count(row.stalls[reason] || 0)]),
      bars: reasons.map((reason, index) => ({ index, from: end, to: (end += row.stalls[reason] || 0) })),
    };
  }));
  const numbers = (name, value) => ({ name, value, text: (row) => count(value(row)), number: true });
  showTable(element("stalls-table"), "Switches: flits, and stall cycles by reason", [
    { name: "Switch", value: (row) => row.name },
    { name: "Model", value: (row) => row.counts.model },
    numbers("Flits in", (row) => row.counts.flits_in),
    numbers("Flits out", (row) => row.counts.flits_out),
    numbers("Reductions", (row) => row.counts.reductions),
    numbers("Phase changes", (row) => row.counts.phase_changes),
    ...reasons.map((reason) => numbers(`Stall: ${reason}`, (row) => row.stalls[reason] || 0)),
    numbers("All stalls", total),
  ], rows, { sortBy: "All stalls" });
}

function showTraffic() {
  element("traffic").hidden = isTraffic(run);
  if (isTraffic(run)) return;
  const work = workOf(run);
  const alike = collectiveRuns.filter((one) => workOf(one) === work);
  const charts = d3.select(element("traffic-charts")).text("").node();
  const bars = (key) => alike.map((one) => ({
    label: one.machine.label, title: `${one.machine.label}, ${one.algorithm}`,
    lines: [["injected", bytes(one.traffic.injected_bytes)], ["over links", bytes(one.traffic.link_bytes)]],
    bars: [{ from: 0, to: one.traffic[key], index: 0 }],
  }));
  barChart(charts, `Injected by the NPUs, ${work}`, "Payload", sizeText, bars("injected_bytes"));
  barChart(charts, `Over links, ${work}`, "Payload × wafer links crossed", sizeText, bars("link_bytes"));
  const size = (name, key) => ({ name, value: (one) => one.traffic[key], text: (one) => count(one.traffic[key]), number: true });
  showTable(element("traffic-table"), `Traffic of ${work}; ÷: bytes of the base / bytes of this machine`, [
    { name: "Machine", value: (one) => one.machine.label },
    { name: "Algorithm", value: (one) => one.algorithm },
    size("Injected, bytes", "injected_bytes"),
    size("By the busiest NPU", "injected_bytes_per_npu_max"),
    size("Over links, bytes", "link_bytes"),
    size("Flit hops", "flit_hops"),
    { name: "Inj. traffic ÷", value: (one) => one.injected_traffic_reduction, text: (one) => ratio(one.injected_traffic_reduction), number: true },
    { name: "Link traffic ÷", value: (one) => one.link_traffic_reduction, text: (one) => ratio(one.link_traffic_reduction), number: true },
  ], alike);
}

function showParts() {
  const parts = run.parts || [];
  element("parts").hidden = parts.length < 2;
  if (parts.length < 2) return;
  const priorities = unique(parts.map((part) => part.priority));
  const chart = d3.select(element("parts-chart")).text("").node();
  legend(element("parts-legend"), priorities.map((name, index) => ({ label: `priority ${name}`, mark: boxMark(index) })));
  barChart(chart, "From start to end", "Cycle", null, parts.map((part) => ({
    label: `${part.collective} ${groupText(part.group.length > 4 ? [part.group[0], "…", part.group[part.group.length - 1]] : part.group)}`,
    title: `${part.collective} ${groupText(part.group)}`,
    lines: [["algorithm", part.algorithm], ["priority", part.priority], ["size", bytes(part.size_bytes)], ["start", cycles(part.start_cycle)],
      ["takes", `${cycles(part.cycles)}, ${time(part.time_ns)}`], ["algbw", bandwidth(part.algbw_gbps)], ["busbw", bandwidth(part.busbw_gbps)]],
    bars: [{ from: part.start_cycle, to: part.start_cycle + part.cycles, index: priorities.indexOf(part.priority) }],
  })));
  const value = (name, key, text, unit) => ({ name, unit, value: (part) => part[key], text: (part) => text(part[key]), number: true });
  showTable(element("parts-table"), "Parts of the run", [
    { name: "Group", value: (part) => groupText(part.group) },
    { name: "Collective", value: (part) => part.collective },
    { name: "Algorithm", value: (part) => part.algorithm },
    { name: "Priority", value: (part) => part.priority },
    value("Size", "size_bytes", bytes, "bytes"),
    value("Start cycle", "start_cycle", count),
    value("Cycles", "cycles", count),
    value("Time", "time_ns", time, "ns"),
    value("algbw", "algbw_gbps", bandwidth, "GB/s"),
    value("busbw", "busbw_gbps", bandwidth, "GB/s"),
    value("Bound (derived)", "bound_ns", time, "ns"),
  ], parts);
}

function showRun() {
  showFacts();
  showWaferControls(drawingFor(run));
  showLinks();
  showStalls();
  showBreakdown();
  showTraffic();
  showParts();
}

function showOrigin() {
  showTable(element("files-table"), "Results files", [
    { name: "File", value: (file) => file.name },
    { name: "fredsim", value: (file) => file.version },
    { name: "Command", value: (file) => file.command ?? "not in the file" },
  ], data.files);
  if (!run) return;
  const all = (of, key) => unique(of.runs.map((one) => one[key]).filter((value) => value !== undefined && value !== null)
    .map((value) => (Array.isArray(value) ? value.join("+") : value))).join(", ");
  const ifAny = (name, key) => (data.runs.some((one) => one[key]) ? [{ name, value: (one) => all(one, key) || "–" }] : []);
  showTable(element("machines-table"), "Machines", [
    { name: "Machine", value: (one) => one.label },
    { name: "Config", value: (one) => one.first.config ?? "–" },
    ...(machines.some((one) => settingsOf(one.first)) ? [{ name: "Settings", value: (one) => settingsOf(one.first) || "–" }] : []),
    { name: "Results file", value: (one) => one.file },
    { name: "Model", value: (one) => all(one, "model") },
    { name: "Clock", unit: "GHz", value: (one) => one.first.clock_ghz, text: (one) => `${one.first.clock_ghz} GHz` },
    { name: "Lanes", value: (one) => all(one, "lanes") },
    { name: "Seed", value: (one) => all(one, "seed") || "–" },
    ...ifAny("Strategy", "strategy"),
    ...ifAny("Dimensions", "dimensions"),
    ...ifAny("Placement", "placement"),
    { name: "Runs", value: (one) => one.runs.length, number: true },
    { name: "Payload", value: (one) => all(one, "payload") || "–" },
  ], machines);
}

// Redraws all that depends on the width or the colours of the page.
function draw() {
  drawCurves();
  drawLoad();
  drawConflicts();
  showTrainings();
  drawMicroarchitectures();
  drawStudy();
  drawTraces();
  if (!run) return;
  showWaferNote();
  showStalls();
  showTraffic();
  showParts();
}

function start() {
  const commands = unique(data.files.map((file) => file.command).filter((command) => command !== null));
  const counted = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
  const figures = [
    ...(data.runs.length > 0 ? [`${counted(data.runs.length, "run", "runs")} on ${unique(machines.map((one) => one.label)).join(", ")}`] : []),
    ...(data.trainings.length > 0 ? [counted(data.trainings.length, "training run", "training runs")] : []),
    ...(data.conflicts.length > 0 ? [`${counted(data.conflicts.length, "rate", "rates")} of flows without a routing`] : []),
    ...data.sweeps.map((one) => `${one.study}: ${counted(one.points.length, "point", "points")}`),
    ...(data.traces ? [counted(data.traces.ranks.length, "execution trace", "execution traces")] : []),
    ...(data.microarchitectures.length > 0 ? [`${counted(data.microarchitectures.length, "kind", "kinds")} of switches`] : []),
  ];
  element("summary").textContent = `${figures.join("; ")}${commands.length === 1 ? `: ${commands[0]}` : ""}`;
  if (collectives.length > 1) {
    addSelect(element("curves-controls"), "collective", "Collective", collectives.map((one) => ({ value: one, label: one })), shownCollective,
      (value) => { shownCollective = value; drawCurves(); });
  }
  showRunsTable();
  showRatesTable();
  showConflictsTable();
  showMicroarchitectures();
  showStudies();
  if (data.traces) showTraceControls();
  showOrigin();
  element("run").hidden = !run;
  if (run) {
    showRunControls();
    showRun();
  }
  draw();
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    hideTooltip();
    draw();
  });
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTooltip(); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (run) showLinks();
    drawStudy();
  });
}

start();
