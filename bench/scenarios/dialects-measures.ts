/** Reduces a run of `dialects` to its measures. */
import type { RequestRecord } from "../client/request-record.js";
import { mean, median, percentile } from "../statistics.js";
import {
  interTokenLatenciesMs,
  outputRate,
  timesToFirstTokenMs,
  wallSeconds,
} from "./reductions.js";
import type { Measure, Sample, Target } from "./scenario.js";

/** Streams of a dialect, and those of chat completions before and after them. */
export interface Compared {
  /** Name of the dialect. */
  readonly dialect: string;
  readonly records: readonly RequestRecord[];
  readonly chats: readonly [readonly RequestRecord[], readonly RequestRecord[]];
}

/** Measures of each dialect, relative to chat completions. */
const perDialect = {
  wall: { label: "wall time to chat's", unit: "", better: "lower" },
  ttft: { label: "TTFT p50 to chat's", unit: "", better: "lower" },
  itl: { label: "ITL p50 to chat's", unit: "", better: "lower" },
} as const satisfies Readonly<Record<string, Measure>>;

type Kind = keyof typeof perDialect;

const kinds = Object.keys(perDialect) as Kind[];

const reductions: Readonly<Record<Kind, (records: readonly RequestRecord[]) => number>> = {
  wall: wallSeconds,
  ttft: (records) => percentile(timesToFirstTokenMs(records), 50),
  itl: (records) => percentile(interTokenLatenciesMs(records), 50),
};

const keyOf = (kind: Kind, dialect: string) => `${kind}: ${dialect}`;

/** Builds the measures of all dialects, grouped by kind. */
export function dialectMeasureTypes(names: readonly string[]): Readonly<Record<string, Measure>> {
  return {
    chatRate: { label: "chat's output", unit: "tok/s", better: "higher" },
    ...Object.fromEntries(
      kinds.flatMap((kind) =>
        names.map((name) => [keyOf(kind, name), { ...perDialect[kind], subject: name }]),
      ),
    ),
    incomplete: { label: "answers without all tokens", unit: "", better: "lower" },
  };
}

/** Targets: a dialect's streams take at most a twentieth longer than those of chat completions. */
export function dialectTargets(names: readonly string[]): readonly Target[] {
  return [
    ...kinds.flatMap((kind) =>
      names.map((name): Target => {
        return { measure: keyOf(kind, name), clients: 32, of: "ours", atMost: 1.05 };
      }),
    ),
    { measure: "incomplete", of: "ours", atMost: 0 },
  ];
}

/**
 * Measures of one run: medians of its rounds.
 * @param maxTokens number of tokens that every answer must have
 */
export function dialectMeasures(
  names: readonly string[],
  compared: readonly Compared[],
  maxTokens: number,
): Readonly<Record<string, number>> {
  const ratio = (kind: Kind, name: string) =>
    median(compared.filter(({ dialect }) => dialect === name).map((one) => toChat(kind, one)));
  return {
    chatRate: median(compared.flatMap(({ chats }) => chats.map(outputRate))),
    ...Object.fromEntries(
      kinds.flatMap((kind) => names.map((name) => [keyOf(kind, name), ratio(kind, name)])),
    ),
    incomplete: compared.reduce((total, one) => total + incompleteAnswers(one, maxTokens), 0),
  };
}

/** Line of one round in the table of a run. */
export function dialectSample(one: Compared, maxTokens: number): Sample {
  const { dialect, records } = one;
  return {
    dialect,
    "wall s": wallSeconds(records),
    "TTFT ms": reductions.ttft(records),
    "ITL ms": reductions.itl(records),
    "wall to chat": toChat("wall", one),
    "TTFT to chat": toChat("ttft", one),
    "ITL to chat": toChat("itl", one),
    "prompt tokens": mean(records.map(({ tokens }) => tokens?.prompt ?? 0)),
    "chat's": mean(one.chats[0].map(({ tokens }) => tokens?.prompt ?? 0)),
    incomplete: incompleteAnswers(one, maxTokens),
  };
}

/** Ratio to the mean of the chat streams before and after, because the machine's speed drifts. */
function toChat(kind: Kind, { records, chats }: Compared): number {
  const reduce = reductions[kind];
  return reduce(records) / mean(chats.map(reduce));
}

/**
 * Counts the answers, including those of chat completions, that did not end at the token limit with
 * all tokens.
 */
function incompleteAnswers({ records, chats }: Compared, maxTokens: number): number {
  return [records, ...chats]
    .flat()
    .filter(
      ({ error, finishReason, tokens, chunkTimesMs }) =>
        error !== undefined ||
        finishReason !== "length" ||
        tokens?.completion !== maxTokens ||
        chunkTimesMs.length === 0,
    ).length;
}
