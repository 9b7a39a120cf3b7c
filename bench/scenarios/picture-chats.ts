import type { Message } from "../client/chat-request.js";
import { inOpenLoop } from "../client/open-loop.js";
import type { RequestRecord } from "../client/request-record.js";
import { pictureUrl } from "../prompts/picture.js";
import type { Effort, Load } from "./scenario.js";

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
export interface PictureConversations {
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
