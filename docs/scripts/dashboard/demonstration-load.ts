/**
 * Generates the load that the dashboard's picture shows: multi-turn conversations in varying number, a burst that
 * exceeds the queue, clients that disconnect, and invalid requests.
 *
 *     npx tsx docs/scripts/dashboard/demonstration-load.ts [SERVER] [MINUTES]
 */
import { setTimeout as sleep } from "node:timers/promises";

const WORDS =
  "river stone lamp garden winter paper silver morning bridge quiet forest engine window letter ocean copper".split(
    " ",
  );

interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Clients that are active between two fractions of the duration, and pause between turns. */
interface Group {
  readonly clients: number;
  readonly from: number;
  readonly to: number;
  readonly thinkMs: number;
}

const GROUPS: readonly Group[] = [
  { clients: 2, from: 0, to: 1, thinkMs: 1200 },
  { clients: 3, from: 0.25, to: 0.8, thinkMs: 800 },
  { clients: 24, from: 0.5, to: 0.65, thinkMs: 100 },
];

const [server = "http://localhost:8080", minutes = "5"] = process.argv.slice(2);
const beganAt = Date.now();
const lengthMs = 60_000 * Number(minutes);
const isBefore = (share: number) => Date.now() - beganAt < share * lengthMs;

/** Returns the answer. A refusal returns an empty text, after the time of its `Retry-After`. */
async function ask(messages: readonly Message[], maxTokens: number): Promise<string> {
  const response = await fetch(`${server}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages, max_tokens: maxTokens }),
  });
  const { choices } = (await response.json()) as {
    choices?: readonly { message: { content: string } }[];
  };
  if (response.status === 503) await sleep(1000 * Number(response.headers.get("retry-after")));
  return choices?.[0]?.message.content ?? "";
}

async function converse({ from, to, thinkMs }: Group): Promise<void> {
  await sleep(from * lengthMs + Math.random() * thinkMs);
  while (isBefore(to)) {
    const messages: Message[] = [{ role: "system", content: `You are brief. ${words(20)}` }];
    for (let turn = 0; turn < 4 && isBefore(to); turn++) {
      messages.push({ role: "user", content: words(15) });
      messages.push({ role: "assistant", content: await ask(messages, 32 + 32 * turn) });
      await sleep(thinkMs * (0.5 + Math.random()));
    }
  }
}

async function hangUp(): Promise<void> {
  while (isBefore(1)) {
    await fetch(`${server}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: words(30) }], max_tokens: 400 }),
      signal: AbortSignal.timeout(250),
    }).catch(() => undefined);
    await sleep(4000);
  }
}

async function sendInvalid(): Promise<void> {
  while (isBefore(1)) {
    await ask([], 1);
    await sleep(15_000);
  }
}

function words(number: number): string {
  const any = () => WORDS[Math.floor(Math.random() * WORDS.length)];
  return Array.from({ length: number }, any).join(" ");
}

const clients = GROUPS.flatMap((group) =>
  Array.from({ length: group.clients }, () => converse(group)),
);
await Promise.all([...clients, hangUp(), sendInvalid()]);
