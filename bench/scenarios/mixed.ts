import type { RequestRecord } from "../client/request-record.js";
import { itlP50Measure, itlP99Measure, ttftP50Measure } from "./common-measures.js";
import { firstTokenTimes, middleAndTail, tokenGaps, wallSeconds, windowOf } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";

const sizes = {
  full: { chatPrompt: 32, chatTokens: 256, longPrompts: 6, longPrompt: 2000, longTokens: 16 },
  quick: { chatPrompt: 16, chatTokens: 64, longPrompts: 2, longPrompt: 300, longTokens: 4 },
} as const;

/** Short chats that stream while long prompts arrive, one after the other. */
export const mixed: Scenario = {
  name: "mixed",
  description: "short chats stream while prompts of 2,000 tokens arrive, one after the other",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [8], slots: 12, contextSize: 5120 },
    quick: { model: "tiny", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    itlP50: { ...itlP50Measure, label: "ITL p50 of the chats" },
    itlP99: { ...itlP99Measure, label: "ITL p99 of the chats" },
    longTtftP50: { ...ttftP50Measure, label: "TTFT p50 of the long prompts" },
    longWall: { label: "wall time of the long prompts", unit: "s", better: "lower" },
  },
  targets: [{ measure: "itlP99", clients: 8, model: "135m+gpt-2", of: "ratio", atMost: 0.25 }],
  async run(load) {
    const all = Array.from({ length: load.clients }, (_, client) => client);
    const over = new AbortController();
    const chats = all.map((client) => startChats(load, client, over.signal));
    await Promise.all(chats.map(({ streaming }) => streaming));
    const long = await askLongPrompts(load);
    over.abort();
    const records = await Promise.all(chats.map(({ finished }) => finished));
    return mixedMeasures(records.flat(), long);
  },
};

/** What one run comes to; of the chats, what came while the long prompts were there. */
export function mixedMeasures(chats: readonly RequestRecord[], long: readonly RequestRecord[]) {
  const { p50, p99 } = middleAndTail(tokenGaps(chats, windowOf(long)));
  return {
    itlP50: p50,
    itlP99: p99,
    longTtftP50: middleAndTail(firstTokenTimes(long)).p50,
    longWall: wallSeconds(long),
  };
}

/** One client that chats until it is told to stop, or until a chat fails. */
function startChats({ effort, prompts, ask }: Load, client: number, over: AbortSignal) {
  const { chatPrompt, chatTokens } = sizes[effort];
  let onFirstPiece = () => {};
  const streaming = new Promise<void>((resolve) => {
    onFirstPiece = resolve;
  });
  const chat = async () => {
    const records: RequestRecord[] = [];
    do {
      const content = prompts.text(`chat ${client} ${records.length}`, chatPrompt);
      const request = { messages: [{ role: "user" as const, content }], maxTokens: chatTokens };
      records.push(await ask(request, onFirstPiece));
    } while (!over.aborted && records.at(-1)?.error === undefined);
    onFirstPiece();
    return records;
  };
  return { streaming, finished: chat() };
}

async function askLongPrompts({ effort, prompts, ask }: Load): Promise<RequestRecord[]> {
  const { longPrompts, longPrompt, longTokens } = sizes[effort];
  const records: RequestRecord[] = [];
  for (let number = 0; number < longPrompts; number++) {
    const content = prompts.text(`long ${number}`, longPrompt);
    records.push(await ask({ messages: [{ role: "user", content }], maxTokens: longTokens }));
  }
  return records;
}
