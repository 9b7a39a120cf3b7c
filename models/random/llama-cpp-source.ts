import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../command-line/input-error.js";

const projectRoot = fileURLToPath(new URL("../../", import.meta.url));
const bundlePath = join(projectRoot, "node_modules/node-llama-cpp/llama/gitRelease.bundle");
const cacheFolder = join(projectRoot, ".cache/llama.cpp");

/**
 * The `models` folder of the llama.cpp sources that node-llama-cpp ships as a git bundle: real
 * tokenizers (`ggml-vocab-*.gguf`) and chat templates. Checked out into `.cache/llama.cpp` on first use
 * (about 3 seconds); these files are never committed to this repository.
 *
 * @throws InputError when node-llama-cpp is not installed
 */
export function llamaCppModelsFolder(): string {
  const folder = join(cacheFolder, "models");
  if (!existsSync(folder)) checkOut();
  return folder;
}

function checkOut(): void {
  if (!existsSync(bundlePath)) {
    throw new InputError(`expected the llama.cpp sources at ${bundlePath}; run npm install`);
  }
  const staging = `${cacheFolder}.${randomUUID()}`;
  const git = (...args: string[]) => execFileSync("git", args, { stdio: "pipe" });
  try {
    mkdirSync(dirname(cacheFolder), { recursive: true });
    git("clone", "--quiet", "--no-checkout", bundlePath, staging);
    git("-C", staging, "sparse-checkout", "set", "--no-cone", "/models/");
    git("-C", staging, "checkout", "--quiet", "HEAD");
    publish(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Renames the checkout atomically, unless another process has already done so. */
function publish(staging: string): void {
  try {
    renameSync(staging, cacheFolder);
  } catch (error) {
    if (!existsSync(join(cacheFolder, "models"))) throw error;
  }
}
