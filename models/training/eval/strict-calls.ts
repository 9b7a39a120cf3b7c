import { readFlags } from "../../command-line/flags.js";
import { runScript } from "../../command-line/run-script.js";
import { ask } from "./ask.js";
import { callCounts, callTable } from "./call-counts.js";
import { evaluate } from "./evaluate.js";
import { strictFlags } from "./flags.js";
import { progressOn } from "./progress.js";
import { heldOutPrompts } from "./prompts.js";
import type { CallDemand } from "./request.js";
import { withServer } from "./server.js";

const demands: readonly CallDemand[] = (["auto", "required"] as const).flatMap((choice) =>
  (["free", "strict"] as const).map((args) => ({ choice, arguments: args })),
);

await runScript(async (args, signal) => {
  const { model, clients, ...flags } = readFlags(args, strictFlags);
  const prompts = heldOutPrompts(flags["per-skill"]).filter(
    ({ expect }) => expect.kind === "calls",
  );
  const rows = await withServer(flags["base-url"], clients, async (baseUrl) => {
    const asked = [];
    for (const demand of demands) {
      const label = `${demand.choice}, ${demand.arguments}:`;
      const results = await evaluate(prompts, {
        clients,
        ask: (prompt, either) => ask({ baseUrl, model, demand }, prompt, either),
        signal,
        onProgress: progressOn(process.stderr, label, prompts.length),
      });
      asked.push({ demand, ...callCounts(results) });
    }
    return asked;
  });
  console.log(callTable(rows));
});
