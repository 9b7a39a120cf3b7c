import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";

/**
 * Replaces llama-server's CPU kernels by those of ggufd. The kernels shipped with node-llama-cpp are
 * compiled by a newer compiler than most machines have, and decode up to 1.8 times faster than the
 * same sources compiled here; a comparison of servers must not measure that.
 * @param folder of llama.cpp's programs and libraries
 * @throws {InputError} if the kernels in use cannot be found
 */
export function shareKernels(folder: string): void {
  const kernels = kernelsInUse();
  const linked = readdirSync(folder).filter((file) => /^libggml-cpu\.so(\.\d+)?$/.test(file));
  for (const file of linked) {
    rmSync(join(folder, file));
    symlinkSync(kernels, join(folder, file));
  }
}

function kernelsInUse(): string {
  const { stdout, status } = spawnSync(
    process.execPath,
    ["--import", "tsx", fileURLToPath(new URL("report-kernels.ts", import.meta.url))],
    { encoding: "utf8" },
  );
  const path = stdout.trim();
  if (status !== 0 || path === "") throw new InputError("the CPU kernels in use cannot be found");
  return path;
}
