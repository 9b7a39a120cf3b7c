import type { Result } from "./evaluate.js";
import { groups } from "./prompts.js";
import { endsTurn, parseObject, wellFormedCalls } from "./score.js";
import type { Row } from "./table.js";

const aims: Readonly<Record<string, number>> = {
  copying: 0.97,
  memory: 0.97,
  "closed world": 0.99,
  arithmetic: 0.95,
  "tool call": 0.9,
  "no call": 0.95,
};

function count(
  name: string,
  of: readonly Result[],
  good: (result: Result) => boolean,
  aim?: number,
): Row {
  return {
    name,
    right: of.filter(good).length,
    total: of.length,
    ...(aim === undefined ? {} : { aim }),
  };
}

/** Rows of the table: first the form of the answers, then each skill. */
export function buildReportRows(results: readonly Result[]): Row[] {
  const calling = results.filter(({ prompt }) => prompt.expect.kind === "calls");
  const writing = results.filter(({ prompt }) => prompt.expect.kind === "json");
  const thinking = results.filter(({ prompt }) => prompt.thinking);
  return [
    count("ends its turn", results, ({ answer }) => endsTurn(answer), 0.995),
    count("tool calls well-formed", calling, ({ answer }) => wellFormedCalls(answer), 0.99),
    count("JSON parses", writing, ({ answer }) => parseObject(answer.content) !== undefined, 0.98),
    count("thinks when asked", thinking, ({ answer }) => answer.reasoning !== ""),
    ...groups.map(({ name }) =>
      count(
        name,
        results.filter(({ prompt }) => prompt.skill === name),
        ({ right }) => right,
        aims[name],
      ),
    ),
  ];
}

/** First wrong answers of each skill, one line of JSON each. */
export function failuresOf(results: readonly Result[], perSkill: number): string[] {
  return groups.flatMap(({ name }) =>
    results
      .filter(({ prompt, right }) => prompt.skill === name && !right)
      .slice(0, perSkill)
      .map(({ prompt, answer }) => {
        const last = prompt.messages.at(-1)?.content;
        return JSON.stringify({ skill: name, last, expect: prompt.expect, answer });
      }),
  );
}
