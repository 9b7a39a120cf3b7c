/** Reduces a run of `json` to its measures. */

import { Ajv2020 } from "ajv/dist/2020.js";
import type { RequestRecord } from "../client/request-record.js";
import { mean, median, sum } from "../statistics.js";
import { type Control, type ControlledRequest, controlledRequests } from "./json-requests.js";
import { succeeded } from "./reductions.js";
import type { Measure, Sample, Target } from "./scenario.js";

/** Answers of one round, with as many free tokens as constrained ones. */
export interface Round {
  readonly constrained: readonly RequestRecord[];
  readonly free: readonly RequestRecord[];
}

/** Observations of one request in a run. */
export interface ControlledAnswers {
  /** Name of the request. */
  readonly request: string;
  /** First answer under this constraint. */
  readonly first: RequestRecord;
  readonly rounds: readonly Round[];
  readonly isComplete: IsComplete;
}

/** Measures of each request. */
const perRequest = {
  toFree: { label: "constrained to free decoding", unit: "", better: "higher" },
  rate: { label: "constrained, each stream", unit: "tok/s", better: "higher" },
  perStep: { label: "tokens for each that was drawn", unit: "", better: "higher" },
  firstTtft: { label: "TTFT of a new schema", unit: "ms", better: "lower" },
} as const satisfies Readonly<Record<string, Measure>>;

type MeasureOfRequest = keyof typeof perRequest;

const keyOf = (kind: string, request: string) => `${kind}: ${request}`;

/** Measures of all requests, grouped by kind. */
export const jsonMeasureTypes: Readonly<Record<string, Measure>> = {
  meanToFree: { label: "constrained to free decoding, mean", unit: "", better: "higher" },
  ...Object.fromEntries(
    Object.entries(perRequest).flatMap(([kind, measure]) =>
      controlledRequests.map(({ name }) => [keyOf(kind, name), { ...measure, subject: name }]),
    ),
  ),
  incomplete: { label: "answers incomplete or invalid", unit: "", better: "lower" },
};

/**
 * Targets: constraints cost nothing on the shipped model, and hardly anything with a large
 * vocabulary.
 */
export const jsonTargets: readonly Target[] = [
  ...controlledRequests.flatMap(({ name }): Target[] => {
    const target = { measure: keyOf("toFree", name), of: "ours" } as const;
    return [
      { ...target, model: "shipped", atLeast: 1 },
      { ...target, model: "15m+qwen2", clients: 16, atLeast: 0.95 },
    ];
  }),
  { measure: "incomplete", of: "ours", atMost: 0 },
];

/** Measures of one run. */
export function jsonMeasures(
  answers: readonly ControlledAnswers[],
): Readonly<Record<string, number>> {
  const reduced = answers.map((answer) => ({ answer, values: valuesOf(answer) }));
  const ofKind = (kind: MeasureOfRequest) =>
    reduced.map(({ answer, values }): [string, number] => [
      keyOf(kind, answer.request),
      values[kind],
    ]);
  const kinds = Object.keys(perRequest) as MeasureOfRequest[];
  return {
    meanToFree: geometricMean(reduced.map(({ values }) => values.toFree)),
    ...Object.fromEntries(kinds.flatMap(ofKind)),
    incomplete: sum(answers.map(incompleteAnswers)),
  };
}

/** Line of one request in the table of a run. */
export function jsonSample(answers: ControlledAnswers): Sample {
  const { request, rounds } = answers;
  const { toFree, rate, perStep, firstTtft } = valuesOf(answers);
  const tokens = rounds.flatMap(({ constrained }) => constrained.map(completionOf));
  return {
    request,
    tokens: mean(tokens),
    "tok/s": rate,
    "free tok/s": median(rounds.map(({ free }) => wholeRate(free))),
    "to free": toFree,
    "for each drawn": perStep,
    "new ms": firstTtft,
    incomplete: incompleteAnswers(answers),
  };
}

function valuesOf({ first, rounds }: ControlledAnswers): Record<MeasureOfRequest, number> {
  return {
    toFree: median(rounds.map(({ constrained, free }) => wholeRate(constrained) / wholeRate(free))),
    rate: median(rounds.map(({ constrained }) => wholeRate(constrained))),
    perStep: tokensPerDraw(rounds.flatMap(({ constrained }) => constrained)),
    firstTtft: (first.chunkTimesMs[0] ?? first.endedAtMs) - first.startedAtMs,
  };
}

/**
 * Tokens per second of one stream, from the request to its end. Other scenarios count from the
 * first chunk, but a tool call's first chunk follows many tokens, when the name is complete.
 */
function wholeRate(records: readonly RequestRecord[]): number {
  const successes = succeeded(records);
  const totalMs = sum(successes.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs));
  return (1000 * sum(successes.map(completionOf))) / totalMs;
}

/** Tokens per sampled token, i.e. per token that was neither forced nor an accepted draft. */
function tokensPerDraw(records: readonly RequestRecord[]): number {
  const successes = succeeded(records);
  const advanced = sum(
    successes.map(({ tokens }) => (tokens === undefined ? 0 : tokens.accepted + tokens.forced)),
  );
  const completion = sum(successes.map(completionOf));
  return completion / (completion - advanced);
}

function completionOf({ tokens }: RequestRecord): number {
  return tokens?.completion ?? 0;
}

function incompleteAnswers({ rounds, isComplete }: ControlledAnswers): number {
  return rounds.flatMap(({ constrained }) => constrained.filter((record) => !isComplete(record)))
    .length;
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map(Math.log)));
}

/** Whether an answer has ended by itself and satisfies its constraint. */
type IsComplete = (record: RequestRecord) => boolean;

/**
 * Validator that compares quotients with whole numbers to six places, because doubles are not exact
 * multiples of 0.01.
 */
const ajv = new Ajv2020({ multipleOfPrecision: 6 });

/** Builds the check of a request's answers. An answer of unbounded length may also be truncated. */
export function completenessOf({ control, length }: ControlledRequest): IsComplete {
  const isValid = validatorOf(control);
  return ({ error, finishReason, text }) => {
    if (error !== undefined) return false;
    if (finishReason === "length") return length === "unbounded";
    return isValid(text);
  };
}

function validatorOf(control: Control): (text: string) => boolean {
  if (control.kind === "regex") {
    const whole = new RegExp(`^(?:${control.regex})$`, "u");
    return (text) => whole.test(text);
  }
  const validate = ajv.compile(control.schema);
  return (text) => {
    try {
      return validate(JSON.parse(text));
    } catch {
      return false;
    }
  };
}
