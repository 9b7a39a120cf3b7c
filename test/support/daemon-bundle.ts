/**
 * Run once before tests that start processes: builds the daemon, unless it is newer than its source, and bundles it.
 * The life of a bundled daemon and its engine takes two thirds of the computing time (2.9 s instead of 4.2 s), and the
 * files of test/daemon are two fifths of the time of all tests. The modules are those that ship, which are not bundled; as
 * they are, test/daemon/dockerfiles.long.test.ts and `.ci/run` start them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = join(root, "dist");
const bundled = join(root, ".dist-bundled");

/** The program of the bundled daemon. */
export const bundledDaemon = join(bundled, "main.js");

export async function setup(): Promise<void> {
  const program = join(built, "main.js");
  const sourceTime = Math.max(...sourceFiles().map(writtenAt));
  if (writtenAt(bundledDaemon) > Math.max(sourceTime, writtenAt(program))) return;
  if (writtenAt(program) < sourceTime) buildDaemon();
  await bundle();
}

/** @throws {Error} with what the compiler says: vitest tells nothing of other errors here */
function buildDaemon(): void {
  const { status, stdout } = spawnSync("npm", ["run", "build"], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the daemon cannot be built:\n${stdout}`);
}

function sourceFiles(): readonly string[] {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return ["package.json", "tsconfig.json", ...sources.map((name) => join("src", name))].map(
    (name) => join(root, name),
  );
}

/** In milliseconds; 0 where there is no such file. */
function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Bundles the programs within a copy of what was built, where they find all other files. */
async function bundle(): Promise<void> {
  const fresh = `${bundled}-${process.pid}`;
  cpSync(built, fresh, { recursive: true });
  const programs = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(^main|-main|watch-daemon)\.js$/.test(name),
  );
  await build({
    entryPoints: programs.map((name) => join(built, name)),
    outbase: built,
    outdir: fresh,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    // They find files of their own beside them.
    external: ["node-llama-cpp", "@node-llama-cpp/*", "sharp", "swagger-ui-dist", "sorted-btree"],
    banner: { js: commonJsNames },
    plugins: [bundledPlaces],
  });
  rmSync(bundled, { recursive: true, force: true });
  renameSync(fresh, bundled);
}

/** What libraries in CommonJS expect to be there. */
const commonJsNames = `
import { createRequire as bundleRequire } from "node:module";
import { dirname as bundleDirname } from "node:path";
const require = bundleRequire(import.meta.url);
const __filename = ${JSON.stringify(bundledDaemon)};
const __dirname = bundleDirname(__filename);
`;

/** A module knows its own place: within the bundle all have that of the bundle. */
const bundledPlaces: Plugin = {
  name: "bundled-places",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const name = relative(built, path);
      if (name.startsWith("..")) return undefined;
      const place = JSON.stringify(pathToFileURL(join(bundled, name)).href);
      const contents = readFileSync(path, "utf8").replaceAll("import.meta.url", place);
      return { contents, loader: "js" };
    });
  },
};
