import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder of src/ in the picture. */
export interface Module {
  /** Path relative to `src/`, e.g. `engine/step`. */
  readonly name: string;
  /** First sentence of its README. */
  readonly purpose: string;
}

export interface ModuleGraph {
  /** Sorted by name. */
  readonly modules: readonly Module[];
  /** Imports between modules, sorted by name. */
  readonly imports: readonly (readonly [from: string, to: string])[];
}

interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string }[];
}

/** Reads the modules of src/ and the imports between them from the code. */
export async function readModuleGraph(): Promise<ModuleGraph> {
  const modules = await cruiseSources();
  const names = new Set<string>();
  const imports = new Map<string, readonly [string, string]>();
  for (const { source, dependencies } of modules) {
    const from = roomOf(source);
    if (from === undefined) continue;
    names.add(from);
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved);
      if (to === undefined || to === from) continue;
      imports.set(`${from} ${to}`, [from, to]);
    }
  }
  const inOrder = [...names].toSorted();
  return {
    modules: await Promise.all(
      inOrder.map(async (name) => ({ name, purpose: await purposeOf(name) })),
    ),
    imports: [...imports].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair),
  };
}

/** Modules that import all others; left out of the graph. */
const ABOVE_ROOMS = /^src\/(cli|serve)\//;

function roomOf(path: string): string | undefined {
  if (ABOVE_ROOMS.test(path)) return undefined;
  const [, module] = /^src\/((?:api|engine)\/[^/]+|[^/]+)\/.*\.tsx?$/.exec(path) ?? [];
  if (module !== undefined) return module;
  // Files directly in src/engine or src/api belong to the module of that name.
  return /^src\/(engine|api)\/[^/]+\.ts$/.exec(path)?.[1];
}

async function purposeOf(module: string): Promise<string> {
  const readme = await readFile(`${root}src/${module}/README.md`, "utf8");
  const [, purpose] = /^# .*\n\n([^\n]+)\n/.exec(readme) ?? [];
  if (purpose === undefined)
    throw new Error(`src/${module}/README.md: expected "# …", then a sentence`);
  return purpose;
}

async function cruiseSources(): Promise<readonly CruisedModule[]> {
  const program = "node_modules/dependency-cruiser/bin/dependency-cruise.mjs";
  const flags = ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src"];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...flags], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(stdout) as { modules: readonly CruisedModule[] }).modules;
}
