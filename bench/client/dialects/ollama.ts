import { type ChatRequest, streams } from "../chat-request.js";
import type { Dialect, EventContent } from "./dialect.js";

interface Line {
  /** Present in responses of `/api/chat`. */
  readonly message?: {
    readonly content?: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly object[];
  };
  /** Present in responses of `/api/generate`. */
  readonly response?: string;
  readonly thinking?: string;
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly error?: string;
}

const format = { framing: "lines", lastEvent: "done", readEvent } as const;

/** Ollama's `POST /api/chat`. Ends at the model's end-of-sequence token if that comes first. */
export const ollamaChat: Dialect = {
  ...format,
  name: "Ollama's chat",
  path: "../api/chat",
  toBody: (request, model) => ({ ...commonBody(request, model), messages: request.messages }),
};

/** Ollama's `POST /api/generate`; the request's messages are joined into one prompt. */
export const ollamaGenerate: Dialect = {
  ...format,
  name: "Ollama's generate",
  path: "../api/generate",
  toBody: (request, model) => ({
    ...commonBody(request, model),
    prompt: request.messages.map(({ content }) => content).join("\n"),
  }),
};

function commonBody(request: ChatRequest, model: string) {
  const { temperature, seed } = request.sampling ?? { temperature: 0 };
  return {
    model,
    stream: streams(request),
    options: { num_predict: request.maxTokens, temperature, seed },
    ...request.members,
  };
}

function readEvent(line: Line): EventContent {
  const { message = {}, response, thinking, done = false, done_reason, error } = line;
  const text = message.content ?? response ?? "";
  return {
    showsTokens: Boolean(text || message.thinking || thinking || message.tool_calls?.length),
    text,
    error,
    ...(done && {
      isLast: true,
      finishReason: done_reason,
      counts: { prompt: line.prompt_eval_count ?? 0, completion: line.eval_count ?? 0 },
    }),
  };
}
