import type { ChatRequest } from "../chat-request.js";
import type { TokenCounts } from "../request-record.js";

/** One of the interfaces through which a server answers: how it is asked, and how its stream is read. */
export interface Dialect {
  /** In tables. */
  readonly name: string;
  /** Of the route, relative to `/v1/`. */
  readonly path: string;
  readonly framing: Framing;
  /** What a stream that is not truncated ends with. */
  readonly lastEvent: string;
  /** The body of a request; the server streams unless the request's mode is another one. */
  toBody(request: ChatRequest, model: string): object;
  /** Reads an event of the stream, or the body of a response that is none. */
  readEvent(event: object): EventContent;
}

/** Server-sent events with JSON as their data, or a line of JSON each. */
export type Framing = "server-sent events" | "lines";

/** What one event says; all that is absent, it does not say. */
export interface EventContent {
  /** Whether it shows new tokens: text, reasoning, or a part of a tool call. */
  readonly showsTokens: boolean;
  /** A piece of the answer's text or of a tool call's arguments. */
  readonly text?: string | undefined;
  /** In the words of chat completions. */
  readonly finishReason?: string | undefined;
  /** Later events replace what earlier ones counted. */
  readonly counts?: Partial<TokenCounts>;
  readonly error?: string | undefined;
  /** Whether it is the dialect's last event. */
  readonly isLast?: boolean;
}

/** An event of no interest. */
export const nothing: EventContent = { showsTokens: false };
