import { closeSync, openSync, writeFileSync } from "node:fs";

import { formatReason } from "../../../src/core/format-reason.js";
import { readFlags } from "../../command-line/flags.js";
import { InputError } from "../../command-line/input-error.js";
import { runScript } from "../../command-line/run-script.js";
import { ask } from "./ask.js";
import { evaluate } from "./evaluate.js";
import { evaluationFlags } from "./flags.js";
import { progressOn } from "./progress.js";
import { heldOutPrompts } from "./prompts.js";
import { buildReportRows, failuresOf } from "./report.js";
import { withServer } from "./server.js";
import { table } from "./table.js";

await runScript(async (args, signal) => {
  const { model, clients, json, failures, ...flags } = readFlags(args, evaluationFlags);
  if (json !== undefined) checkWritable(json);
  const prompts = heldOutPrompts(flags["per-skill"]);
  const results = await withServer(flags["base-url"], clients, (baseUrl) =>
    evaluate(prompts, {
      clients,
      ask: (prompt, either) => ask({ baseUrl, model }, prompt, either),
      signal,
      onProgress: progressOn(process.stderr, "asking", prompts.length),
    }),
  );
  const rows = buildReportRows(results);
  console.log([table(rows), ...failuresOf(results, failures)].join("\n"));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ rows, results }, null, 1)}\n`);
});

/** Checks early that a file is writable, because the evaluation takes minutes. */
function checkWritable(path: string): void {
  try {
    closeSync(openSync(path, "a"));
  } catch (error) {
    throw new InputError(`--json: expected a file that can be written, got ${formatReason(error)}`);
  }
}
