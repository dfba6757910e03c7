// SPDX-License-Identifier: Apache-2.0
// Training iterations (`train`): a chart per work, a bar per machine, stacked by where the time of an NPU went.

const kTrainingParts = { compute: "compute", bubble: "bubble", input_load: "input load", mp: "MP", pp: "PP", dp: "DP", streaming: "weight streaming", memory: "memory" };

// Common properties of the machines of a chart.
function trainingOf(run) {
  const rate = run.compute_flops_per_s === null ? "roofline" : `${d3.format(".3~s")(run.compute_flops_per_s)}FLOP/s`;
  if (run.strategy === null) return `${run.workload}, ${rate}`;
  if (run.inference) {
    const { phase, batch, context } = run.inference;
    return `${run.workload}, ${run.strategy}, ${phase} of ${batch} sequences, context ${context}, ${rate}`;
  }
  const optimizer = (run.optimizer ?? "none") === "none" ? "" : `, ${run.optimizer}`;
  return `${run.workload}, ${run.strategy}, minibatch ${run.minibatch}, ${run.accounting}, ${run.gradients}${optimizer}, ${rate}`;
}

const trainedMachine = (run) => (settingsOf(run) ? `${run.fabric} (${settingsOf(run)})` : run.fabric);

function trainingRows(runs) {
  return runs.map((run) => {
    let end = 0;
    return {
      label: trainedMachine(run), title: trainedMachine(run),
      lines: [["iteration", time(run.iteration_ns)], ...(run.speedup === undefined ? [] : [["speed-up", `${ratio(run.speedup)} ×`]]),
        ...Object.entries(run.breakdown_ns).map(([part, ns]) => [kTrainingParts[part] ?? part, time(ns)])],
      bars: Object.values(run.breakdown_ns).map((ns, index) => ({ index, from: end, to: (end += ns) })),
      text: run.speedup === undefined ? time(run.iteration_ns) : `${time(run.iteration_ns)}, ${ratio(run.speedup)} ×`,
    };
  });
}

function showTrainings() {
  const runs = data.trainings;
  element("training").hidden = runs.length === 0;
  if (runs.length === 0) return;
  const parts = unique(runs.flatMap((run) => Object.keys(run.breakdown_ns))); // memory is last, where it is
  legend(element("training-legend"), parts.map((part, index) => ({ label: kTrainingParts[part] ?? part, mark: boxMark(index) })));
  const charts = d3.select(element("training-charts")).text("").node();
  const keyOf = (run) => JSON.stringify([run.file, trainingOf(run)]);
  unique(runs.map(keyOf)).forEach((key) => {
    const own = runs.filter((run) => keyOf(run) === key);
    const axis = timeAxis(own.map((run) => run.iteration_ns));
    barChart(charts, `An iteration of ${trainingOf(own[0])}`, axis.label, axis.format, trainingRows(own));
  });
  showTable(element("training-table"), "Training iterations: mean time, and where an NPU's went: computing, exposed communication, bubbles", [
    { name: "Machine", value: trainedMachine },
    ...workColumn(runs),
    { name: "Iteration", unit: "ns", value: (run) => run.iteration_ns, text: (run) => time(run.iteration_ns), number: true },
    { name: "Speed-up", value: (run) => run.speedup, text: (run) => ratio(run.speedup), number: true },
    ...parts.map((part) => ({ name: kTrainingParts[part] ?? part, unit: "ns", value: (run) => run.breakdown_ns[part] ?? 0,
      text: (run) => time(run.breakdown_ns[part] ?? 0), number: true })),
    ...(runs.some((run) => run.inference) ? [{ name: "Tokens/s", value: (run) => run.tokens_per_s,
      text: (run) => (run.tokens_per_s === undefined ? "" : d3.format(",.0f")(run.tokens_per_s)), number: true }] : []),
    { name: "Payload", value: (run) => run.payload },
  ], runs);
  showTrainedMachines(runs);
  showMemory(runs);
  showLayers(runs);
}

// Shown only if it differs between runs.
const workColumn = (runs) => (unique(runs.map(trainingOf)).length > 1 ? [{ name: "Work", value: trainingOf }] : []);
const isExposed = (part) => !["compute", "bubble", "memory"].includes(part);
const partName = (part) => `${kTrainingParts[part] ?? part}${isExposed(part) ? ", exposed" : ""}`;
const stagesText = (stages) => {  // "12 × 8, 11.5"
  const groups = [];
  stages.forEach((layers) => {
    const last = groups[groups.length - 1];
    if (last && last.layers === layers) ++last.count;
    else groups.push({ layers, count: 1 });
  });
  return groups.map((group) => (group.count > 1 ? `${group.count} × ${group.layers}` : String(group.layers))).join(", ");
};

function trainingFacts(run) {
  const exposed = d3.sum(Object.entries(run.breakdown_ns).filter(([part]) => isExposed(part)), ([, ns]) => ns);
  return present([
    ["iteration", time(run.iteration_ns)],
    ["speed-up", run.speedup === undefined ? null : `${ratio(run.speedup)} ×`],
    ["exposed communication", `${time(exposed)}, ${percent(exposed / run.iteration_ns)}`],
    ["strategy", run.strategy],
    ["placement", run.placement],
    ["algorithm", run.algorithm],
    ["layers per stage", run.layers_per_stage && stagesText(run.layers_per_stage)],
    ["memory of an NPU", run.npu_memory && bytesOfTen(memoryOf(run))],
    ["payload", run.payload],
  ]);
}

// A breakdown per machine: its parts, of the mean NPU and of the critical path.
function showTrainedMachines(runs) {
  const machines = d3.select(element("training-machines")).text("").selectAll("div.machine").data(runs).join("div").attr("class", "machine");
  machines.append("h3").text((run) => `${trainedMachine(run)}: an iteration of ${trainingOf(run)}`);
  const facts = machines.append("dl").attr("class", "facts").selectAll("div").data(trainingFacts).join("div");
  facts.append("dt").text((fact) => fact[0]);
  facts.append("dd").text((fact) => fact[1]);
  machines.append("div").attr("id", (_, k) => `training-parts-${k}-table`).each(function (run) {
    const path = run.critical_path_ns ?? {};
    const names = unique([...Object.keys(run.breakdown_ns), ...Object.keys(path)])
      .filter((part) => run.breakdown_ns[part] > 0 || path[part] > 0);
    showTable(this, `Where an iteration of ${trainedMachine(run)} goes`, [
      { name: "Part", value: partName },
      { name: "Mean NPU", unit: "ns", value: (part) => run.breakdown_ns[part], text: (part) => orDash(run.breakdown_ns[part], time), number: true },
      { name: "Share", unit: "fraction", value: (part) => run.breakdown_ns[part] / run.iteration_ns,
        text: (part) => orDash(run.breakdown_ns[part], (ns) => percent(ns / run.iteration_ns)), number: true },
      ...(run.critical_path_ns ? [{ name: "Critical path", unit: "ns", value: (part) => path[part], text: (part) => orDash(path[part], time), number: true }] : []),
    ], names);
  });
  machines.filter((run) => (run.idealised ?? []).length > 0).append("p").attr("class", "note").text((run) => `Idealised: ${run.idealised.join("; ")}.`);
}

const kMemoryParts = { weights_bytes: "weights", gradients_bytes: "gradients", optimizer_bytes: "optimizer", activations_bytes: "activations" };
const memoryOf = (run) => d3.sum(Object.keys(kMemoryParts), (part) => run.npu_memory[part]);
const bytesOfTen = (value) => {
  const [scale, unit] = unitFor(value, [[1, "B"], [1e3, "KB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]]);
  return `${d3.format(".4~r")(value / scale)} ${unit}`;
};

function showMemory(all) {
  const runs = all.filter((run) => run.npu_memory);
  element("training-memory").hidden = runs.length === 0;
  if (runs.length === 0) return;
  const parts = Object.keys(kMemoryParts);
  legend(element("training-memory-legend"), parts.map((part, index) => ({ label: kMemoryParts[part], mark: boxMark(index) })));
  const charts = d3.select(element("training-memory-charts")).text("").node();
  barChart(charts, "What training needs of the NPU that needs the most", "Memory", bytesOfTen, runs.map((run) => {
    let end = 0;
    return {
      label: trainedMachine(run), title: trainedMachine(run), text: bytesOfTen(memoryOf(run)),
      lines: [...parts.map((part) => [kMemoryParts[part], bytesOfTen(run.npu_memory[part])]), ["beyond its own memory", bytesOfTen(run.npu_memory.expanded_bytes)]],
      bars: parts.map((part, index) => ({ index, from: end, to: (end += run.npu_memory[part]) })),
    };
  }));
  const size = (name, value) => ({ name, unit: "bytes", value, text: (run) => bytesOfTen(value(run)), number: true });
  showTable(element("training-memory-table"), "Memory of the NPU that needs the most", [
    { name: "Machine", value: trainedMachine },
    ...workColumn(runs),
    ...parts.map((part) => size(kMemoryParts[part], (run) => run.npu_memory[part])),
    size("All", memoryOf),
    size("Beyond its own memory", (run) => run.npu_memory.expanded_bytes),
    { name: "Memory", value: (run) => run.memory ?? "–" },
  ], runs);
}

// One chart for all machines: stages belong to the work.
function showLayers(all) {
  const runs = all.filter((run) => (run.layers_per_stage ?? []).length > 1);
  const works = unique(runs.map(trainingOf)).map((work) => runs.find((run) => trainingOf(run) === work));
  element("training-layers").hidden = works.length === 0;
  if (works.length === 0) return;
  const charts = d3.select(element("training-layers-charts")).text("").node();
  const rows = d3.merge(works.map((run) => run.layers_per_stage.map((layers, stage) => ({ work: trainingOf(run), stage, layers }))));
  works.forEach((run) => barChart(charts, `Layers of ${trainingOf(run)}`, "Layers", d3.format("~r"), run.layers_per_stage.map((layers, stage) => ({
    label: `stage ${stage}`, title: `stage ${stage}`, text: String(layers), lines: [["layers", layers]], bars: [{ from: 0, to: layers, index: 0 }],
  }))));
  showTable(element("training-layers-table"), "Layers by stage", [
    ...(works.length > 1 ? [{ name: "Work", value: (row) => row.work }] : []),
    { name: "Stage", value: (row) => row.stage, number: true },
    { name: "Layers", value: (row) => row.layers, number: true },
  ], rows);
}
