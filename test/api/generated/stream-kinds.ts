import { expect } from "vitest";
import { jsonLines, serverSentEvents } from "./event-stream.js";

/** Answer assembled by a client from a stream. */
export interface Assembled {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/** Stream of an answer, for each route and dialect. */
export interface StreamKind {
  readonly url: string;
  readonly body: object;
  /** `text`: there are no messages, so neither reasoning nor calls. */
  readonly content: "anything" | "text-and-reasoning" | "text";
  readonly assemble: (stream: string) => Assembled;
}

const messages = [{ role: "user", content: "Hi" }];
const chat = { messages, stream: true };

/** Assembles the pieces of an answer; calls are identified by a key. */
class Assembly implements Assembled {
  text = "";
  reasoning = "";
  readonly #calls = new Map<unknown, { name: string; arguments: string }>();

  get calls() {
    return [...this.#calls.values()];
  }

  call(key: unknown, name = "", written = ""): void {
    const { name: before, arguments: begun } = this.#calls.get(key) ?? { name: "", arguments: "" };
    this.#calls.set(key, { name: before + name, arguments: begun + written });
  }
}

/** Reads events with JSON data, except for a terminator if the dialect has one. */
function readData(stream: string, terminator: "[DONE]" | undefined): readonly unknown[] {
  const data = serverSentEvents(stream).map((event) => event.data);
  if (terminator !== undefined) expect(data.pop()).toBe(terminator);
  return data.map((json) => JSON.parse(json));
}

/** Reads events that are named by the type of their data. */
function readNamed<Event extends { readonly type: string }>(stream: string): readonly Event[] {
  return serverSentEvents(stream).map(({ name, data }) => {
    const event = JSON.parse(data) as Event;
    expect(name).toBe(event.type);
    return event;
  });
}

interface ChatChunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly function: { readonly name?: string; readonly arguments?: string };
      }[];
    };
  }[];
}

function assembleChat(stream: string): Assembled {
  const assembly = new Assembly();
  for (const { choices } of readData(stream, "[DONE]") as readonly ChatChunk[]) {
    for (const { delta } of choices) {
      assembly.text += delta.content ?? "";
      assembly.reasoning += delta.reasoning_content ?? "";
      for (const { index, function: called } of delta.tool_calls ?? []) {
        assembly.call(index, called.name, called.arguments);
      }
    }
  }
  return assembly;
}

function assembleCompletion(stream: string): Assembled {
  const chunks = readData(stream, "[DONE]") as readonly {
    readonly choices: readonly { readonly text: string }[];
  }[];
  const assembly = new Assembly();
  assembly.text = chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join("");
  return assembly;
}

/** Assembles a stream of llama-server's own endpoints. */
function assembleNative(stream: string): Assembled {
  const pieces = readData(stream, undefined) as readonly { readonly content: string }[];
  const assembly = new Assembly();
  assembly.text = pieces.map(({ content }) => content).join("");
  return assembly;
}

interface ResponseEvent {
  readonly type: string;
  readonly delta: string;
  readonly item_id: string;
  readonly item: { readonly type: string; readonly id: string; readonly name: string };
}

function assembleResponse(stream: string): Assembled {
  const assembly = new Assembly();
  for (const { type, delta, item_id: id, item } of readNamed<ResponseEvent>(stream)) {
    if (type === "response.output_text.delta") assembly.text += delta;
    if (type === "response.reasoning_text.delta") assembly.reasoning += delta;
    if (type === "response.output_item.added" && item.type === "function_call") {
      assembly.call(item.id, item.name);
    }
    if (type === "response.function_call_arguments.delta") assembly.call(id, "", delta);
  }
  return assembly;
}

interface MessageEvent {
  readonly type: string;
  readonly index: number;
  readonly content_block: { readonly type: string; readonly name: string };
  readonly delta: {
    readonly type: string;
    readonly text: string;
    readonly thinking: string;
    readonly partial_json: string;
  };
}

function assembleMessage(stream: string): Assembled {
  const assembly = new Assembly();
  for (const { type, index, content_block: block, delta } of readNamed<MessageEvent>(stream)) {
    if (type === "content_block_start" && block.type === "tool_use") {
      assembly.call(index, block.name);
    }
    if (type !== "content_block_delta") continue;
    if (delta.type === "text_delta") assembly.text += delta.text;
    if (delta.type === "thinking_delta") assembly.reasoning += delta.thinking;
    if (delta.type === "input_json_delta") assembly.call(index, "", delta.partial_json);
  }
  return assembly;
}

interface OllamaLine {
  readonly response?: string;
  readonly thinking?: string;
  readonly message?: {
    readonly content: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: object };
    }[];
  };
}

function assembleLines(stream: string): Assembled {
  const assembly = new Assembly();
  for (const line of jsonLines(stream) as readonly OllamaLine[]) {
    const { response, thinking, message } = line;
    assembly.text += response ?? message?.content ?? "";
    assembly.reasoning += thinking ?? message?.thinking ?? "";
    for (const { id, function: called } of message?.tool_calls ?? []) {
      assembly.call(id, called.name, JSON.stringify(called.arguments));
    }
  }
  return assembly;
}

export const streamKinds: readonly StreamKind[] = [
  { url: "/v1/chat/completions", body: chat, content: "anything", assemble: assembleChat },
  {
    url: "/v1/completions",
    body: { prompt: "Hi", stream: true },
    content: "text",
    assemble: assembleCompletion,
  },
  {
    url: "/completion",
    body: { prompt: "Hi", stream: true },
    content: "text",
    assemble: assembleNative,
  },
  {
    url: "/infill",
    body: { input_prefix: "Hi", input_suffix: "!", stream: true },
    content: "text",
    assemble: assembleNative,
  },
  {
    url: "/v1/responses",
    body: { input: "Hi", stream: true },
    content: "anything",
    assemble: assembleResponse,
  },
  {
    url: "/v1/messages",
    body: { ...chat, max_tokens: 100 },
    content: "anything",
    assemble: assembleMessage,
  },
  { url: "/api/chat", body: { messages }, content: "anything", assemble: assembleLines },
  {
    url: "/api/generate",
    body: { prompt: "Hi" },
    content: "text-and-reasoning",
    assemble: assembleLines,
  },
];
