// SPDX-License-Identifier: Apache-2.0
// Line charts on two numeric axes.

const kChartHeight = 320;
const kMargin = { top: 12, right: 26, bottom: 46, left: 74 };
const kLabelGap = 8;  // pixels between labels of an axis
const kLabelHeight = 12;
const kReach = 40;  // pixels within which the pointer picks a point

// Both ends of an axis with some room; a logarithmic one has no 0.
function domainOf(values, isLog) {
  const [low, high] = d3.extent(values);
  if (!isLog) return [0, high > 0 ? high * 1.05 : 1];
  return low === high ? [low / 2, high * 2] : [low / 1.15, high * 1.15];
}

// Powers of `base` in the domain, at most `most`; up to two powers of ten come with their multiples by
// 2 and 5.
function logTicks([low, high], base, most) {
  const power = (value) => Math.log(value) / Math.log(base);
  const first = Math.ceil(power(low) - 1e-9);
  const last = Math.floor(power(high) + 1e-9);
  const powers = d3.range(first, last + 1).map((k) => Math.pow(base, k));
  if (powers.length > most) return powers.filter((_, k) => k % Math.ceil(powers.length / most) === 0);
  if (base !== 10 || powers.length > 2) return powers;
  return d3.merge(d3.range(first - 1, last + 1).map((k) => [1, 2, 5].map((n) => n * Math.pow(10, k))))
    .filter((tick) => tick >= low && tick <= high);
}

function scaleOf(axis, values, range, most) {
  const domain = domainOf(values, axis.log);
  const scale = (axis.log ? d3.scaleLog().base(axis.log) : d3.scaleLinear()).domain(domain).range(range);
  if (axis.ticks) return { scale, ticks: axis.ticks };
  if (axis.format === sizeText && !axis.log) return { scale, ticks: sizeTicks(domain, most) };
  return { scale, ticks: axis.log ? logTicks(domain, axis.log, most) : scale.ticks(most) };
}

// Ticks of an axis, in ascending order, whose labels fit beside each other; the last one always does.
function labelledTicks(svg, { scale, ticks }, format) {
  const probe = svg.append("g").attr("class", "axis").append("text");
  const ends = ticks.map((tick) => {
    const half = probe.text(format(tick)).node().getComputedTextLength() / 2 + kLabelGap / 2;
    return { tick, from: scale(tick) - half, to: scale(tick) + half };
  });
  probe.node().parentNode.remove();
  const last = ends[ends.length - 1];
  let right = -Infinity;
  return new Set(ends.filter((end) => {
    const fits = end === last || (end.from >= right && end.to <= last.from);
    if (fits) right = end.to;
    return fits;
  }).map((end) => end.tick));
}

// x, y: {label, log: base of a logarithmic axis, format, text of a value if it differs from the
// format's, ticks if they are given}. Series: [{label, index, dash, points: [{x, y, low, high, label,
// title, lines}]}]; title and lines are the tooltip of a point; low and high, an interval around it,
// and a label are optional. No line joins the points of a series that `isLoose`. Appends to
// `container`.
function lineChart(container, title, x, y, series) {
  const figure = d3.select(container).append("figure");
  figure.append("figcaption").text(title);
  const buttons = figure.append("span");
  const width = Math.max(280, figure.node().clientWidth);
  const svg = figure.append("svg").attr("width", width).attr("height", kChartHeight).attr("role", "group")
    .attr("aria-label", `${title}: ${series.map((one) => one.label).join(", ")}`);
  const shown = series.map((one) => ({
    ...one,
    points: one.points.filter((p) => p.y !== null && (!x.log || p.x > 0) && (!y.log || p.y > 0)),
  }));
  const points = d3.merge(shown.map((one) => one.points.map((p) => ({ ...p, series: one }))));
  if (points.length === 0) {
    svg.append("text").attr("x", width / 2).attr("y", kChartHeight / 2).attr("text-anchor", "middle").text("no values");
    return;
  }
  const right = width - kMargin.right;
  const bottom = kChartHeight - kMargin.bottom;
  const across = scaleOf(x, points.map((p) => p.x), [kMargin.left, right], width < 420 ? 5 : 8);
  const up = scaleOf(y, d3.merge(points.map((p) => [p.y, p.high ?? p.y])), [bottom, kMargin.top], 6);

  const labelled = labelledTicks(svg, across, x.format);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
    .call(d3.axisBottom(across.scale).tickValues(across.ticks).tickSizeOuter(0)
      .tickFormat((tick) => (labelled.has(tick) ? x.format(tick) : "")));
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(${kMargin.left},0)`)
    .call(d3.axisLeft(up.scale).tickValues(up.ticks).tickFormat(y.format).tickSize(kMargin.left - right).tickPadding(6));
  svg.append("text").attr("class", "label").attr("x", (kMargin.left + right) / 2).attr("y", kChartHeight - 8)
    .attr("text-anchor", "middle").text(x.label);
  svg.append("text").attr("class", "label").attr("transform", `translate(13,${bottom / 2})rotate(-90)`)
    .attr("text-anchor", "middle").text(y.label);

  addSaving(buttons.node(), title, svg.node(), container);

  const line = d3.line().x((p) => across.scale(p.x)).y((p) => up.scale(p.y));
  svg.append("g").selectAll("path").data(shown.filter((one) => !one.isLoose)).join("path").attr("class", "series-line")
    .attr("d", (one) => line(one.points)).style("stroke", (one) => seriesColour(one.index))
    .attr("stroke-dasharray", (one) => one.dash);
  svg.append("g").selectAll("line").data(points.filter((p) => p.low !== undefined)).join("line").attr("class", "interval")
    .attr("x1", (p) => across.scale(p.x)).attr("x2", (p) => across.scale(p.x))
    .attr("y1", (p) => up.scale(p.low)).attr("y2", (p) => up.scale(p.high)).style("stroke", (p) => seriesColour(p.series.index));
  const place = (p) => `translate(${across.scale(p.x)},${up.scale(p.y)})`;
  const markers = svg.append("g").selectAll("path").data(points).join("path").attr("class", "point")
    .attr("d", (p) => seriesMarker(p.series.index)).attr("transform", place)
    .style("fill", (p) => seriesColour(p.series.index)).attr("tabindex", 0).attr("role", "img")
    .attr("aria-label", (p) => `${p.title}: ${p.lines.map((l) => l.join(" ")).join(", ")}`)
    .on("focus", (p) => pick(p)).on("blur", () => pick(null));

  // A series of one point has no line to follow: its label, or else its value, is written there.
  const places = new Map();
  const labels = svg.append("g").selectAll("text").data(shown.filter((one) => one.points.length === 1 && !one.isLoose).map((one) => one.points[0])).join("text")
    .attr("class", "value").attr("x", (p) => across.scale(p.x) + (onTheRight(p) ? -9 : 9))
    .attr("text-anchor", (p) => (onTheRight(p) ? "end" : "start")).text((p) => p.label ?? (y.text || y.format)(p.y));
  labels.each(function (p) { places.set(p, freePlace(places, this.getComputedTextLength(), p)); })
    .attr("y", (p) => places.get(p).y);

  function onTheRight(p) {
    return across.scale(p.x) > (kMargin.left + right) / 2;
  }
  // Places a label beside its point, or above it, clear of other labels.
  function freePlace(taken, length, p) {
    const from = across.scale(p.x) + (onTheRight(p) ? -9 - length : 9);
    let place = { from, to: from + length, y: up.scale(p.y) + 4 };
    const meets = (other) => place.from < other.to && other.from < place.to && Math.abs(place.y - other.y) < kLabelHeight;
    while ([...taken.values()].some(meets)) place = { ...place, y: place.y - kLabelHeight / 2 };
    return place;
  }

  function pick(point) {
    markers.classed("picked", (p) => p === point);
    if (point) showTooltip(d3.event, point.title, point.lines);
    else hideTooltip();
  }
  svg.on("pointermove", function () {
    const [px, py] = d3.mouse(this);
    const away = (p) => Math.hypot(across.scale(p.x) - px, up.scale(p.y) - py);
    const nearest = points.reduce((best, p) => (away(p) < away(best) ? p : best));
    pick(away(nearest) < kReach ? nearest : null);
  }).on("pointerleave", () => pick(null));
}
