import { Counter, Gauge, type Registry } from "prom-client";
import {
  type BatchActivity,
  type LineActivity,
  NO_RESULTS,
  RESULT_KINDS,
} from "../../core/batch-activity.js";

const labelNames = ["model_name"] as const;

const NO_LINES: LineActivity = {
  waiting: 0,
  running: 0,
  results: NO_RESULTS,
};

/**
 * Registers the metrics of batches.
 * @param listModels aliases of the models, whose series start at 0
 */
export function registerBatchMetrics(
  registry: Registry,
  listModels: () => readonly string[],
  read: () => BatchActivity,
): void {
  const registers = [registry];
  const readLines = (): ReadonlyMap<string, LineActivity> => {
    const unused = listModels().map((alias) => [alias, NO_LINES] as const);
    return new Map([...unused, ...read().lines]);
  };
  new Gauge({
    name: "ggufd:num_batches",
    help: "Batches that have not ended, by status.",
    labelNames: ["status"],
    registers,
    collect() {
      for (const [status, number] of Object.entries(read().batches)) this.set({ status }, number);
    },
  });
  const addLineGauge = (state: "waiting" | "running", help: string) =>
    new Gauge({
      name: `ggufd:num_batch_lines_${state}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [alias, lines] of readLines()) this.set({ model_name: alias }, lines[state]);
      },
    });
  addLineGauge("running", "Lines of batches that are being answered.");
  addLineGauge("waiting", "Lines of validated batches that wait.");
  new Counter({
    name: "ggufd:batch_lines_total",
    help: "Lines of batches with a result, by result.",
    labelNames: [...labelNames, "result"],
    registers,
    collect() {
      this.reset();
      for (const [alias, { results }] of readLines()) {
        for (const result of RESULT_KINDS) this.inc({ model_name: alias, result }, results[result]);
      }
    },
  });
}
