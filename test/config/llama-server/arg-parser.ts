/** Reads the options of llama-server from llama.cpp's common/arg.cpp. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ParsedOption {
  readonly names: readonly string[];
  readonly negations: readonly string[];
  readonly variable: string | undefined;
  readonly takes: "value" | "nothing";
}

const BUNDLE = join(
  import.meta.dirname,
  "../../../node_modules/node-llama-cpp/llama/gitRelease.bundle",
);

/** @returns `undefined` if git is missing */
export function readArgumentSource(): string | undefined {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "ggufd-arg-"));
  try {
    const clone = join(folder, "llama.cpp");
    execFileSync("git", ["clone", "--quiet", "--no-checkout", "--bare", BUNDLE, clone], {
      stdio: "ignore",
    });
    execFileSync("git", [
      "-C",
      clone,
      "archive",
      "-o",
      join(folder, "arg.tar"),
      "HEAD",
      "common/arg.cpp",
    ]);
    execFileSync("tar", ["-xf", join(folder, "arg.tar"), "-C", folder]);
    return readFileSync(join(folder, "common/arg.cpp"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Parses `add_opt(common_arg({names}, {negations}, "VALUE", …).set_env(…).set_examples({…}))`. */
export function parseArguments(source: string): readonly ParsedOption[] {
  const start = source.indexOf("common_params_context common_params_parser_init(");
  const end = source.indexOf("void common_params_add_preset_options(");
  return source
    .slice(start, end)
    .replaceAll(/^\s*\/\/.*$/gm, "")
    .split("add_opt(common_arg(")
    .slice(1)
    .filter(isOfServer)
    .map(parseOption);
}

function isOfServer(text: string): boolean {
  const listed = (setter: string) => new RegExp(`\\.${setter}\\(\\{([^}]*)\\}`).exec(text)?.[1];
  const examples = listed("set_examples") ?? "LLAMA_EXAMPLE_COMMON";
  if (listed("set_excludes")?.includes("LLAMA_EXAMPLE_SERVER")) return false;
  return /LLAMA_EXAMPLE_(SERVER|COMMON)\b/.test(examples);
}

function parseOption(text: string): ParsedOption {
  const lists = /^\s*\{([^}]*)\}\s*,\s*(?:\{([^}]*)\}\s*,\s*)?/.exec(text);
  const namesIn = (list = "") => [...list.matchAll(/"(-[^"]*)"/g)].map(([, name = ""]) => name);
  return {
    names: namesIn(lists?.[1]),
    negations: namesIn(lists?.[2]),
    variable: /\.set_env\("([^"]+)"\)/.exec(text)?.[1],
    // A handler of a switch has no parameter for a value, or one that says on or off.
    takes: /\[[^\]]*\]\s*\(common_params & ?\w*(, bool \w+)?\)/.test(text) ? "nothing" : "value",
  };
}
