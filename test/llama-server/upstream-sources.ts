import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bundle = fileURLToPath(
  new URL("../../node_modules/node-llama-cpp/llama/gitRelease.bundle", import.meta.url),
);

/** The tests, and the chat templates and the image that they read. */
const PATHS = ["/tools/server/tests/", "/models/templates/", "/tools/mtmd/test-1.jpeg"];

/**
 * Checks out llama-server's tests of the llama.cpp version that node-llama-cpp ships as a git bundle.
 * @returns the folder of the tests
 */
export function checkOutUpstreamTests(folder: string): string {
  const git = (...args: string[]) => execFileSync("git", args, { stdio: "pipe" });
  git("clone", "--quiet", "--no-checkout", bundle, folder);
  git("-C", folder, "sparse-checkout", "set", "--no-cone", ...PATHS);
  git("-C", folder, "checkout", "--quiet", "HEAD");
  const tests = join(folder, "tools", "server", "tests");
  // Written to by the tests; only some of them create it.
  mkdirSync(join(tests, "tmp"));
  return tests;
}
