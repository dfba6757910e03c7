// SPDX-License-Identifier: Apache-2.0
// Training iterations (`train`): a chart per work, a bar per machine, stacked by where the time of an NPU went.

const kTrainingParts = { compute: "compute", bubble: "bubble", input_load: "input load", mp: "MP", pp: "PP", dp: "DP", streaming: "weight streaming", memory: "memory" };

// What the machines of a chart have in common.
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
    { name: "Work", value: trainingOf },
    { name: "Iteration", unit: "ns", value: (run) => run.iteration_ns, text: (run) => time(run.iteration_ns), number: true },
    { name: "Speed-up", value: (run) => run.speedup, text: (run) => ratio(run.speedup), number: true },
    ...parts.map((part) => ({ name: kTrainingParts[part] ?? part, unit: "ns", value: (run) => run.breakdown_ns[part] ?? 0,
      text: (run) => time(run.breakdown_ns[part] ?? 0), number: true })),
    ...(runs.some((run) => run.inference) ? [{ name: "Tokens/s", value: (run) => run.tokens_per_s,
      text: (run) => (run.tokens_per_s === undefined ? "" : d3.format(",.0f")(run.tokens_per_s)), number: true }] : []),
    { name: "Payload", value: (run) => run.payload },
  ], runs);
}
