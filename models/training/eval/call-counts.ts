import { Ajv } from "ajv";

import type { Result } from "./evaluate.js";
import { type CallDemand, parametersSchema } from "./request.js";
import { parseObject } from "./score.js";

/** Counts of the calls in answers. */
export interface CallCounts {
  readonly answers: number;
  /** Answers that consist of exactly the expected calls. */
  readonly right: number;
  readonly calls: number;
  /** Calls of an offered tool whose arguments satisfy its schema. */
  readonly valid: number;
}

/** Counts the calls in answers to prompts that require calls. */
export function callCounts(results: readonly Result[]): CallCounts {
  const ajv = new Ajv({ strict: false });
  const calls = results.flatMap(({ prompt, answer }) =>
    answer.calls.map((call) => ({ call, tools: prompt.tools })),
  );
  const valid = calls.filter(({ call, tools }) => {
    const tool = tools.find(({ name }) => name === call.name);
    const value = parseObject(call.arguments);
    return tool !== undefined && value !== undefined && ajv.validate(parametersSchema(tool), value);
  });
  return {
    answers: results.length,
    right: results.filter(({ right }) => right).length,
    calls: calls.length,
    valid: valid.length,
  };
}

/** Counts for several demands as a Markdown table. */
export function callTable(rows: readonly (CallCounts & { readonly demand: CallDemand })[]): string {
  const share = (count: number, of: number) =>
    `${count}/${of} (${((100 * count) / Math.max(1, of)).toFixed(1)} %)`;
  return [
    "| tool_choice | strict | calls with valid arguments | answers with exactly the right calls |",
    "| --- | --- | --- | --- |",
    ...rows.map(
      ({ demand, answers, right, calls, valid }) =>
        `| ${demand.choice} | ${demand.arguments === "strict" ? "yes" : "no"} | ${share(valid, calls)} | ${share(right, answers)} |`,
    ),
  ].join("\n");
}
