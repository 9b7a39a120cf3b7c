/** Builds the daemon once before tests that start processes; does nothing if the sources have not changed. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Program of the daemon, as it is released. */
export const builtDaemon = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** @throws {Error} with the output of a failed build, which vitest would not show otherwise */
export function setup(): void {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the daemon cannot be built:\n${stdout}${stderr}`);
}
