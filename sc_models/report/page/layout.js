// SPDX-License-Identifier: Apache-2.0
// Layout of the drawn nodes of a fabric. Slices of a FRED tree lie on top of each other: a box is a
// switch, or one of its chiplets, in every slice.
//
// A drawing is {width, height, boxes: [{id, label, kind, x, y, w, h}], boxOf: Map from a node's name to its box,
// sliceOf: Map from a switch's name to its slice, isTree}; x and y are a box's centre.

const kPitch = 112;  // pitch of the routers of a mesh

function neighbours(fabric) {
  const all = new Map();
  const join = (from, to) => {
    if (!all.has(from)) all.set(from, new Set());
    all.get(from).add(to);
  };
  for (const link of [...fabric.links, ...lostLinks(fabric)]) join(link.from, link.to);
  for (const node of fabric.layout.nodes) {
    if (!node.above) continue;
    join(node.name, node.above);
    join(node.above, node.name);
  }
  return all;
}

// Failed links, in both directions: "link:npu3.0->l1_0.s0.3" is from npu3 to l1_0.s0. Those at part of their rate
// are among the others.
function lostLinks(fabric) {
  const node = (port) => port.slice(0, port.lastIndexOf("."));
  return d3.merge(fabric.faults.filter((fault) => fault.startsWith("link:") && !fault.includes("*")).map((fault) => {
    const [from, to] = fault.slice("link:".length).split("->").map(node);
    return [{ name: fault, from, to }, { name: fault, from: to, to: from }];
  }));
}

// Failed nodes, by name; a box has failed with all that it stands for.
const lostNodes = (fabric) => new Set(fabric.layout.nodes.filter((node) => node.lost).map((node) => node.name));

function drawingOf(fabric) {
  const layout = fabric.layout;
  if (!layout || layout.nodes.length === 0) return null;
  const grid = layout.nodes.some((node) => "x" in node);
  if (!grid && !layout.nodes.some((node) => "level" in node)) return null;
  const drawing = { boxes: [], boxOf: new Map(), sliceOf: new Map(), isTree: !grid, lostLinks: lostLinks(fabric), lostNodes: lostNodes(fabric) };
  (grid ? placeGrid : placeTree)(layout.nodes, neighbours(fabric), drawing);
  const margin = 20;
  const left = d3.min(drawing.boxes, (box) => box.x - box.w / 2) - margin;
  const top = d3.min(drawing.boxes, (box) => box.y - box.h / 2) - margin;
  for (const box of drawing.boxes) {
    box.x -= left;
    box.y -= top;
  }
  drawing.width = d3.max(drawing.boxes, (box) => box.x + box.w / 2) + margin;
  drawing.height = d3.max(drawing.boxes, (box) => box.y + box.h / 2) + margin;
  return drawing;
}

function addBox(drawing, names, box) {
  drawing.boxes.push(box);
  for (const name of names) drawing.boxOf.set(name, box);
  return box;
}

// "npu12" -> "12": the box is small, and its tooltip has the whole name.
const number = (name) => name.replace(/^\D+/, "") || name;

// Routers in rows and columns, each with its NPU to the south-east of it; I/O controllers on outward faces, which
// a router counts from the north clockwise.
function placeGrid(nodes, next, drawing) {
  const kinds = new Map(nodes.map((node) => [node.name, node.kind]));
  const routers = nodes.filter((node) => "x" in node);
  const east = d3.max(routers, (node) => node.x);
  const south = d3.max(routers, (node) => node.y);
  const named = new Map(routers.map((node) => [node.name, node]));
  const isRing = routers.some((node) => [...next.get(node.name) || []].some((name) => {
    const other = named.get(name);
    return other && Math.abs(other.x - node.x) + Math.abs(other.y - node.y) > 1;
  }));
  const [away, aside] = isRing ? [56, 32] : [64, 0];  // the links that close a ring leave in the middle of a face
  for (const router of routers) {
    const x = router.x * kPitch;
    const y = router.y * kPitch;
    addBox(drawing, [router.name], { id: router.name, label: router.name.replace(/^r/, ""), kind: "mesh_router", x, y, w: 34, h: 26, grid: router });
    const faces = [
      router.y === 0 && [-aside, -away], router.x === east && [away, -aside],
      router.y === south && [-aside, away], router.x === 0 && [-away, -aside],
    ].filter(Boolean);
    for (const name of next.get(router.name) || []) {
      const kind = kinds.get(name);
      if (kind !== "npu" && kind !== "io") continue;
      const [dx, dy] = kind === "npu" ? [44, 42] : faces.shift() || [-44, 42];
      addBox(drawing, [name], { id: name, label: number(name), kind, x: x + dx, y: y + dy, w: kind === "npu" ? 28 : 22, h: kind === "npu" ? 24 : 18 });
    }
  }
}

// L1 switches in a row, NPUs below each, I/O controllers beside it; every level above over the switches it joins.
function placeTree(nodes, next, drawing) {
  const kinds = new Map(nodes.map((node) => [node.name, node.kind]));
  const groups = d3.nest().key((node) => `${node.level}.${node.switch}.${node.chiplet}`)
    .entries(nodes.filter((node) => "level" in node)).map((entry) => entry.values);
  const levelOf = (level) => groups.filter((group) => group[0].level === level);
  for (const group of groups) for (const node of group) drawing.sliceOf.set(node.name, node.slice);
  const endpoints = (group, kind) => {
    const names = new Set();
    for (const node of group) for (const name of next.get(node.name) || []) if (kinds.get(name) === kind) names.add(name);
    return [...names];
  };
  const first = levelOf(1);
  const npus = d3.max(first, (group) => endpoints(group, "npu").length);
  const pitch = first.length * npus > 40 ? 32 : 42;
  const boxId = (group) => group[0].level === 1 ? `L1 ${group[0].switch}` : `L${group[0].level} ${group[0].switch}.${group[0].chiplet}`;
  let x = 0;
  for (const group of first) {
    const below = endpoints(group, "npu");
    const beside = endpoints(group, "io");
    const width = Math.max(below.length * pitch, beside.length ? 176 : 96) + 14;
    const centre = x + width / 2;
    addBox(drawing, group.map((node) => node.name), { id: boxId(group), label: boxId(group), kind: "fred_switch", level: 1, x: centre, y: 0, w: 56, h: 30 });
    below.forEach((name, k) => addBox(drawing, [name], { id: name, label: number(name), kind: "npu", x: centre + (k - (below.length - 1) / 2) * pitch, y: 92, w: 28, h: 24 }));
    beside.forEach((name, k) => addBox(drawing, [name], { id: name, label: number(name), kind: "io", x: centre + (k % 2 ? 70 : -70), y: 24 * Math.floor(k / 2) - 6, w: 22, h: 18 }));
    x += width;
  }
  // Chiplets of each switch of a level side by side, over the middle of the level below.
  const top = d3.max(groups, (group) => group[0].level);
  const chiplet = 104;
  for (let level = 2; level <= top; ++level) {
    let free = -Infinity;  // no two boxes on one place
    const switches = d3.nest().key((group) => group[0].switch).entries(levelOf(level)).map((entry) => entry.values);
    for (const chiplets of switches) {
      const joined = new Set(d3.merge(chiplets.map((group) => d3.merge(group.map((node) => [...next.get(node.name) || []])))));
      const under = [...joined].map((name) => drawing.boxOf.get(name)).filter((box) => box && box.level === level - 1);
      const middle = d3.mean(d3.extent(under, (box) => box.x));
      const from = Math.max(free, middle - (chiplets.length - 1) * chiplet / 2);
      chiplets.forEach((group, k) => addBox(drawing, group.map((node) => node.name),
        { id: boxId(group), label: boxId(group), kind: "fred_switch", level, x: from + k * chiplet, y: -150 * (level - 1), w: 64, h: 30 }));
      free = from + chiplets.length * chiplet;
    }
  }
}
