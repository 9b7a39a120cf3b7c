/**
 * `npm run bench -- engine [--model FILE] [--threads N] [--runs N] …`: prints a table and writes
 * `bench/results/SCENARIO.json`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateRandomModel } from "../models/random/generate.js";
import { benchEngine, formatEngineRows } from "./engine.js";

const root = fileURLToPath(new URL("../", import.meta.url));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string" },
    threads: { type: "string", default: String(availableParallelism()) },
    sequences: { type: "string", default: "1,8,32" },
    tokens: { type: "string", default: "128" },
    runs: { type: "string", default: "3" },
    "batched-bench": { type: "string" },
  },
});

const [scenario] = positionals;
if (scenario !== "engine" || positionals.length !== 1) {
  console.error(`bench: expected the scenario engine, got ${positionals.join(" ") || "nothing"}`);
  process.exit(1);
}

const options = {
  modelPath: values.model ?? randomModel(),
  threads: wholeNumber("threads", values.threads),
  sequences: values.sequences.split(",").map((text) => wholeNumber("sequences", text)),
  generatedTokens: wholeNumber("tokens", values.tokens),
  runs: wholeNumber("runs", values.runs),
  batchedBench: values["batched-bench"],
};
const rows = await benchEngine(options);
console.log(formatEngineRows(rows));
save(scenario, { options, rows });

/** The 135 M shape with random weights: speed does not depend on what a model has learnt. */
function randomModel(): string {
  const folder = join(root, ".cache/models");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "135m.q8_0.gguf");
  generateRandomModel({ shape: "135m", type: "q8_0", seed: 1, path });
  return path;
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  console.error(`bench: --${name}: expected a positive integer, got ${JSON.stringify(text)}`);
  process.exit(1);
}

function save(name: string, result: object): void {
  const folder = join(root, "bench/results");
  mkdirSync(folder, { recursive: true });
  const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify({ date: new Date(), machine, ...result }, null, 2)}\n`);
  console.error(`written: ${path}`);
}
