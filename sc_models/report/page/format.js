// SPDX-License-Identifier: Apache-2.0
// Values as text, the same everywhere on the page, and the tooltip that shows them.

const count = d3.format(",");

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${d3.format(".4~r")(value)} ${units[unit]}`;
}

// Exact form of bytes, for axes: "1,000 B" is no whole number of hundredths of a KiB.
function sizeText(value) {
  const [scale, unit] = kSizeUnits.slice().reverse().find(([size]) => value >= size && Number.isInteger(100 * value / size)) ?? [1, "B"];
  return `${d3.format(",~r")(Number((value / scale).toPrecision(9)))} ${unit}`;
}

// Ticks of a linear axis of bytes: multiples of a power of two, `most` of them.
function sizeTicks([low, high], most) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2((high - low) / most)));
  return d3.range(Math.ceil(low / step), Math.floor(high / step) + 1).map((k) => k * step);
}

function time(ns) {
  const [scale, unit] = ns < 1e4 ? [1, "ns"] : ns < 1e7 ? [1e3, "µs"] : [1e6, "ms"];
  return `${d3.format(".5~r")(ns / scale)} ${unit}`;
}

// Unit of an axis, named by its label: the unit of the largest value, or on a logarithmic axis of
// the smallest.
function unitFor(value, units) {
  return units.reduce((best, unit) => (unit[0] <= value ? unit : best));
}
const kTimeUnits = [[1, "ns"], [1e3, "µs"], [1e6, "ms"]];
const kSizeUnits = [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]];

function axisOf(label, units, values, text, log) {
  const [scale, unit] = unitFor(log ? d3.min(values) : d3.max(values), units);
  return { label: `${label}, ${unit}`, log, format: (value) => d3.format(",~r")(Number((value / scale).toPrecision(6))), text };
}
const timeAxis = (values, log) => axisOf("Time", kTimeUnits, values, time, log);

const bandwidth = (gbps) => `${d3.format(",.1f")(gbps)} GB/s`;
const percent = (share) => `${d3.format(".2f")(100 * share)} %`;
const ratio = (value) => (value === undefined || value === null ? "–" : d3.format(".3f")(value));
const rate = (value) => d3.format(".4f")(value);
const cycles = (value) => (value === null ? "–" : `${d3.format(",.5~r")(value)} cycles`);

// Elements by series: each has a colour, a marker and a dash, so that colour is not the only
// difference.
const seriesColour = (index) => `var(--series-${index % 7})`;
const seriesDash = (index) => ["", "7 3", "2 3", "9 3 2 3"][Math.floor(index / 7 + index) % 4];
const seriesMarker = (index) => d3.symbol().type(d3.symbols[index % d3.symbols.length]).size(60)();

// Entries: [{label, mark}], `mark` draws into an SVG of 28 x 14.
function legend(container, entries) {
  const items = d3.select(container).text("").selectAll("span").data(entries).join("span");
  items.append("svg").attr("width", 28).attr("height", 14).attr("aria-hidden", true)
    .each(function (entry) { entry.mark(d3.select(this)); });
  items.append("span").text((entry) => entry.label);
}

function lineMark(index) {
  return (svg) => {
    svg.append("line").attr("x2", 28).attr("y1", 7).attr("y2", 7).attr("class", "series-line")
      .style("stroke", seriesColour(index)).attr("stroke-dasharray", seriesDash(index));
    svg.append("path").attr("d", seriesMarker(index)).attr("transform", "translate(14,7)")
      .style("fill", seriesColour(index));
  };
}

function boxMark(index) {
  return (svg) => svg.append("rect").attr("x", 8).attr("y", 1).attr("width", 12).attr("height", 12)
    .style("fill", seriesColour(index));
}

// Tooltip beside the pointer, or the element that has the focus. Lines: the first is the title, the
// others are [name, value].
function showTooltip(event, title, lines) {
  const tooltip = d3.select("#tooltip").attr("hidden", null).text("");
  tooltip.append("strong").text(title);
  const rows = tooltip.append("table").selectAll("tr").data(lines).join("tr");
  rows.append("td").text((line) => line[0]);
  rows.append("td").text((line) => line[1]);
  const box = event.currentTarget.getBoundingClientRect();
  const [x, y] = event.clientX ? [event.clientX, event.clientY] : [box.right, box.bottom];
  const { width, height } = tooltip.node().getBoundingClientRect();
  const left = x + 14 + width < window.innerWidth ? x + 14 : Math.max(4, x - 14 - width);
  const top = y + 14 + height < window.innerHeight ? y + 14 : Math.max(4, y - 14 - height);
  tooltip.style("left", `${left}px`).style("top", `${top}px`);
}

function hideTooltip() {
  d3.select("#tooltip").attr("hidden", true);
}
