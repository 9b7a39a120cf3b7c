import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { isNode, type OpenApiDocument } from "./open-api-document.js";

const run = promisify(execFile);
const redocly = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");

/** The part of Redocly's report that is used. */
const report = z.object({
  changes: z.array(
    z.object({
      path: z.string(),
      verdicts: z.array(z.object({ impact: z.string(), message: z.string() })),
    }),
  ),
});

/**
 * The changes between two descriptions that break clients, as rated by `redocly diff`: for each, its
 * JSON pointer and a message. Empty when the changes are backward compatible.
 */
export async function breakingChanges(
  before: OpenApiDocument,
  after: OpenApiDocument,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "ggufd-contract-"));
  try {
    const [base, revision] = [join(folder, "before.json"), join(folder, "after.json")];
    await writeFile(base, JSON.stringify(before));
    await writeFile(revision, JSON.stringify(after));
    const { stdout } = await run(
      process.execPath,
      [redocly, "diff", base, revision, "--format=json", "--fail-on=none"],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    return report.parse(JSON.parse(stdout)).changes.flatMap(({ path, verdicts }) => {
      const breaking = verdicts.filter(({ impact }) => impact === "major");
      return breaking.map(({ message }) => `${path}: ${message}`);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Like {@link breakingChanges}, except that a new version (`info.x-api-version`) permits breaking
 * changes.
 */
export async function brokenPromises(
  promised: OpenApiDocument,
  served: OpenApiDocument,
): Promise<string[]> {
  return versionOf(promised) === versionOf(served) ? breakingChanges(promised, served) : [];
}

function versionOf({ info }: OpenApiDocument): unknown {
  return isNode(info) ? info["x-api-version"] : undefined;
}
