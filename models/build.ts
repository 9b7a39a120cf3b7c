import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { LATE_FROM } from "./corpus/mixture.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    workers: { type: "string", default: String(availableParallelism()) },
    shards: { type: "string", default: "60" },
    work: { type: "string", default: ".cache/ggufd-mini" },
    out: { type: "string", default: join(import.meta.dirname, "ggufd-mini.gguf") },
    python: { type: "string", default: "python3" },
    start: { type: "string" },
    seed: { type: "string", default: "1" },
    resume: { type: "boolean", default: false },
    progress: { type: "string" },
  },
});

const here = import.meta.dirname;
const data = join(values.work, "data");
const run = join(values.work, "run");

/** Runs one stage of the recipe with its output on this terminal. */
function stage(command: string, script: string, args: readonly string[]): void {
  const path = join(here, script);
  console.log(`> ${command} ${relative(process.cwd(), path)} ${args.join(" ")}`);
  // One thread per worker process: BLAS threads of its own would only fight over the cores. The
  // trainer multiplies in some hundred shapes, more than oneDNN keeps kernels for by itself.
  const env = {
    ...process.env,
    OPENBLAS_NUM_THREADS: "1",
    OMP_NUM_THREADS: "1",
    ONEDNN_PRIMITIVE_CACHE_CAPACITY: "16384",
  };
  execFileSync(command, [...(command === "npx" ? ["tsx"] : []), path, ...args], {
    stdio: "inherit",
    env,
  });
}

const start = join(values.work, "start");
if (values.start !== undefined) {
  const vocabulary = join(data, "vocabulary.json");
  stage("npx", "train/import.ts", [
    ...["--model", values.start, "--weights", start, "--vocabulary", vocabulary],
  ]);
}
if (!values.resume) {
  // A model that goes on learning gets the late mixture only.
  const from = values.start === undefined ? 0 : Math.ceil(LATE_FROM * Number(values.shards));
  stage("npx", "corpus/main.ts", [
    ...["--out", data, "--shards", values.shards],
    ...["--seed", values.seed, "--from", String(from)],
  ]);
}
stage(values.python, "train/train.py", [
  ...["--data", data, "--out", run],
  ...["--minutes", values.minutes, "--workers", values.workers],
  ...(values.resume ? ["--resume"] : []),
  ...(values.start === undefined ? [] : ["--start", start]),
  ...(values.progress === undefined ? [] : ["--progress", values.progress]),
]);
stage("npx", "train/export.ts", [
  ...["--weights", run, "--vocabulary", join(data, "vocabulary.json")],
  ...["--out", values.out],
]);
