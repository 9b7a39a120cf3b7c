import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { ask } from "./ask.js";
import { groups, heldOutPrompts, type Prompt } from "./prompts.js";
import { type Answer, endsTurn, isRight, parseObject, wellFormedCalls } from "./score.js";
import { type Row, table } from "./table.js";

interface Result {
  readonly prompt: Prompt;
  readonly answer: Answer;
  readonly right: boolean;
}

const aims: Readonly<Record<string, number>> = {
  copying: 0.97,
  memory: 0.97,
  "closed world": 0.99,
  arithmetic: 0.95,
  "tool call": 0.9,
  "no call": 0.95,
};

async function askAll(
  baseUrl: string,
  model: string,
  prompts: readonly Prompt[],
  clients: number,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = prompts.entries();
  const client = async (): Promise<void> => {
    for (const [index, prompt] of queue) {
      const answer = await ask(baseUrl, model, prompt);
      results[index] = { prompt, answer, right: isRight(prompt.expect, answer) };
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return results;
}

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

function rowsOf(results: readonly Result[]): Row[] {
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

const { values } = parseArgs({
  options: {
    "base-url": { type: "string", default: "http://127.0.0.1:8080/v1" },
    model: { type: "string", default: "ggufd-mini" },
    "per-skill": { type: "string", default: "100" },
    clients: { type: "string", default: "8" },
    json: { type: "string" },
    failures: { type: "string", default: "0" },
  },
});
const prompts = heldOutPrompts(Number(values["per-skill"]));
const results = await askAll(values["base-url"], values.model, prompts, Number(values.clients));
const rows = rowsOf(results);
console.log(table(rows));
for (const { name } of groups) {
  const wrong = results.filter(({ prompt, right }) => prompt.skill === name && !right);
  for (const { prompt, answer } of wrong.slice(0, Number(values.failures))) {
    const last = prompt.messages[prompt.messages.length - 1]?.content;
    console.log(JSON.stringify({ skill: name, last, expect: prompt.expect, answer }));
  }
}
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, results }, null, 1)}\n`);
