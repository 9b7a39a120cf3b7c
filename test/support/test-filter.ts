/** Folders beside `src` that have their tests in a folder of that name. */
const MIRRORED = ["bench", "docs", "models"];

/**
 * What vitest is told to run for a path or a name. Of a source file: the tests that are called like it, or else those
 * of its folder. All else is passed on.
 * @param tests paths of all test files
 */
export function testFilterOf(asked: string, tests: readonly string[]): string {
  const path = asked.replace(/^\.\//, "").replace(/\/$/, "");
  const [root = "", ...below] = path.split("/");
  if (root !== "src" && !MIRRORED.includes(root)) return path;
  const folder = ["test", ...(root === "src" ? [] : [root]), ...below].join("/");
  const [, file] = /^(.+)\.ts$/.exec(folder) ?? [];
  if (file === undefined) return `${folder}/`;
  const isTested = tests.some((test) => test.startsWith(`${file}.`));
  return isTested ? `${file}.` : `${file.slice(0, file.lastIndexOf("/"))}/`;
}
