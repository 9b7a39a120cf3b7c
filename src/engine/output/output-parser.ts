import type { OutputReading } from "../../core/generation-request.js";

/** A stretch of what a model says, told apart by what it is for. */
export type OutputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly name: string;
      /** JSON text of an object. */
      readonly arguments: string;
    };

/** The tags of the one convention that is read; a model's template shows whether it writes them. */
export const REASONING = { open: "<think>", close: "</think>" } as const;
export const TOOL_CALL = { open: "<tool_call>", close: "</tool_call>" } as const;

/**
 * Splits the text of an answer into reasoning (`<think>…</think>` at its beginning), tool calls
 * (`<tool_call>{"name":…,"arguments":{…}}</tool_call>`, the convention of Hermes and Qwen) and text.
 * The result does not depend on how the text is cut into pieces. White space around the tags is
 * dropped. What looks like a tool call but cannot be read comes back as the text it is.
 */
export class OutputParser {
  readonly #toolCalls: OutputReading["toolCalls"];
  #state: "beginning" | "reasoning" | "text" | "tool-call";
  /** Text that no part has been made of. */
  #rest = "";
  /** White space that the tag before has made meaningless. */
  #skipsSpace: boolean;
  /** White space before an open tool call, in case it is none. */
  #spaceBeforeCall = "";

  constructor({ beginsWith, toolCalls }: OutputReading) {
    this.#toolCalls = toolCalls;
    this.#state = beginsWith === "reasoning" ? "reasoning" : "beginning";
    this.#skipsSpace = beginsWith === "reasoning";
  }

  /** Whether the next text belongs to the reasoning, as far as is known. */
  get isReasoning(): boolean {
    return this.#state === "reasoning";
  }

  /** Takes the next piece; returns the parts that are certain by now. */
  push(piece: string): OutputPart[] {
    this.#rest += piece;
    const parts: OutputPart[] = [];
    while (this.#advance(parts));
    return parts;
  }

  /** No text follows: returns the rest. */
  flush(): OutputPart[] {
    const parts: OutputPart[] = [];
    const rest = this.#rest;
    this.#rest = "";
    if (this.#state === "tool-call") this.#pushCall(rest, "", parts);
    else this.#pushText(rest, parts);
    return parts;
  }

  /** Makes parts of the rest as far as one state goes; false: more text is needed. */
  #advance(parts: OutputPart[]): boolean {
    switch (this.#state) {
      case "beginning":
        return this.#begin();
      case "reasoning":
        return this.#readReasoning(parts);
      case "text":
        return this.#readText(parts);
      case "tool-call":
        return this.#readCall(parts);
    }
  }

  #begin(): boolean {
    const text = this.#rest.trimStart();
    if (text.length < REASONING.open.length && REASONING.open.startsWith(text)) return false;
    if (text.startsWith(REASONING.open)) {
      this.#rest = text.slice(REASONING.open.length);
      this.#skipsSpace = true;
      this.#state = "reasoning";
    } else {
      this.#state = "text";
    }
    return true;
  }

  #readReasoning(parts: OutputPart[]): boolean {
    const before = this.#takeBefore(REASONING.close);
    if (before === undefined) {
      this.#pushText(this.#takeCertain(REASONING.close), parts);
      return false;
    }
    this.#pushText(before.trimEnd(), parts);
    this.#skipsSpace = true;
    this.#state = "text";
    return true;
  }

  #readText(parts: OutputPart[]): boolean {
    if (this.#toolCalls === "ignored") {
      this.#pushText(this.#rest, parts);
      this.#rest = "";
      return false;
    }
    const before = this.#takeBefore(TOOL_CALL.open);
    if (before === undefined) {
      this.#pushText(this.#takeCertain(TOOL_CALL.open), parts);
      return false;
    }
    const text = before.trimEnd();
    this.#spaceBeforeCall = this.#skipsSpace && text === "" ? "" : before.slice(text.length);
    this.#pushText(text, parts);
    this.#state = "tool-call";
    return true;
  }

  #readCall(parts: OutputPart[]): boolean {
    const body = this.#takeBefore(TOOL_CALL.close);
    if (body === undefined) return false;
    this.#pushCall(body, TOOL_CALL.close, parts);
    return true;
  }

  #pushCall(body: string, close: string, parts: OutputPart[]): void {
    const call = readToolCall(body);
    this.#state = "text";
    if (call !== undefined) {
      parts.push({ type: "tool-call", ...call });
      this.#skipsSpace = true;
      return;
    }
    this.#skipsSpace = false;
    this.#pushText(`${this.#spaceBeforeCall}${TOOL_CALL.open}${body}${close}`, parts);
  }

  #pushText(text: string, parts: OutputPart[]): void {
    const visible = this.#skipsSpace ? text.trimStart() : text;
    if (visible === "") return;
    this.#skipsSpace = false;
    parts.push({ type: this.isReasoning ? "reasoning" : "text", text: visible });
  }

  /** Takes the text before a tag, and the tag; `undefined` when it is not there. */
  #takeBefore(tag: string): string | undefined {
    const index = this.#rest.indexOf(tag);
    if (index < 0) return undefined;
    const before = this.#rest.slice(0, index);
    this.#rest = this.#rest.slice(index + tag.length);
    return before;
  }

  /** Takes what cannot be the beginning of a tag or the white space before one. */
  #takeCertain(tag: string): string {
    let end = this.#rest.length;
    for (let length = Math.min(tag.length - 1, end); length > 0; length--) {
      if (!this.#rest.endsWith(tag.slice(0, length))) continue;
      end -= length;
      break;
    }
    const certain = this.#rest.slice(0, end).trimEnd();
    this.#rest = this.#rest.slice(certain.length);
    return certain;
  }
}

function readToolCall(
  body: string,
): { readonly name: string; readonly arguments: string } | undefined {
  let call: unknown;
  try {
    call = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof call !== "object" || call === null || !("name" in call)) return undefined;
  const { name } = call;
  const given = "arguments" in call ? call.arguments : {};
  if (typeof name !== "string" || name === "") return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  return { name, arguments: JSON.stringify(given) };
}
