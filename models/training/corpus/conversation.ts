import type { Random } from "../../random/random-choices.js";
import type { Lexicon } from "./words/lexicon.js";

/** JSON values of tool arguments and JSON answers. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Tool, as listed in the prompt in a compact signature. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, "string" | "integer" | "number" | "boolean">>;
}

/** One call of a tool. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: { readonly [key: string]: Json };
}

/** A message of the user. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string;
}

/** Result of a tool. */
export interface ToolMessage {
  readonly role: "tool";
  readonly content: string;
}

/** Message of the model, with the reasoning that it writes when thinking is on. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
}

/** One message of a conversation. */
export type Message = UserMessage | ToolMessage | AssistantMessage;

/** Form of a correct last answer; used by the held-out evaluation only. */
export type Expectation =
  | { readonly kind: "equals"; readonly text: string }
  | { readonly kind: "contains"; readonly all: readonly string[] }
  | { readonly kind: "any"; readonly of: readonly string[] }
  | { readonly kind: "json"; readonly value: { readonly [key: string]: Json } }
  | { readonly kind: "calls"; readonly calls: readonly ToolCall[] }
  | { readonly kind: "no-call" }
  | { readonly kind: "items"; readonly count: number }
  | { readonly kind: "upper-case"; readonly all: readonly string[] };

/** Complete training example. The last message is the assistant's. */
export interface Conversation {
  readonly system?: string;
  readonly tools?: readonly Tool[];
  readonly thinking?: boolean;
  readonly messages: readonly Message[];
  readonly expect?: Expectation;
}

/** Skill, which generates one conversation from a random stream and the words of its split. */
export type Skill = (random: Random, words: Lexicon) => Conversation;
