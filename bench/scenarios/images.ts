import { setTimeout as delay } from "node:timers/promises";
import type { Message } from "../client/chat-request.js";
import { inOpenLoop } from "../client/open-loop.js";
import type { RequestRecord } from "../client/request-record.js";
import { pictureUrl } from "../prompts/picture.js";
import { besideStreams, streamFigures } from "./beside-streams.js";
import {
  itlP50Measure,
  itlP99Measure,
  outputRateMeasure,
  ttftP50Measure,
  ttftP99Measure,
} from "./common-measures.js";
import { p50AndP99, timesToFirstTokenMs, type Window, windowOf } from "./reductions.js";
import type { Effort, Load, Measure, Scenario } from "./scenario.js";

/** Duration of the phase with streams only. */
const calmMs = { full: 15_000, quick: 50 } as const;

const model = "15m+gpt-2";

/** Measures of the streams without and with images. */
export const streamMeasures = (
  time: string,
): readonly [p50: Measure, p99: Measure, max: Measure, rate: Measure] => [
  { ...itlP50Measure, label: `ITL p50 of the streams, ${time}` },
  { ...itlP99Measure, label: `ITL p99 of the streams, ${time}` },
  { ...itlP99Measure, label: `longest gap of a stream, ${time}` },
  { ...outputRateMeasure, label: `output of the streams, ${time}` },
];

const [calmItlP50, calmItlP99, calmGap, calmOutput] = streamMeasures("without images");
const [itlP50, itlP99, gap, output] = streamMeasures("with images");

/** Streams while images arrive, whose encoding could block all of them. */
export const images: Scenario = {
  name: "images",
  description: "8 streams, and a chat with a new image every second; then the same image again",
  comparison: { kind: "peer" },
  hasProjector: true,
  defaults: {
    full: { model, clients: [8], slots: 12, contextSize: 1024 },
    quick: { model: "tiny", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    ...{ calmItlP50, itlP50, calmItlP99, itlP99 },
    itlRatio: { label: "ITL p99, with images to without", unit: "", better: "lower" },
    ...{ calmGap, gap, calmOutput, output },
    ttftP50: { ...ttftP50Measure, label: "TTFT p50 of a new image, beside the streams" },
    ttftP99: { ...ttftP99Measure, label: "TTFT p99 of a new image, beside the streams" },
    firstTtftP50: { ...ttftP50Measure, label: "TTFT p50 of a new image, alone" },
    nextTtftP50: { ...ttftP50Measure, label: "TTFT p50 of the next turn about it, alone" },
  },
  targets: [{ measure: "itlRatio", clients: 8, model, of: "ours", atMost: 2 }],
  async run(load) {
    const beside = await sendPicturesBesideStreams(load);
    return imagesMeasures(beside, await talkAboutPictures(load));
  },
};

/** Records of the streams and of the chats with images. */
interface PicturesBesideStreams {
  readonly streams: readonly RequestRecord[];
  /** Window with streams only. */
  readonly calm: Window;
  readonly pictures: readonly RequestRecord[];
}

async function sendPicturesBesideStreams(load: Load): Promise<PicturesBesideStreams> {
  const { effort, signal } = load;
  const { streams, result } = await besideStreams(load, async () => {
    const fromMs = performance.now();
    await delay(calmMs[effort], undefined, { signal });
    const calm = { fromMs, toMs: performance.now() };
    return { calm, pictures: await sendPictures(load) };
  });
  return { streams, ...result };
}

/**
 * Measures of one run. The phase with images lasts from the first image's request to the last one's
 * answer.
 */
export function imagesMeasures(
  { streams, calm, pictures }: PicturesBesideStreams,
  { firstTurns, nextTurns }: PictureConversations,
) {
  const before = streamFigures(calm, streams);
  const during = streamFigures(windowOf(pictures), streams);
  const ttft = p50AndP99(timesToFirstTokenMs(pictures));
  return {
    calmItlP50: before.p50,
    itlP50: during.p50,
    calmItlP99: before.p99,
    itlP99: during.p99,
    itlRatio: during.p99 / before.p99,
    calmGap: before.longest,
    gap: during.longest,
    calmOutput: before.rate,
    output: during.rate,
    ttftP50: ttft.p50,
    ttftP99: ttft.p99,
    firstTtftP50: p50AndP99(timesToFirstTokenMs(firstTurns)).p50,
    nextTtftP50: p50AndP99(timesToFirstTokenMs(nextTurns)).p50,
  };
}

const sizes = {
  full: {
    ...{ chats: 30, everyMs: 1000, conversations: 10 },
    ...{ side: 224, promptTokens: 32, maxTokens: 16 },
  },
  quick: {
    ...{ chats: 3, everyMs: 50, conversations: 2 },
    ...{ side: 64, promptTokens: 8, maxTokens: 4 },
  },
} as const satisfies Record<Effort, object>;

/** Fields of a load that the chats need. */
type Asking = Pick<Load, "effort" | "prompts" | "complete" | "signal">;

/** Conversations about one picture each. */
interface PictureConversations {
  readonly firstTurns: readonly RequestRecord[];
  /** Second turns, whose prompts contain the first turn's picture and answer. */
  readonly nextTurns: readonly RequestRecord[];
}

/** Sends a chat with a new picture every second, whether or not earlier ones have finished. */
export function sendPictures(load: Asking): Promise<RequestRecord[]> {
  const { effort, complete, signal } = load;
  const { chats, everyMs, maxTokens } = sizes[effort];
  const calls = Array.from({ length: chats }, (_, number) => {
    const messages = [pictureMessage(load, `chat ${number}`)];
    return { atMs: number * everyMs, call: () => complete({ messages, maxTokens }) };
  });
  return inOpenLoop(calls, signal);
}

/**
 * Holds conversations of two turns about a picture, one after another. The first answer is a fixed
 * text in the second prompt, so that all servers get the same prompts.
 */
export async function talkAboutPictures(load: Asking): Promise<PictureConversations> {
  const { effort, prompts, complete } = load;
  const { conversations, promptTokens, maxTokens } = sizes[effort];
  const firstTurns: RequestRecord[] = [];
  const nextTurns: RequestRecord[] = [];
  for (let number = 0; number < conversations; number++) {
    const text = (name: string) => prompts.text(`${name} ${number}`, promptTokens);
    const first = pictureMessage(load, `conversation ${number}`);
    const answered: Message = { role: "assistant", content: text("answer") };
    const next: Message = { role: "user", content: text("next") };
    firstTurns.push(await complete({ messages: [first], maxTokens }));
    nextTurns.push(await complete({ messages: [first, answered, next], maxTokens }));
  }
  return { firstTurns, nextTurns };
}

/** Builds a question about a new picture. */
function pictureMessage({ effort, prompts }: Asking, name: string): Message {
  const { side, promptTokens } = sizes[effort];
  const image = pictureUrl(prompts.random(name), side);
  return { role: "user", content: prompts.text(name, promptTokens), image };
}
