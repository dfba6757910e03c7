// SPDX-License-Identifier: Apache-2.0
// A table that its headings sort.

const kFirstRows = 100;  // rows of a long table; a button shows the others

// Columns: [{name, unit of the value, value(row), text(row) if it differs from the value, number:
// right-aligned}]. A click on a heading sorts, the next one reverses the order; a button saves all rows
// as sorted. `onRow(row or null)`: called when the pointer or focus enters or leaves a row.
function showTable(container, caption, columns, rows, { sortBy = null, descending = true, onRow = () => {} } = {}) {
  let sorted = sortBy;
  let down = descending;
  let limit = kFirstRows;
  const root = d3.select(container).text("");
  const table = root.append("div").attr("class", "scroll").attr("tabindex", 0).attr("role", "region")
    .attr("aria-label", caption).append("table").attr("class", "data");
  table.append("caption").append("span").text(caption);
  const headings = table.append("thead").append("tr").selectAll("th").data(columns).join("th")
    .attr("scope", "col").classed("number", (column) => column.number);
  const buttons = headings.append("button").attr("type", "button")
    .on("click", (column) => {
      down = sorted === column.name ? !down : Boolean(column.number);
      sorted = column.name;
      draw();
    });
  buttons.append("span").text((column) => column.name);
  buttons.append("span").attr("class", "arrow").attr("aria-hidden", true);
  const body = table.append("tbody");
  const more = root.append("button").attr("type", "button").attr("class", "more")
    .on("click", () => { limit = Infinity; draw(); });
  const save = () => saveFile(fileName(caption, "csv"), "text/csv", csvOf(columns, ordered()));
  tableSavers.set(container.id, save);
  saveButton(root.node(), "CSV", caption, save);

  function ordered() {
    const column = columns.find((one) => one.name === sorted);
    if (!column) return rows;
    const order = down ? d3.descending : d3.ascending;
    return rows.slice().sort((a, b) => order(column.value(a), column.value(b)));
  }
  function draw() {
    headings.attr("aria-sort", (column) => (column.name !== sorted ? "none" : down ? "descending" : "ascending"));
    headings.select(".arrow").text((column) => (column.name !== sorted ? "" : down ? " ▼" : " ▲"));
    const shown = ordered().slice(0, limit);
    const lines = body.selectAll("tr").data(shown).join("tr")
      .on("pointerenter", (row) => onRow(row)).on("pointerleave", () => onRow(null));
    lines.selectAll("td")
      .data((row) => columns.map((column) => ({ column, text: column.text ? column.text(row) : column.value(row) })))
      .join("td").classed("number", (cell) => cell.column.number).text((cell) => cell.text);
    more.attr("hidden", shown.length < rows.length ? null : true).text(`Show all ${count(rows.length)} rows`);
  }
  draw();
}
