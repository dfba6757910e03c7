// SPDX-License-Identifier: Apache-2.0
// Horizontal bars: stacked, or from a start to an end.

const kBarHeight = 20;
const kLetterWidth = 7;

// Rows: [{label, title, lines, text, bars: [{from, to, index}]}] with the tooltip's title and lines;
// an optional `text` is written behind the bars. `format` of the axis' values: null: counts, with one
// prefix for all; sizeText: bytes. Appends to `container`.
function barChart(container, title, axisLabel, format, rows) {
  const figure = d3.select(container).append("figure");
  figure.append("figcaption").text(title);
  const buttons = figure.append("span");
  const width = Math.max(300, figure.node().clientWidth);
  const room = (texts) => 14 + kLetterWidth * (d3.max(texts, (text) => text.length) || 0);
  const left = Math.min(0.42 * width, room(rows.map((row) => row.label)));
  const letters = Math.floor((left - 8) / kLetterWidth);
  const label = (text) => (text.length > letters  // both ends tell machines apart
    ? `${text.slice(0, Math.ceil((letters - 1) / 2))}…${text.slice(-Math.floor((letters - 1) / 2))}` : text);
  const right = width - Math.max(24, room(rows.filter((row) => row.text).map((row) => row.text)));
  const bottom = 4 + rows.length * kBarHeight;
  const svg = figure.append("svg").attr("width", width).attr("height", bottom + 44).attr("role", "group")
    .attr("aria-label", title);
  addSaving(buttons.node(), title, svg.node(), container);
  const end = d3.max(rows, (row) => d3.max(row.bars, (bar) => bar.to)) || 1;
  const across = d3.scaleLinear().domain([0, end]).range([left, right]);
  const most = Math.min(8, (right - left) / 60);
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(0,${bottom})`)
    .call(d3.axisBottom(across).ticks(most).tickValues(format === sizeText ? sizeTicks([0, end], most) : null).tickFormat(format ?? d3.formatPrefix(",~f", end)).tickSize(-bottom).tickPadding(6));
  svg.append("text").attr("class", "label").attr("x", (left + right) / 2).attr("y", bottom + 38)
    .attr("text-anchor", "middle").text(axisLabel);
  const lines = svg.append("g").selectAll("g").data(rows).join("g")
    .attr("transform", (_, k) => `translate(0,${4 + k * kBarHeight})`).attr("tabindex", 0).attr("role", "img")
    .attr("aria-label", (row) => `${row.title}: ${row.lines.map((l) => l.join(" ")).join(", ")}`)
    .on("pointermove focus", (row) => showTooltip(d3.event, row.title, row.lines))
    .on("pointerleave blur", hideTooltip);
  lines.append("rect").attr("class", "hit").attr("width", width).attr("height", kBarHeight);
  lines.append("text").attr("x", left - 6).attr("y", 14).attr("text-anchor", "end").text((row) => label(row.label));
  lines.filter((row) => row.text).append("text").attr("class", "value").attr("y", 14)
    .attr("x", (row) => across(d3.max(row.bars, (bar) => bar.to)) + 6).text((row) => row.text);
  lines.selectAll("rect.bar").data((row) => row.bars).join("rect").attr("class", "bar")
    .attr("x", (bar) => across(bar.from)).attr("y", 3).attr("height", kBarHeight - 6)
    .attr("width", (bar) => Math.max(bar.to > bar.from ? 1 : 0, across(bar.to) - across(bar.from)))
    .style("fill", (bar) => seriesColour(bar.index));
}
