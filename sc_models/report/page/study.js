// SPDX-License-Identifier: Apache-2.0
// Studies (`fredsim sweep`): points as a table with a filter, any two columns against each other with
// their Pareto front, and a heat map of two axes.

const kMostChoices = 40;   // values of an axis that can be chosen from a list
const kCellHeight = 30;
const kMinCellWidth = 34;
const kLogRatio = 50;      // an axis whose values span more is logarithmic

let study = null;  // chosen study, with its columns
let shown = [];    // points that the filter leaves
const choice = {}; // columns of the charts, by the id of the control

const kQuantity = /^([0-9]*[.]?[0-9]+(?:e[+-]?[0-9]+)?) ?([A-Za-z/]*)$/;
const kScales = { "": 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, KB: 1e3, MB: 1e6, GB: 1e9,
  TB: 1e12, "B/s": 1, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, Hz: 1, kHz: 1e3, MHz: 1e6,
  GHz: 1e9, "GFLOP/s": 1e9, "TFLOP/s": 1e12, "PFLOP/s": 1e15 };

// "16 KiB" as a number, in base units; null: none.
function quantity(text) {
  const found = kQuantity.exec(text);
  return found && found[2] in kScales ? Number(found[1]) * kScales[found[2]] : null;
}

// Values of the axis of a chart as text.
function figure(value) {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return count(value);
  return d3.format(Math.abs(value) >= 1e-3 && Math.abs(value) < 1e9 ? ",.6~r" : ".5~e")(value);
}

// Columns: {key, name, isAxis, isNumber, raw(point): as written, null: none, value(point): to sort and
// to draw}.
function columnsOf(points) {
  const inner = (group) => unique(d3.merge(points.map((point) => Object.keys(point[group])))).map((name) => ({ key: `${group}.${name}`, name, raw: (point) => point[group][name] ?? null }));
  const plain = (name) => ({ key: name, name, raw: (point) => point[name] ?? null });
  const axes = [plain("machine"), plain("command"), ...inner("settings"), ...inner("options"), plain("seed")].map((one) => ({ ...one, isAxis: true }));
  const columns = [...axes, plain("status"), plain("message"), ...inner("results")];
  const names = d3.nest().key((one) => one.name).object(columns);
  return columns.map((column) => {
    const values = unique(points.map(column.raw).filter((value) => value !== null));
    const numbers = values.map((value) => (typeof value === "number" ? value : typeof value === "string" && column.isAxis ? quantity(value) : null));
    const isNumber = values.length > 0 && numbers.every((number) => number !== null);
    const byValue = new Map(values.map((value, k) => [value, numbers[k]]));
    const varies = values.length > 1 || (column.isAxis === true && isPartial(points, column));
    return {
      ...column, values, varies, isNumber, name: names[column.name].length > 1 ? column.key : column.name,
      value: (point) => { const raw = column.raw(point); return raw === null ? null : isNumber ? byValue.get(raw) : String(raw); },
    };
  }).filter((column) => column.values.length > 0);
}

// An axis also varies if, for one command and machine, some points have it and others do not.
function isPartial(points, column) {
  const rows = (some) => new Set(points.filter((point) => (column.raw(point) === null) === some).map((point) => `${point.command} ${point.machine}`));
  const without = rows(true);
  return [...rows(false)].some((row) => without.has(row));
}

const varying = (column) => column.varies;
const axesOf = () => study.columns.filter((column) => column.isAxis && varying(column));
const numbersOf = () => study.columns.filter((column) => column.isNumber && varying(column));
const columnOf = (id) => study.columns.find((column) => column.key === choice[id]);
const kNothing = "–";
const cellText = (column, raw) => (raw === null ? kNothing : column.isAxis ? String(raw) : figure(raw));
const textOf = (column, point) => cellText(column, column.raw(point));
const wordOf = (column, point) => String(column.raw(point) ?? kNothing);

// A word of the filter: NAME=VALUE, NAME<NUMBER, NAME>NUMBER, or a part of any cell.
function wordTest(word) {
  const found = /^([^=<>]+)([=<>])(.*)$/.exec(word);
  const column = found && study.columns.find((one) => one.name === found[1] || one.key === found[1]);
  if (!column) return (point) => study.columns.some((one) => String(one.raw(point) ?? "").toLowerCase().includes(word.toLowerCase()));
  const [, , sign, text] = found;
  if (sign === "=") return (point) => String(column.raw(point)) === text || (column.isNumber && quantity(text) !== null && column.value(point) === quantity(text));
  const limit = quantity(text);
  return (point) => limit !== null && column.isNumber && column.value(point) !== null && (sign === "<" ? column.value(point) < limit : column.value(point) > limit);
}

function filterPoints() {
  const tests = study.words.split(/\s+/).filter((word) => word !== "").map(wordTest);
  for (const [key, text] of Object.entries(study.chosen)) {
    const column = study.columns.find((one) => one.key === key);
    tests.push((point) => wordOf(column, point) === text);
  }
  shown = study.points.filter((point) => tests.every((test) => test(point)));
}

function pointLines(point, columns) {
  const more = columns.filter((column) => !column.isAxis);
  return unique([...axesOf(), ...more]).map((column) => [column.name, textOf(column, point)]);
}

function showStudyTable() {
  const failed = shown.some((point) => point.status === "failed");
  const columns = study.columns.filter((column) => varying(column) || (failed && column.key === "message"));
  showTable(element("study-table"), `Points of ${study.name}`, [
    ...columns.map((column) => ({ name: column.name, value: column.value, text: (point) => textOf(column, point), number: column.isNumber })),
    { name: "point", value: (point) => point.point },
  ], shown);
  const same = study.columns.filter((column) => !varying(column) && column.key !== "message");
  element("study-same").textContent = same.length === 0 ? "" : `The same in all that have it: ${same.map((column) => `${column.name} ${cellText(column, column.values[0])}`).join(", ")}`;
  element("study-count").textContent = `${count(shown.length)} of ${count(study.points.length)} points${study.missing > 0 ? `, ${count(study.missing)} more have not been run` : ""}`;
}

// Bytes as 4 KiB, times with their unit.
const isSize = (column) => (column.isAxis ? column.values.every((raw) => /^[0-9.]+ ?[KMGT]?i?B$/.test(raw)) : column.name.endsWith("bytes"));
const isTime = (column) => !column.isAxis && column.name.endsWith("_ns");

function scatterAxis(column, points) {
  const values = points.map(column.value);
  const [low, high] = d3.extent(values);
  const isLog = low > 0 && high / low > kLogRatio;
  if (isSize(column)) return { label: column.name, log: isLog ? 2 : undefined, format: sizeText, text: bytes };
  if (isTime(column)) return { ...timeAxis(values, isLog ? 10 : undefined), text: figure };
  return { label: column.name, log: isLog ? 10 : undefined, format: d3.format(high >= 1e6 || high < 1e-2 ? ".3~s" : "~g"), text: figure };
}

// Fixes one value of each of these axes: the chosen one, or else the first, among the values of points
// that match the axes fixed before. Returns {points: the matching ones, fixed: [{column, values,
// value}]}.
function fixedTo(chart, axes, points) {
  let left = points;
  const fixed = [];
  for (const column of axes) {
    const values = inOrder(column, left);
    if (values.length === 0) break;
    const chosen = choice[`${chart}-fixed-${column.key}`];
    const value = values.includes(chosen) ? chosen : values[0];
    left = left.filter((point) => wordOf(column, point) === value);
    fixed.push({ column, values, value });
  }
  return { points: left, fixed };
}

// A selector for each fixed axis; `draw` draws the chart again.
function showFixed(chart, fixed, draw) {
  const focused = document.activeElement ? document.activeElement.id : "";
  const container = d3.select(element(`${chart}-fixed`)).text("").node();
  for (const { column, values, value } of fixed.filter((one) => one.values.length > 1)) {
    const id = `${chart}-fixed-${column.key}`;
    addSelect(container, id, column.name, values.map((text) => ({ value: text, label: text })), value, (text) => { choice[id] = text; draw(); });
    if (id === focused) element(id).focus();
  }
}
const fixedText = (fixed) => fixed.filter((one) => one.value !== kNothing).map(({ column, value }) => `${column.name} ${value}`).join(", ");

// Axes of the work, which is the same in every chart that compares machines and their settings.
const isOfWork = (column) => column.key === "command" || column.key.startsWith("options.");

// Pareto front: points that no other one beats in both columns.
function frontOf(points, x, y) {
  const across = choice["study-x-better"] === "more" ? -1 : 1;
  const up = choice["study-y-better"] === "more" ? -1 : 1;
  const order = points.slice().sort((a, b) => across * (x.value(a) - x.value(b)) || up * (y.value(a) - y.value(b)));
  const front = [];
  for (const point of order)
    if (front.length === 0 || up * y.value(point) < up * y.value(front[front.length - 1])) front.push(point);
  return front;
}

function drawScatter() {
  const container = d3.select(element("study-scatter")).text("").node();
  const x = columnOf("study-x");
  const y = columnOf("study-y");
  const colour = columnOf("study-colour");
  if (!x || !y) return;
  const others = axesOf().filter((column) => isOfWork(column) && ![x, y, colour].includes(column));
  const { points, fixed } = fixedTo("study-scatter", others, shown.filter((point) => x.value(point) !== null && y.value(point) !== null));
  showFixed("study-scatter", fixed, drawScatter);
  const group = (point) => (colour ? wordOf(colour, point) : "all points");
  const pointOf = (point) => ({ x: x.value(point), y: y.value(point), title: group(point), lines: pointLines(point, [x, y]) });
  const groups = unique(points.map(group));
  const series = groups.map((label, index) => ({ label, index, dash: "", isLoose: true, points: points.filter((point) => group(point) === label).map(pointOf) }));
  const front = { label: "Pareto front", index: groups.length, dash: "4 3", points: frontOf(points, x, y).map((point) => ({ ...pointOf(point), title: `${group(point)}, on the Pareto front` })) };
  legend(element("study-scatter-legend"), [...groups, "Pareto front"].map((label, index) => ({ label, mark: lineMark(index) })));
  const of = fixedText(fixed);
  lineChart(container, `${y.name} against ${x.name}${of ? `, ${of}` : ""}`, scatterAxis(x, points), scatterAxis(y, points), [...series, ...(front.points.length > 0 ? [front] : [])]);
}

// The values of a column in the order of numbers, or of the study.
const inOrder = (column, points) => unique(points.slice().sort((a, b) => (column.isNumber ? column.value(a) - column.value(b) : 0)).map((point) => wordOf(column, point)));

function drawHeatMap() {
  const container = d3.select(element("study-heat")).text("");
  const row = columnOf("study-row");
  const column = columnOf("study-column");
  const value = columnOf("study-value");
  if (!row || !column || !value || row === column) return;
  const { points, fixed } = fixedTo("study-heat", axesOf().filter((one) => one !== row && one !== column), shown.filter((point) => value.value(point) !== null));
  showFixed("study-heat", fixed, drawHeatMap);
  const cells = d3.nest().key((point) => wordOf(row, point)).key((point) => wordOf(column, point)).map(points);
  const rows = inOrder(row, points);
  const columns = inOrder(column, points);
  const shownCells = d3.merge(rows.map((r, i) => columns.map((c, k) => {
    const point = ((cells.get(r) && cells.get(r).get(c)) || [])[0];
    return { r, c, i, k, point, value: point ? value.value(point) : null };
  }))).filter((cell) => cell.value !== null);
  const of = fixedText(fixed);
  const title = `${value.name} by ${row.name} and ${column.name}${of ? `, ${of}` : ""}`;
  const figureOf = container.append("figure");
  figureOf.append("figcaption").text(title);
  const buttons = figureOf.append("span");
  const left = 36 + kLetterWidth * (d3.max(rows, (text) => Math.min(24, text.length)) || 0);
  const width = Math.max(280, container.node().clientWidth, left + 12 + columns.length * kMinCellWidth);
  const cell = (width - left - 12) / Math.max(1, columns.length);
  const bottom = 4 + rows.length * kCellHeight;
  const svg = figureOf.append("svg").attr("width", width).attr("height", bottom + 44).attr("role", "group").attr("aria-label", title);
  if (shownCells.length === 0) {
    svg.append("text").attr("x", width / 2).attr("y", 20).attr("text-anchor", "middle").text("no values");
    return;
  }
  addSaving(buttons.node(), title, svg.node(), element("study-heat"));
  const [low, high] = d3.extent(shownCells, (one) => one.value);
  const fill = (one) => heatColour(high > low ? (one.value - low) / (high - low) : 0.5);
  const short = (text, letters) => (text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text);
  svg.append("g").selectAll("text").data(rows).join("text").attr("x", left - 8).attr("y", (_, i) => 4 + (i + 0.65) * kCellHeight)
    .attr("text-anchor", "end").text((text) => short(text, 24));
  svg.append("g").selectAll("text").data(columns).join("text").attr("x", (_, k) => left + (k + 0.5) * cell).attr("y", bottom + 16)
    .attr("text-anchor", "middle").text((text) => short(text, Math.floor(cell / kLetterWidth)));
  svg.append("text").attr("class", "label").attr("x", left + columns.length * cell / 2).attr("y", bottom + 36).attr("text-anchor", "middle").text(column.name);
  svg.append("text").attr("class", "label").attr("transform", `translate(11,${bottom / 2})rotate(-90)`).attr("text-anchor", "middle").text(row.name);
  const drawn = svg.append("g").selectAll("g").data(shownCells).join("g").attr("class", "cell")
    .attr("transform", (one) => `translate(${left + one.k * cell},${4 + one.i * kCellHeight})`).attr("tabindex", 0).attr("role", "img")
    .attr("aria-label", (one) => `${one.r}, ${one.c}: ${figure(one.value)}`)
    .on("pointermove focus", (one) => showTooltip(d3.event, `${row.name} ${one.r}, ${column.name} ${one.c}`, pointLines(one.point, [value]))).on("pointerleave blur", hideTooltip);
  drawn.append("rect").attr("width", cell - 1).attr("height", kCellHeight - 1).style("fill", fill);
  drawn.filter((one) => figure(one.value).length * kLetterWidth < cell).append("text").attr("x", cell / 2).attr("y", 0.65 * kCellHeight)
    .attr("text-anchor", "middle").style("fill", (one) => (d3.lab(fill(one)).l > 55 ? "#000000" : "#ffffff")).text((one) => figure(one.value));
  container.append("p").attr("class", "note").text(`Colours from ${figure(low)} to ${figure(high)}. A cell is a point.`);
}

function drawStudy() {
  if (!study) return;
  drawScatter();
  drawHeatMap();
}

function showStudy() {
  filterPoints();
  showStudyTable();
  drawStudy();
}

function showStudyControls() {
  const filter = d3.select(element("study-filter")).text("").node();
  const field = d3.select(filter).append("label").attr("for", "study-words").text("Filter");
  field.append("input").attr("id", "study-words").attr("type", "search").attr("placeholder", "words, NAME=VALUE, NAME<NUMBER")
    .property("value", study.words).on("input", function () { study.words = this.value; showStudy(); });
  for (const column of axesOf().filter((one) => one.values.length <= kMostChoices)) {
    const options = [{ value: "", label: "all" }, ...inOrder(column, study.points).map((text) => ({ value: text, label: text }))];
    addSelect(filter, `study-only-${column.key}`, column.name, options, study.chosen[column.key] ?? "", (text) => {
      if (text === "") delete study.chosen[column.key];
      else study.chosen[column.key] = text;
      showStudy();
    });
  }
  const select = (container, id, label, columns, draw) => addSelect(container, id, label, columns.map((column) => ({ value: column.key, label: column.name })), choice[id],
    (key) => { choice[id] = key; draw(); });
  const better = (container, id) => addSelect(container, id, "better is", ["less", "more"].map((text) => ({ value: text, label: text })), choice[id],
    (text) => { choice[id] = text; drawScatter(); });
  const scatter = d3.select(element("study-scatter-controls")).text("").node();
  select(scatter, "study-x", "Across", numbersOf(), drawScatter);
  better(scatter, "study-x-better");
  select(scatter, "study-y", "Up", numbersOf(), drawScatter);
  better(scatter, "study-y-better");
  select(scatter, "study-colour", "Colours", axesOf(), drawScatter);
  const heat = d3.select(element("study-heat-controls")).text("").node();
  select(heat, "study-row", "Rows", axesOf(), drawHeatMap);
  select(heat, "study-column", "Columns", axesOf(), drawHeatMap);
  select(heat, "study-value", "Value", numbersOf().filter((column) => !column.isAxis), drawHeatMap);
  element("study-scatter-part").hidden = numbersOf().length < 2;
  element("study-heat-part").hidden = axesOf().length < 2;
}

function chooseStudy(index) {
  const one = data.sweeps[index];
  study = { name: one.study, missing: one.missing, points: one.points, columns: columnsOf(one.points), words: "", chosen: {} };
  const results = numbersOf().filter((column) => !column.isAxis);
  const time = results.find((column) => ["results.time_ns", "results.iteration_ns", "results.latency_cycles.mean"].includes(column.key)) ?? results[0];
  const numbers = numbersOf().filter((column) => column !== time);
  const axes = axesOf();
  const key = (column) => (column ? column.key : "");
  Object.assign(choice, {
    "study-x": key(numbers.find((column) => column.key === "results.traffic.link_bytes") ?? numbers[numbers.length - 1]), "study-y": key(time), "study-x-better": "less", "study-y-better": "less",
    "study-colour": key(axes[0]), "study-row": key(axes[0]), "study-column": key(axes[1]), "study-value": key(time),
  });
  showStudyControls();
  showStudy();
}

function showStudies() {
  element("study").hidden = data.sweeps.length === 0;
  if (data.sweeps.length === 0) return;
  if (data.sweeps.length > 1) {
    addSelect(element("study-choice"), "study-name", "Study", data.sweeps.map((one, k) => ({ value: k, label: one.study })), 0, (k) => chooseStudy(Number(k)));
  }
  chooseStudy(0);
}
