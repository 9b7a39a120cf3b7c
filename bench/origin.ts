import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { InputError } from "../models/command-line/input-error.js";

/** Origin of a result: everything needed to measure it again. */
export interface Origin {
  /** Commit of ggufd, 40 hexadecimal digits. */
  readonly commit: string;
  /** Whether the measured code or the benchmark differed from the commit. */
  readonly isChanged: boolean;
  /** Command without its output file, e.g. `npm run bench -- decode --runs 3`. */
  readonly command: string;
}

/** Version of ggufd. */
export const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { readonly version: string };

const root = fileURLToPath(new URL("../", import.meta.url));
/** Paths that results depend on. */
const measured = ["src", "bench", "models", "package-lock.json", ":!bench/results"];

/**
 * Describes the origin of results that this working tree measures with these arguments of `npm run
 * bench`.
 */
export function describeOrigin(args: readonly string[]): Origin {
  return {
    commit: git("rev-parse", "HEAD"),
    isChanged: git("status", "--porcelain", "--", ...measured) !== "",
    command: ["npm run bench --", ...withoutOutput(args)].join(" "),
  };
}

/** The path of the output file is of no use on another machine. */
function withoutOutput(args: readonly string[]): readonly string[] {
  return args.filter((arg, index) => args[index - 1] !== "--json" && !/^--json(=|$)/.test(arg));
}

function git(...args: readonly string[]): string {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status === 0) return stdout.trim();
  throw new InputError("bench: expected a git checkout, whose commit the results record, got none");
}

/** Machine on which results were measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
}

/** Describes the current machine. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}
