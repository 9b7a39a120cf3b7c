import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Longest time between the start of a line and a kill, in milliseconds. */
const MAX_DELAY_MS = 15;

interface EndedBatch {
  readonly status: string;
  readonly output_file_id: string;
  readonly error_file_id: string;
  readonly request_counts: object;
}

export interface RunOptions {
  /** See {@link bundleVictim}. */
  readonly program: string;
  readonly lines: number;
  /** Number of processes to kill; fewer if the batch ends before. */
  readonly kills: number;
}

/** Result of a line without ids and times. */
export interface LineResult {
  readonly customId: string;
  readonly status: number;
  readonly text: string;
}

export interface BatchOutcome {
  readonly status: string;
  readonly counts: object;
  /** All lines of both files, by `custom_id`. */
  readonly results: readonly LineResult[];
  /** Number of lines that the engine has started, repeated ones included. */
  readonly starts: number;
  readonly kills: number;
}

/**
 * Bundles the process into a folder and returns its path: it starts in a fraction of the time.
 */
export async function bundleVictim(folder: string): Promise<string> {
  const outfile = join(folder, "victim.mjs");
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await build({
    entryPoints: [join(root, "test/batches/faults/victim.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return outfile;
}

/** Runs a batch in processes that are killed at random moments, and once more to its end. */
export async function runBatch(
  folder: string,
  { program, lines, kills }: RunOptions,
): Promise<BatchOutcome> {
  let batch: EndedBatch | undefined;
  let [killed, starts] = [0, 0];
  while (batch === undefined) {
    const isLast = killed === kills;
    const killAfter = isLast ? undefined : randomInt(Math.ceil((1.5 * lines) / kills));
    const ended = await runProcess([program, folder, `${lines}`], killAfter);
    starts += ended.starts;
    batch = ended.batch;
    if (batch === undefined && isLast) throw new Error("the process ended before the batch");
    if (batch === undefined) killed++;
  }
  const files = [batch.output_file_id, batch.error_file_id];
  const results = (await Promise.all(files.map((id) => readResults(folder, id)))).flat();
  return {
    status: batch.status,
    counts: batch.request_counts,
    results: results.toSorted((a, b) => (a.customId < b.customId ? -1 : 1)),
    starts,
    kills: killed,
  };
}

/**
 * @param killAfter number of started lines after which the process is killed
 * @returns the number of started lines, and the batch unless the process was killed before its end
 */
async function runProcess(args: readonly string[], killAfter: number | undefined) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = () => setTimeout(() => child.kill("SIGKILL"), Math.random() * MAX_DELAY_MS);
  let batch: EndedBatch | undefined;
  let starts = 0;
  if (killAfter === 0) kill();
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) batch = JSON.parse(line);
    else if (++starts === killAfter) kill();
  }
  await ended;
  return { batch, starts };
}

async function readResults(folder: string, id: string): Promise<readonly LineResult[]> {
  const text = await readFile(join(folder, "batches", "files", `${id}.data`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const { custom_id: customId, response } = JSON.parse(line);
      const { status_code: status, body } = response;
      return { customId, status, text: body.error?.message ?? body.choices[0].message.content };
    });
}
