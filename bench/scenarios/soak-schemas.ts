import type { PromptWriter } from "../prompts/prompt-writer.js";
import type { ServerMemory } from "../servers/process-memory.js";
import { median } from "../statistics.js";
import { wallMeasure } from "./common-measures.js";
import { wallSeconds } from "./reductions.js";
import type { Measure, Scenario } from "./scenario.js";
import { smallCacheFlags } from "./small-cache.js";
import { megabytes, soakInRounds } from "./soak-rounds.js";

const ROUNDS = 24;

const sizes = {
  full: { requestsPerRound: 500 },
  quick: { requestsPerRound: 4 },
} as const;

/** Tokens of an answer: it gets to the third property or further. */
const MAX_TOKENS = 24;

const growthMeasure = (process: string): Measure => ({
  label: `${process}'s growth, last third to second`,
  unit: "MB",
  better: "lower",
});

/** Thousands of answers, each held to a schema of its own: what is kept of schemas must come to an end. */
export const soakSchemas: Scenario = {
  name: "soak-schemas",
  description: "12,000 answers, each held to a schema of its own; memory after every 500",
  comparison: { kind: "alone", flags: smallCacheFlags },
  defaults: {
    full: { model: "15m+qwen2", clients: [8], slots: 4, contextSize: 512 },
    quick: { model: "shipped", clients: [4], slots: 2, contextSize: 512 },
  },
  measures: {
    errors: { label: "errors", unit: "", better: "lower" },
    serverGrowth: growthMeasure("server"),
    childrenGrowth: growthMeasure("engine and preparer"),
    peak: { label: "peak of all processes over the first reading", unit: "MB", better: "lower" },
    wall: wallMeasure,
  },
  targets: [
    { measure: "errors", of: "ours", atMost: 0 },
    { measure: "serverGrowth", of: "ours", atMost: 50 },
    { measure: "childrenGrowth", of: "ours", atMost: 50 },
  ],
  async run(load) {
    const { records, readings } = await soakInRounds(load, {
      rounds: ROUNDS,
      ...sizes[load.effort],
      requestOf: (number) => requestOf(number, load.prompts),
      labels: { requests: "schemas", engine: "engine and preparer MB" },
    });
    return {
      errors: records.filter(({ error }) => error !== undefined).length,
      ...schemaMemory(readings),
      wall: wallSeconds(records),
    };
  },
};

function requestOf(number: number, prompts: PromptWriter) {
  return {
    messages: [{ role: "user", content: prompts.text(String(number), 40) }],
    maxTokens: MAX_TOKENS,
    endedBy: "model",
    members: {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: distinctSchema(number) },
      },
    },
  } as const;
}

/** A schema that shares neither names nor expressions nor bounds with those of other numbers. */
export function distinctSchema(number: number) {
  const properties = {
    [`count_${number}`]: { type: "integer", minimum: number, maximum: 3 * number + 9 },
    kind: { enum: [`a${number}`, `b${number}`] },
    [`name_${number}`]: { type: "string", minLength: 2, maxLength: 20 + (number % 100) },
    tags: {
      type: "array",
      items: { type: "string", pattern: `^[a-z]{2,9}${number}$` },
      maxItems: 3,
    },
  };
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/**
 * Memory of idle processes in megabytes: the median of the last third of the readings minus that of the second,
 * and the greatest sum.
 */
export function schemaMemory(readings: readonly ServerMemory[]) {
  const [first = { server: 0, engine: 0 }] = readings;
  const growth = (process: keyof ServerMemory) => {
    const bytes = readings.map((reading) => reading[process]);
    const third = Math.ceil(bytes.length / 3);
    return megabytes(median(bytes.slice(-third)) - median(bytes.slice(-2 * third, -third)));
  };
  const totals = readings.map(({ server, engine }) => server + engine);
  return {
    serverGrowth: growth("server"),
    childrenGrowth: growth("engine"),
    peak: megabytes(Math.max(...totals) - first.server - first.engine),
  };
}
