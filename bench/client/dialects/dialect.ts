import type { ChatRequest } from "../chat-request.js";
import type { TokenCounts } from "../request-record.js";

/** API dialect of a server: how requests are written and how streams are read. */
export interface Dialect {
  /** Name in tables. */
  readonly name: string;
  /** Path of the route, relative to `/v1/`. */
  readonly path: string;
  readonly framing: Framing;
  /** Event that ends every complete stream. */
  readonly lastEvent: string;
  /** Body of a request; streaming, unless the request's mode differs. */
  toBody(request: ChatRequest, model: string): object;
  /** Reads a stream event, or the body of a response that is not streamed. */
  readEvent(event: object): EventContent;
}

/** Framing of a stream: server-sent events with JSON data, or one JSON value per line. */
export type Framing = "server-sent events" | "lines";

/** Content of one event; all fields that the event lacks are absent. */
export interface EventContent {
  /** Whether the event contains new tokens: text, reasoning, or part of a tool call. */
  readonly showsTokens: boolean;
  /** Piece of the answer's text or of a tool call's arguments. */
  readonly text?: string | undefined;
  /** Finish reason, by its name in chat completions. */
  readonly finishReason?: string | undefined;
  /** Token counts, which replace those of earlier events. */
  readonly counts?: Partial<TokenCounts>;
  readonly error?: string | undefined;
  /** Whether this is the last event of the stream. */
  readonly isLast?: boolean;
}

/** Event without any relevant content. */
export const nothing: EventContent = { showsTokens: false };
