// SPDX-License-Identifier: Apache-2.0
// Latency and throughput under load (`fredsim traffic`).

function rateLines(run) {
  const latency = run.latency_cycles;
  return [
    ["rate asked for", rate(run.rate)], ["offered", rate(run.offered_rate)], ["accepted", rate(run.accepted_rate)],
    ["latency, mean", cycles(latency.mean)], ["p50", cycles(latency.p50)], ["p95", cycles(latency.p95)],
    ["p99", cycles(latency.p99)], ["max", cycles(latency.max)], ["saturated", run.saturated ? "yes" : "no"],
  ];
}

const trafficLabel = (machine, run) => `${machine.label}, ${run.pattern}, ${run.packet_flits}-flit packets`;

// Series per machine, pattern and length of packets; `value`: function of a run.
function trafficSeries(name, value, dash) {
  const keyOf = (run) => JSON.stringify([run.machine.key, run.pattern, run.packet_flits]);
  return unique(trafficRuns.map(keyOf)).map((key, index) => {
    const own = trafficRuns.filter((run) => keyOf(run) === key).sort((a, b) => a.rate - b.rate);
    const label = trafficLabel(own[0].machine, own[0]);
    return {
      label: name ? `${label}: ${name}` : label, index, dash,
      points: own.map((run) => ({ x: run.offered_rate, y: value(run), title: label, machine: run.machine.label, lines: rateLines(run) })),
    };
  });
}

function drawOneRate(charts, offered) {
  const works = unique(trafficRuns.map((run) => `${run.pattern}, ${run.packet_flits}-flit packets`));
  const rows = (name, value, text) => d3.merge(trafficSeries("", value, "").map((one) => one.points.filter((p) => p.y !== null).map((p) => ({
    label: [works.length === 1 ? p.machine : one.label, ...name].join(", "), title: p.title, lines: p.lines, text: text(p.y),
    bars: [{ from: 0, to: p.y, index: one.index }],
  }))));
  const at = `rate ${rate(offered)}${works.length === 1 ? `, ${works[0]}` : ""}`;
  barChart(charts, `Latency at ${at}`, "Cycles", null,
    d3.merge(d3.zip(rows(["mean"], (run) => run.latency_cycles.mean, cycles), rows(["p99"], (run) => run.latency_cycles.p99, cycles))));
  barChart(charts, `Accepted at ${at}`, "Flits per cycle and sending NPU", d3.format("~g"), rows([], (run) => run.accepted_rate, rate));
}

function drawLoad() {
  if (trafficRuns.length === 0) return;
  element("load").hidden = false;
  const charts = d3.select(element("load-charts")).text("").node();
  const rates = unique(trafficRuns.map((run) => run.rate));
  element("load-legend").hidden = rates.length === 1;
  if (rates.length === 1) {
    drawOneRate(charts, rates[0]);
    return;
  }
  const means = trafficSeries("mean", (run) => run.latency_cycles.mean, "");
  const tails = trafficSeries("p99", (run) => run.latency_cycles.p99, "3 3");
  legend(element("load-legend"), [
    ...trafficSeries("", () => 0, "").map((one) => ({ label: one.label, mark: lineMark(one.index) })),
    ...[["mean latency", ""], ["p99 latency", "3 3"]].map(([label, dash]) => ({
      label, mark: (svg) => svg.append("line").attr("x2", 28).attr("y1", 7).attr("y2", 7).attr("class", "series-line plain").attr("stroke-dasharray", dash),
    })),
  ]);
  const offered = { label: "Offered, flits per cycle and sending NPU", format: d3.format("~g") };
  lineChart(charts, "Latency against offered rate", offered, { label: "Latency, cycles", log: 10, format: d3.format("~r") }, [...means, ...tails]);
  lineChart(charts, "Accepted against offered rate", offered, { label: "Accepted, flits per cycle and sending NPU", format: d3.format("~g") },
    trafficSeries("", (run) => run.accepted_rate, ""));
}

function showRatesTable() {
  const latency = ["mean", "p50", "p95", "p99", "max"].map((name) => ({
    name: `Latency ${name}`, unit: "cycles", number: true, value: (run) => run.latency_cycles[name], text: (run) => cycles(run.latency_cycles[name]),
  }));
  showTable(element("rates-table"), "Rates, in flits per cycle and sending NPU", [
    { name: "Machine", value: (run) => run.machine.label },
    { name: "Pattern", value: (run) => run.pattern },
    { name: "Rate", value: (run) => run.rate, text: (run) => rate(run.rate), number: true },
    { name: "Offered", value: (run) => run.offered_rate, text: (run) => rate(run.offered_rate), number: true },
    { name: "Accepted", value: (run) => run.accepted_rate, text: (run) => rate(run.accepted_rate), number: true },
    ...latency,
    { name: "Hops", value: (run) => run.hops, text: (run) => d3.format(".2f")(run.hops), number: true },
    { name: "Packets", value: (run) => run.packets, text: (run) => count(run.packets), number: true },
    { name: "Arrived", value: (run) => run.packets_arrived, text: (run) => count(run.packets_arrived), number: true },
    { name: "Saturated", value: (run) => (run.saturated ? "yes" : "no") },
  ], trafficRuns);
}
