import type { RequestRecord } from "../client/request-record.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import { interTokenLatenciesMs, timesToFirstTokenMs, wallSeconds, windowOf } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";

const sizes = {
  full: {
    chatPromptTokens: 32,
    chatMaxTokens: 256,
    longPrompts: 6,
    longPromptTokens: 2000,
    longMaxTokens: 16,
  },
  quick: {
    chatPromptTokens: 16,
    chatMaxTokens: 64,
    longPrompts: 2,
    longPromptTokens: 300,
    longMaxTokens: 4,
  },
} as const;

/** Short chats that stream while long prompts arrive, one after another. */
export const mixed: Scenario = {
  name: "mixed",
  description: "short chats stream while prompts of 2,000 tokens arrive, one after another",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [8], slots: 12, contextSize: 5120 },
    quick: { model: "tiny", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    ...latencyMeasures("itl", "ITL", "of the chats"),
    ...latencyMeasures("longTtft", "TTFT", "of the long prompts"),
    longWall: { label: "wall time of the long prompts", unit: "s", better: "lower" },
  },
  targets: [{ measure: "itlP99", clients: 8, model: "135m+gpt-2", of: "ratio", atMost: 0.25 }],
  async run(load) {
    const clients = Array.from({ length: load.clients }, (_, client) => client);
    const stop = new AbortController();
    const chats = clients.map((client) => startChats(load, client, stop.signal));
    await Promise.all(chats.map(({ streaming }) => streaming));
    const long = await sendLongPrompts(load);
    stop.abort();
    const records = await Promise.all(chats.map(({ finished }) => finished));
    return mixedMeasures(records.flat(), long);
  },
};

/** Measures of one run; of the chats, only tokens during the long prompts count. */
export function mixedMeasures(chats: readonly RequestRecord[], long: readonly RequestRecord[]) {
  return {
    ...latencyValues("itl", interTokenLatenciesMs(chats, windowOf(long))),
    ...latencyValues("longTtft", timesToFirstTokenMs(long)),
    longWall: wallSeconds(long),
  };
}

/** Starts a client that chats until `stop` is aborted, or until a chat fails. */
function startChats({ effort, prompts, complete }: Load, client: number, stop: AbortSignal) {
  const { chatPromptTokens, chatMaxTokens } = sizes[effort];
  let onFirstChunk = () => {};
  const streaming = new Promise<void>((resolve) => {
    onFirstChunk = resolve;
  });
  const chat = async () => {
    const records: RequestRecord[] = [];
    do {
      const content = prompts.text(`chat ${client} ${records.length}`, chatPromptTokens);
      const request = { messages: [{ role: "user" as const, content }], maxTokens: chatMaxTokens };
      records.push(await complete(request, onFirstChunk));
    } while (!stop.aborted && records.at(-1)?.error === undefined);
    onFirstChunk();
    return records;
  };
  return { streaming, finished: chat() };
}

async function sendLongPrompts({ effort, prompts, complete }: Load): Promise<RequestRecord[]> {
  const { longPrompts, longPromptTokens, longMaxTokens } = sizes[effort];
  const records: RequestRecord[] = [];
  for (let number = 0; number < longPrompts; number++) {
    const content = prompts.text(`long ${number}`, longPromptTokens);
    const messages = [{ role: "user" as const, content }];
    records.push(await complete({ messages, maxTokens: longMaxTokens }));
  }
  return records;
}
