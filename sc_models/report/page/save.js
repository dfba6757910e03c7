// SPDX-License-Identifier: Apache-2.0
// Charts as SVG files and tables as CSV files, as currently shown.

// Styles of the page that a drawing needs to look the same elsewhere.
const kDrawingStyles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor"];
const kSavedTitle = 28;   // pixels above a saved chart
const kSavedLine = 22;    // pixels of a line of its legend
const kSavedGap = 8;

function saveFile(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const fileName = (title, ending) => `${title.replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80)}.${ending}`;

// Fields as in RFC 4180.
function csvField(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

// Columns: as in showTable. Values are not rounded; headings have their unit.
function csvOf(columns, rows) {
  const heading = (column) => (column.unit ? `${column.name}, ${column.unit}` : column.name);
  return [columns.map(heading), ...rows.map((row) => columns.map((column) => column.value(row)))]
    .map((fields) => `${fields.map(csvField).join(",")}\n`).join("");
}

// Functions that save a table, by the id of its element.
const tableSavers = new Map();

function sizeOf(svg) {
  const box = svg.viewBox.baseVal;
  return box && box.width > 0 ? [box.width, box.height] : [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
}

// The marks and names of a legend, in lines below each other. Returns their height.
function drawSavedLegend(group, legend, width) {
  let x = 0;
  let line = 0;
  for (const entry of legend.querySelectorAll(":scope > span")) {
    const item = group.append("g");
    let length = 0;
    for (const part of entry.children) {
      if (part instanceof SVGSVGElement) {
        item.append("g").attr("transform", `translate(${length},3)`).node().append(...part.cloneNode(true).childNodes);
        length += sizeOf(part)[0] + 6;
      } else {
        const name = item.append("text").attr("x", length).attr("y", 14).text(part.textContent);
        length += name.node().getComputedTextLength() + 6;
      }
    }
    if (x > 0 && x + length > width) {
      x = 0;
      ++line;
    }
    item.attr("transform", `translate(${x},${line * kSavedLine})`);
    x += length + 12;
  }
  return legend.childElementCount > 0 ? (line + 1) * kSavedLine : 0;
}

// A drawing that needs nothing of this page. `legend`: an element with one, or null.
function standaloneSvg(title, svg, legend) {
  const [width, height] = sizeOf(svg);
  // The drawing is in the page while it is made, so that its styles and text widths are known.
  const root = d3.select(document.body).append("svg").attr("xmlns", "http://www.w3.org/2000/svg").attr("width", width);
  root.append("title").text(title);
  const paper = root.append("rect").attr("width", "100%").attr("height", "100%").style("fill", "var(--paper)");
  root.append("text").attr("x", kSavedGap).attr("y", 18).style("font-weight", 600).text(title);
  const chart = root.append("g").attr("class", svg.getAttribute("class")).attr("transform", `translate(0,${kSavedTitle})`);
  chart.node().append(...svg.cloneNode(true).childNodes);
  chart.selectAll(".hit").remove();  // pointer targets
  const below = root.append("g").attr("transform", `translate(${kSavedGap},${kSavedTitle + height + kSavedGap})`);
  const legendHeight = legend && !legend.hidden ? drawSavedLegend(below, legend, width - 2 * kSavedGap) : 0;
  const total = kSavedTitle + height + kSavedGap + legendHeight;
  root.attr("height", total).attr("viewBox", `0 0 ${width} ${total}`);
  const styles = root.selectAll("*").nodes().map((node) => {
    const computed = getComputedStyle(node);
    return kDrawingStyles.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";");
  });
  root.selectAll("*").attr("style", (_, k) => styles[k]).attr("class", null).attr("tabindex", null);
  paper.attr("width", width).attr("height", total);
  const text = new XMLSerializer().serializeToString(root.node());
  root.remove();
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}

function saveButton(container, kind, title, save) {
  d3.select(container).append("button").attr("type", "button").attr("class", "save").text(kind)
    .attr("aria-label", `Save ${title} as ${kind}`).attr("title", `Save as ${kind}`).on("click", save);
}

// The buttons of a chart. `place`: its container, which names its legend and its table by data-legend and data-table.
function addSaving(container, title, svg, place) {
  const legend = document.getElementById(place.dataset.legend);
  saveButton(container, "SVG", title, () => saveFile(fileName(title, "svg"), "image/svg+xml", standaloneSvg(title, svg, legend)));
  saveButton(container, "CSV", title, () => tableSavers.get(place.dataset.table)());
}
