import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";

import { nonEmptyText } from "../../src/validation/fields.js";
import { decimalFlag, integerFlag, readFlags, switchFlag } from "../command-line/flags.js";
import { InputError } from "../command-line/input-error.js";
import { runScript } from "../command-line/run-script.js";
import { LATE_FROM } from "./corpus/mixture.js";

const here = import.meta.dirname;

/** Runs one stage of the recipe with its output on this terminal. */
function stage(command: string, script: string, args: readonly string[]): void {
  const path = join(here, script);
  console.log(`> ${command} ${relative(process.cwd(), path)} ${args.join(" ")}`);
  // One thread per worker process, because BLAS threads would compete for the cores. The trainer
  // multiplies in some hundred shapes, more than oneDNN caches kernels for by default.
  const env = {
    ...process.env,
    OPENBLAS_NUM_THREADS: "1",
    OMP_NUM_THREADS: "1",
    ONEDNN_PRIMITIVE_CACHE_CAPACITY: "16384",
  };
  const all = [...(command === "npx" ? ["tsx"] : []), path, ...args];
  const { error, status, signal } = spawnSync(command, all, { stdio: "inherit", env });
  if (error !== undefined) throw error;
  if (status !== 0) throw new InputError(`${script}: ended with ${signal ?? `status ${status}`}`);
}

/**
 * `npm run build:model`: corpus, training and export in one run, described in
 * `models/training/README.md`.
 */
await runScript(async (args) => {
  const flags = readFlags(args, {
    minutes: decimalFlag(0.1, 10_000).default(120),
    workers: integerFlag(1, 256).default(availableParallelism()),
    shards: integerFlag(1, 1_000).default(60),
    work: nonEmptyText().default(".cache/ggufd-mini"),
    out: nonEmptyText().default(join(here, "../ggufd-mini.gguf")),
    python: nonEmptyText().default("python3"),
    start: nonEmptyText().optional(),
    seed: integerFlag(0, 1_000_000).default(1),
    resume: switchFlag(),
    progress: decimalFlag(0, 1).optional(),
  });
  const data = join(flags.work, "data");
  const run = join(flags.work, "run");
  const start = join(flags.work, "start");
  const vocabulary = join(data, "vocabulary.json");
  if (flags.start !== undefined) {
    stage("npx", "train/import.ts", [
      ...["--model", flags.start, "--weights", start, "--vocabulary", vocabulary],
    ]);
  }
  if (!flags.resume) {
    // A model whose training continues gets the late mixture only.
    const from = flags.start === undefined ? 0 : Math.ceil(LATE_FROM * flags.shards);
    stage("npx", "corpus/main.ts", [
      ...["--out", data, "--shards", String(flags.shards)],
      ...["--seed", String(flags.seed), "--from", String(from)],
    ]);
  }
  stage(flags.python, "train/train.py", [
    ...["--data", data, "--out", run],
    ...["--minutes", String(flags.minutes), "--workers", String(flags.workers)],
    ...(flags.resume ? ["--resume"] : []),
    ...(flags.start === undefined ? [] : ["--start", start]),
    ...(flags.progress === undefined ? [] : ["--progress", String(flags.progress)]),
  ]);
  stage("npx", "train/export.ts", [
    ...["--weights", run, "--vocabulary", vocabulary, "--out", flags.out],
  ]);
});
