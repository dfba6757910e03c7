// SPDX-License-Identifier: Apache-2.0
// The wafer as a heat map of its links' load. Links between the same two boxes in the same direction
// (of several ports, and of all slices if these are shown together) are one arrow.

const kApart = 4;  // pixels of an arrow from the middle between the two directions; it keeps to its right
const kHead = 7;

// Colours: the most loaded links have the highest contrast, idle ones the lowest.
function heatColour(share) {
  const isDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  return d3.interpolateInferno(isDark ? 0.3 + 0.65 * share : 0.8 - 0.72 * share);
}

// Links: [{name, from, to, flits, bytes, utilization}]. Arrows: [{from, to: boxes, links}].
function arrowsOf(drawing, links) {
  const arrows = new Map();
  for (const link of links) {
    const from = drawing.boxOf.get(link.from);
    const to = drawing.boxOf.get(link.to);
    if (!from || !to) continue;
    const key = `${from.id}>${to.id}`;
    if (!arrows.has(key)) arrows.set(key, { key, from, to, links: [] });
    arrows.get(key).links.push(link);
  }
  return [...arrows.values()];
}

// Point at which a line from the middle of a box in direction (ux, uy) leaves it.
const halfLength = (box, ux, uy) => Math.min(box.w / 2 / Math.max(1e-9, Math.abs(ux)), box.h / 2 / Math.max(1e-9, Math.abs(uy))) + 2;

function segment(x1, y1, x2, y2, length) {
  const ux = (x2 - x1) / length;
  const uy = (y2 - y1) / length;
  const head = Math.min(kHead, length / 2);
  const [bx, by] = [x2 - head * ux, y2 - head * uy];
  return {
    shaft: `M${x1},${y1}L${bx},${by}`,
    head: `M${x2},${y2}L${bx - 3.6 * uy},${by + 3.6 * ux}L${bx + 3.6 * uy},${by - 3.6 * ux}Z`,
  };
}

// The two paths of an arrow. One that closes a ring leaves the wafer on one side and comes back on the other.
function arrowPaths({ from, to }) {
  const wraps = from.grid && to.grid && Math.abs(from.grid.x - to.grid.x) + Math.abs(from.grid.y - to.grid.y) > 1;
  const sign = wraps ? -1 : 1;
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const ux = sign * (to.x - from.x) / distance;
  const uy = sign * (to.y - from.y) / distance;
  const [sx, sy] = [-kApart * uy, kApart * ux];
  const start = halfLength(from, ux, uy);
  const end = halfLength(to, ux, uy);
  if (!wraps) {
    const length = Math.max(2, distance - start - end);
    const [x1, y1] = [from.x + start * ux + sx, from.y + start * uy + sy];
    return segment(x1, y1, x1 + length * ux, y1 + length * uy, length);
  }
  const stub = 28;
  const away = segment(from.x + start * ux + sx, from.y + start * uy + sy, from.x + (start + stub) * ux + sx, from.y + (start + stub) * uy + sy, stub);
  const back = segment(to.x - (end + stub) * ux + sx, to.y - (end + stub) * uy + sy, to.x - end * ux + sx, to.y - end * uy + sy, stub);
  return { shaft: away.shaft + back.shaft, head: away.head + back.head };
}

function arrowLines(arrow) {
  const all = arrow.links.map((link) => link.utilization);
  const lines = [
    [all.length > 1 ? "utilization, mean" : "utilization", percent(d3.mean(all))],
    ...(all.length > 1 ? [["utilization, busiest", percent(d3.max(all))]] : []),
    ["flits", count(d3.sum(arrow.links, (link) => link.flits))],
    ["bytes", bytes(d3.sum(arrow.links, (link) => link.bytes))],
  ];
  return [...lines, all.length > 1 ? ["links", all.length] : ["link", arrow.links[0].name]];
}

// Minimum width in pixels, below which a drawing scrolls: by the size of its texts.
function narrowest(drawing, zoom) {
  if (zoom === "whole") return 0;
  if (zoom === "large") return 1.25 * drawing.width;
  return Math.min(drawing.width, Math.max(560, (drawing.isTree ? 0.5 : 0.68) * drawing.width));
}

const isCut = (container) => container.scrollWidth > container.clientWidth + 1 || container.scrollHeight > container.clientHeight + 1;

// Draws into `container`. `load(links)`: value of an arrow from its links' utilizations; `full`: the
// load at the end of the colour scale; `zoom`: "whole", "readable" or "large"; `boxLines(box)`: the
// tooltip of a switch or endpoint; `shown(link)`: the link is in a visible slice. Returns a function
// that highlights the arrow of a link (null: none).
function showWafer(container, drawing, links, load, full, zoom, boxLines, shown) {
  const lostShown = drawing.lostLinks.filter(shown);
  const isNodeShown = (name) => !drawing.sliceOf.has(name) || shown({ from: name, to: name });
  const nodesOf = (box) => [...drawing.boxOf.keys()].filter((name) => drawing.boxOf.get(name) === box && isNodeShown(name));
  const isLost = (box) => nodesOf(box).some((name) => drawing.lostNodes.has(name));
  const isGone = (box) => isLost(box) && nodesOf(box).every((name) => drawing.lostNodes.has(name));
  const isWide = drawing.isTree && drawing.width > 1300;  // it shrinks to the page, and its boxes have room
  const svg = d3.select(container).text("").append("svg").attr("role", "group").classed("wide", isWide)
    .attr("aria-label", "Wafer with the load of its links; the table below has the same values")
    .attr("viewBox", `0 0 ${drawing.width} ${drawing.height}`)
    .style("width", "100%").style("max-width", `${1.25 * drawing.width}px`).style("min-width", `${narrowest(drawing, zoom)}px`);
  const arrows = arrowsOf(drawing, links).map((arrow) => {
    const value = load(arrow.links.map((link) => link.utilization));
    return { ...arrow, ...arrowPaths(arrow), value, share: full > 0 ? Math.min(1, value / full) : 0 };
  });
  const drawn = svg.append("g").selectAll("g").data(arrows.sort((a, b) => a.value - b.value)).join("g")
    .attr("class", "arrow").classed("idle", (arrow) => arrow.value === 0)
    .attr("data-from", (arrow) => arrow.from.id).attr("data-to", (arrow) => arrow.to.id)
    .on("pointermove", (arrow) => showTooltip(d3.event, `${arrow.from.id} → ${arrow.to.id}`, arrowLines(arrow)))
    .on("pointerleave", hideTooltip);
  const colour = (arrow) => (arrow.value === 0 ? null : heatColour(arrow.share));
  drawn.append("path").attr("class", "hit").attr("d", (arrow) => arrow.shaft + arrow.head);
  drawn.append("path").attr("class", "shaft").attr("d", (arrow) => arrow.shaft)
    .style("stroke", colour).style("stroke-width", (arrow) => (arrow.value === 0 ? 1 : 1.6 + 2.8 * arrow.share));
  drawn.append("path").attr("class", "head").attr("d", (arrow) => arrow.head).style("fill", colour);

  // Failed links lie over the arrows: of overlaid slices, one may lack links that others have.
  const lost = arrowsOf(drawing, lostShown).map((arrow) => ({ ...arrow, ...arrowPaths(arrow) }));
  const crosses = svg.append("g").selectAll("g").data(lost).join("g").attr("class", "lost-link")
    .on("pointermove", (arrow) => showTooltip(d3.event, `${arrow.from.id} → ${arrow.to.id}, failed`, arrow.links.map((link) => ["failed", link.name])))
    .on("pointerleave", hideTooltip);
  crosses.append("path").attr("class", "hit").attr("d", (arrow) => arrow.shaft + arrow.head);
  crosses.append("path").attr("class", "shaft").attr("d", (arrow) => arrow.shaft + arrow.head);

  const boxes = svg.append("g").selectAll("g").data(drawing.boxes).join("g")
    .attr("class", (box) => `box ${box.kind}`).classed("lost", isLost).attr("transform", (box) => `translate(${box.x},${box.y})`)
    .on("pointermove", (box) => showTooltip(d3.event, box.id, boxLines(box)))
    .on("pointerleave", hideTooltip);
  boxes.append("rect").attr("x", (box) => -box.w / 2).attr("y", (box) => -box.h / 2)
    .attr("width", (box) => box.w).attr("height", (box) => box.h)
    .attr("rx", (box) => (box.kind === "npu" ? 2 : box.kind === "io" ? 9 : 6));
  boxes.append("text").attr("dy", "0.35em").text((box) => box.label);
  boxes.filter(isGone).append("path").attr("class", "cross").attr("d", (box) => {
    const [x, y] = [box.w / 2, box.h / 2];
    return `M${-x},${-y}L${x},${y}M${-x},${y}L${x},${-y}`;
  });

  return (link) => drawn.classed("picked", (arrow) => link !== null && arrow.links.includes(link));
}

// Legend: the colour scale from 0 to `full`, an idle link, and the kinds of boxes.
function showWaferLegend(container, full, isTree, hasLost) {
  const root = d3.select(container).text("").attr("class", "legend");
  const scale = root.append("span").attr("class", "scale");
  scale.append("span").text("0 %");
  const bar = scale.append("svg").attr("width", 160).attr("height", 14).attr("role", "img")
    .attr("aria-label", `colours from 0 to ${percent(full)} utilization`);
  bar.selectAll("rect").data(d3.range(40)).join("rect").attr("x", (k) => 4 * k).attr("width", 4.5).attr("height", 14)
    .style("fill", (k) => heatColour(k / 39));
  scale.append("span").text(`${percent(full)} utilization`);
  const idle = root.append("span");
  idle.append("svg").attr("width", 28).attr("height", 14).attr("aria-hidden", true).append("line")
    .attr("class", "idle-line").attr("x2", 28).attr("y1", 7).attr("y2", 7);
  idle.append("span").text("idle");
  if (hasLost) {
    const lost = root.append("span");
    const mark = lost.append("svg").attr("width", 28).attr("height", 14).attr("aria-hidden", true).append("g").attr("class", "lost-link");
    mark.append("path").attr("class", "shaft").attr("d", "M0,7L28,7");
    lost.append("span").text("failed");
  }
  for (const [kind, name] of [[isTree ? "fred_switch" : "mesh_router", isTree ? "FRED switch" : "router"], ["npu", "NPU"], ["io", "I/O controller"]]) {
    const entry = root.append("span");
    entry.append("svg").attr("width", 28).attr("height", 14).attr("aria-hidden", true)
      .append("g").attr("class", `box ${kind}`).append("rect").attr("x", 4).attr("y", 1).attr("width", 20).attr("height", 12)
      .attr("rx", kind === "npu" ? 2 : 6);
    entry.append("span").text(name);
  }
}
