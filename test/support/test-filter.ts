/** Folders next to `src` whose tests are in a folder of the same name. */
const MIRRORED = ["bench", "docs", "models"];

/** Paths of files, from the root of the repository. */
export interface Files {
  /** All test files. */
  readonly tests: readonly string[];
  /** Source files that they test. */
  readonly sources: readonly string[];
}

/**
 * Arguments of vitest for a path or a name. For a source file: the tests of the same name, or else
 * those of its folder. A name without a folder selects tests, or else a source file. Other
 * arguments are passed on.
 */
export function testFiltersOf(asked: string, { tests, sources }: Files): readonly string[] {
  const path = asked.replace(/^\.\//, "").replace(/\/$/, "");
  if (path.includes("/")) return [filterOfPath(path, tests)];
  const isOfTests = tests.some((test) => test.toLowerCase().includes(path.toLowerCase()));
  const file = path.endsWith(".ts") ? path : `${path}.ts`;
  const named = isOfTests ? [] : sources.filter((source) => source.endsWith(`/${file}`));
  if (named.length === 0) return [filterOfPath(path, tests)];
  return named.map((source) => filterOfPath(source, tests));
}

function filterOfPath(path: string, tests: readonly string[]): string {
  const [root = "", ...below] = path.split("/");
  if (root !== "src" && !MIRRORED.includes(root)) return path;
  const folder = ["test", ...(root === "src" ? [] : [root]), ...below].join("/");
  const [, file] = /^(.+)\.ts$/.exec(folder) ?? [];
  if (file === undefined) return `${folder}/`;
  const isTested = tests.some((test) => test.startsWith(`${file}.`));
  return isTested ? `${file}.` : `${file.slice(0, file.lastIndexOf("/"))}/`;
}
