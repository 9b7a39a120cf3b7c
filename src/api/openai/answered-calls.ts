/**
 * Calls in completions. The described schemas have those of functions, and of custom tools what can be added to these:
 * a union would break the clients that are generated from the description, most of which have no custom tools.
 */
import type { Completion, CompletionChunk } from "./response-schema.js";

type Message = Completion["choices"][number]["message"];
type DescribedCall = NonNullable<Message["tool_calls"]>[number];
type DescribedChunkChoice = CompletionChunk["choices"][number];
type DescribedDelta = DescribedChunkChoice["delta"];
type DescribedCallDelta = NonNullable<DescribedDelta["tool_calls"]>[number];

type FunctionCall = Omit<DescribedCall, "custom">;
type FunctionCallDelta = Omit<DescribedCallDelta, "custom">;

interface CustomCall extends Pick<DescribedCall, "id"> {
  type: "custom";
  custom: NonNullable<DescribedCall["custom"]>;
}

interface CustomCallDelta extends Pick<DescribedCallDelta, "index" | "id"> {
  type?: "custom";
  custom: NonNullable<DescribedCallDelta["custom"]>;
}

/** A call of a function or of a custom tool. */
export type AnsweredCall = FunctionCall | CustomCall;

/** The message of a completion. */
export interface AnsweredMessage extends Omit<Message, "tool_calls"> {
  tool_calls?: AnsweredCall[];
}

/** What a chunk adds to a message. */
export interface AnsweredDelta extends Omit<DescribedDelta, "tool_calls"> {
  tool_calls?: (FunctionCallDelta | CustomCallDelta)[];
}

/** What a chunk has of a choice. */
export interface AnsweredChunkChoice extends Omit<DescribedChunkChoice, "delta"> {
  delta: AnsweredDelta;
}

/** One event of a streamed completion. */
export interface AnsweredChunk extends Omit<CompletionChunk, "choices"> {
  choices: AnsweredChunkChoice[];
}
