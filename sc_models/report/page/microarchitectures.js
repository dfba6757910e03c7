// SPDX-License-Identifier: Apache-2.0
// Kinds of switches beside each other: time of a work against area, energy, everything as a table
// (scripts/microarchitectures.sh).

let shownWork = null;  // null: the first, until one is chosen

const area = (mm2) => `${d3.format(".3~r")(mm2)} mm²`;
const energy = (pj) => `${d3.format(".3~r")(pj)} pJ/B`;
const workOfKind = (kind) => kind.works.find((work) => work.work === shownWork);

// A colour and a mark for every kind, whatever its parameters.
const kindNames = (kinds) => unique(kinds.map((kind) => kind.kind));
const indexOfKind = (kinds, kind) => kindNames(kinds).indexOf(kind.kind);

// Pareto front: kinds that no other one beats in both area and time, smallest first.
function paretoFront(points) {
  const front = [];
  for (const point of points.slice().sort((a, b) => a.x - b.x || a.y - b.y)) {
    if (front.length === 0 || point.y < front[front.length - 1].y) front.push(point);
  }
  return front;
}

function kindLines(kind, work) {
  return [["work", work.work], ["algorithm", work.algorithm], ["time", time(work.time_ns)],
    ["at its own clock", orDash(work.own_clock_time_ns, time)], ["area of all switches", orDash(kind.area_mm2, area)],
    ["longest path", orDash(kind.path_fo4, (fo4) => `${fo4} FO4`)], ["energy", orDash(work.energy_pj_per_byte, energy)]];
}

function drawKindScatter(charts, kinds, title, value) {
  const shown = kinds.filter((kind) => workOfKind(kind) && kind.area_mm2 !== null);
  if (shown.length === 0) return;  // results without synthesis
  const series = shown.map((kind) => {
    const work = workOfKind(kind);
    return {
      label: kind.name, index: indexOfKind(kinds, kind), dash: null,
      points: [{ x: kind.area_mm2, y: value(work), label: kind.name, title: kind.name, lines: kindLines(kind, work) }],
    };
  });
  const front = paretoFront(d3.merge(series.map((one) => one.points)));
  const line = { label: "Pareto front", index: kindNames(kinds).length, dash: "4 3", points: front.map((point) => ({ ...point, title: `${point.title}, on the Pareto front` })) };
  lineChart(charts, title, { label: "Area of all switches of the machine, mm²", log: 10, format: d3.format("~r") },
    timeAxis(d3.merge(series.map((one) => one.points.map((point) => point.y))), 10), [line, ...series]);
}

const worksOf = (kinds) => unique(d3.merge(kinds.map((kind) => kind.works.map((work) => work.work))));

function drawMicroarchitectures() {
  const kinds = data.microarchitectures;
  if (kinds.length === 0) return;
  shownWork = shownWork ?? worksOf(kinds)[0];
  element("kinds").hidden = false;
  const charts = d3.select(element("kinds-charts")).text("").node();
  legend(element("kinds-legend"), [...kindNames(kinds), "Pareto front"].map((label, index) => ({ label, mark: lineMark(index) })));
  drawKindScatter(charts, kinds, `${shownWork}, one clock for all: time and area`, (work) => work.time_ns);
  drawKindScatter(charts, kinds, `${shownWork}, each at its own clock: time and area`, (work) => work.own_clock_time_ns);
  const shown = kinds.filter(workOfKind);
  const rows = (value, text) => shown.filter((kind) => value(kind) !== null).map((kind) => ({
    label: kind.name, title: kind.name, lines: kindLines(kind, workOfKind(kind)), text: text(value(kind)),
    bars: [{ from: 0, to: value(kind), index: indexOfKind(kinds, kind) }],
  }));
  const axis = timeAxis(shown.map((kind) => workOfKind(kind).time_ns));
  barChart(charts, `${shownWork}: time`, axis.label, axis.format, rows((kind) => workOfKind(kind).time_ns, time));
  const energies = rows((kind) => workOfKind(kind).energy_pj_per_byte, energy);
  if (energies.length > 0) barChart(charts, `${shownWork}: energy of a byte of the vector`, "pJ per byte", null, energies);
}

function showMicroarchitectures() {
  const kinds = data.microarchitectures;
  if (kinds.length === 0) return;
  const works = worksOf(kinds);
  if (works.length > 1) {
    addSelect(element("kinds-controls"), "work-of-kinds", "Work", works.map((work) => ({ value: work, label: work })), works[0],
      (work) => { shownWork = work; drawMicroarchitectures(); });
  }
  const figure = (name, key, text, unit) => ({ name, unit, value: (kind) => kind[key], text: (kind) => orDash(kind[key], text), number: true });
  const timeOf = (kind, name, key) => (kind.works.find((work) => work.work === name) || {})[key];
  showTable(element("kinds-table"), "Switches: area and clock from synthesis, times and rates from simulation", [
    { name: "Switch", value: (kind) => kind.name },
    { name: "Machine", value: (kind) => kind.config },
    figure("Logic", "logic_kge", count, "kGE"),
    figure("Area of all", "area_mm2", area, "mm²"),
    figure("Path", "path_fo4", (fo4) => fo4, "FO4"),
    figure("Own clock", "clock_ghz", d3.format(".2f"), "GHz"),
    figure("Saturation", "saturation", d3.format(".2f"), "flits per cycle and NPU"),
    { ...figure("Conflicts", "conflict_rate", share, "fraction"), text: (kind) => kind.conflicts || orDash(kind.conflict_rate, share) },
    ...works.map((name) => ({ name, unit: "ns", value: (kind) => timeOf(kind, name, "time_ns"), text: (kind) => orDash(timeOf(kind, name, "time_ns"), time), number: true })),
  ], kinds);
}
