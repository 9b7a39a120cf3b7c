/**
 * Builds llama-server and llama-batched-bench from the llama.cpp source that is bundled with
 * node-llama-cpp's npm package, so that both sides use the same version. Built once, then reused.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";
import { shareKernels } from "./share-kernels.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const bundle = join(root, "node_modules/node-llama-cpp/llama/gitRelease.bundle");
const folder = join(root, ".cache/peer");
const programs = join(folder, "build/bin");

export type PeerProgram = "llama-server" | "llama-batched-bench";

/** Flags of node-llama-cpp's own CPU binaries: no OpenMP. */
const FLAGS = [
  "-DCMAKE_BUILD_TYPE=Release",
  "-DGGML_OPENMP=OFF",
  "-DLLAMA_BUILD_UI=OFF",
  "-DLLAMA_BUILD_TESTS=OFF",
  "-DLLAMA_BUILD_EXAMPLES=OFF",
  "-DLLAMA_OPENSSL=OFF",
];

/**
 * Path of a program of llama.cpp, which is built if it does not exist yet (takes minutes).
 * @throws {InputError} if git, cmake or a compiler is missing, or the build fails
 */
export function peerProgram(name: PeerProgram): string {
  const path = join(programs, name);
  if (!existsSync(path)) build(name);
  shareKernels(programs);
  return path;
}

function build(name: PeerProgram): void {
  if (!existsSync(join(folder, ".git"))) run("git", ["clone", "--quiet", bundle, folder]);
  run("cmake", ["-S", folder, "-B", join(folder, "build"), ...FLAGS]);
  const jobs = String(availableParallelism());
  run("cmake", ["--build", join(folder, "build"), "--target", name, "-j", jobs]);
}

function run(command: string, args: readonly string[]): void {
  console.error(`$ ${command} ${args.join(" ")}`);
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) throw new InputError(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new InputError(`${command} failed with status ${status}`);
}
