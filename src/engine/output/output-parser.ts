import type { OutputReading } from "../../core/generation-request.js";
import { TagScanner } from "./tag-scanner.js";
import { REASONING_TAGS, TOOL_CALL_TAGS } from "./tags.js";
import { parseToolCall, type WrittenToolCall } from "./tool-call-json.js";

/** A part of a model's output, by purpose. */
export type OutputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | ({ readonly type: "tool-call" } & WrittenToolCall);

/**
 * Splits the text of an answer into reasoning (`<think>…</think>` at its beginning), tool calls
 * (`<tool_call>{"name":…,"arguments":{…}}</tool_call>`, the format of Hermes and Qwen) and text.
 * The result does not depend on the chunk boundaries. White space around the tags is dropped. A
 * tool call that cannot be parsed is returned as text.
 */
export class OutputParser {
  readonly #toolCalls: OutputReading["toolCalls"];
  readonly #scanner = new TagScanner();
  #state: "beginning" | "reasoning" | "text" | "tool-call";
  /** Whether leading white space is dropped, because it follows a tag. */
  #skipsSpace: boolean;
  /** White space before an open tool call, in case it cannot be parsed. */
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

  /** Takes the next chunk; returns the parts that are complete. */
  push(chunk: string): OutputPart[] {
    this.#scanner.push(chunk);
    const parts: OutputPart[] = [];
    while (this.#advance(parts));
    return parts;
  }

  /** Ends the text: returns what was held back. */
  flush(): OutputPart[] {
    const parts: OutputPart[] = [];
    const text = this.#scanner.takeAll();
    if (this.#state === "tool-call") this.#pushCall(text, "", parts);
    else this.#pushText(text, parts);
    return parts;
  }

  /** Parses as far as one state goes; false: more text is needed. */
  #advance(parts: OutputPart[]): boolean {
    switch (this.#state) {
      case "beginning":
        return this.#begin();
      case "reasoning":
        return this.#parseReasoning(parts);
      case "text":
        return this.#parseText(parts);
      case "tool-call":
        return this.#parseCall(parts);
    }
  }

  #begin(): boolean {
    const isOpened = this.#scanner.takeLeadingTag(REASONING_TAGS.open);
    if (isOpened === undefined) return false;
    if (isOpened) this.#skipsSpace = true;
    this.#state = isOpened ? "reasoning" : "text";
    return true;
  }

  #parseReasoning(parts: OutputPart[]): boolean {
    const before = this.#scanner.takeBeforeTag(REASONING_TAGS.close);
    if (before === undefined) {
      this.#pushText(this.#scanner.takeSettled(REASONING_TAGS.close), parts);
      return false;
    }
    this.#pushText(before.trimEnd(), parts);
    this.#skipsSpace = true;
    this.#state = "text";
    return true;
  }

  #parseText(parts: OutputPart[]): boolean {
    if (this.#toolCalls === "ignored") {
      this.#pushText(this.#scanner.takeAll(), parts);
      return false;
    }
    const before = this.#scanner.takeBeforeTag(TOOL_CALL_TAGS.open);
    if (before === undefined) {
      this.#pushText(this.#scanner.takeSettled(TOOL_CALL_TAGS.open), parts);
      return false;
    }
    const text = before.trimEnd();
    this.#spaceBeforeCall = this.#skipsSpace && text === "" ? "" : before.slice(text.length);
    this.#pushText(text, parts);
    this.#state = "tool-call";
    return true;
  }

  #parseCall(parts: OutputPart[]): boolean {
    const body = this.#scanner.takeBeforeTag(TOOL_CALL_TAGS.close);
    if (body === undefined) return false;
    this.#pushCall(body, TOOL_CALL_TAGS.close, parts);
    return true;
  }

  #pushCall(body: string, close: string, parts: OutputPart[]): void {
    const call = parseToolCall(body);
    this.#state = "text";
    if (call !== undefined) {
      parts.push({ type: "tool-call", ...call });
      this.#skipsSpace = true;
      return;
    }
    this.#skipsSpace = false;
    this.#pushText(`${this.#spaceBeforeCall}${TOOL_CALL_TAGS.open}${body}${close}`, parts);
  }

  #pushText(text: string, parts: OutputPart[]): void {
    const visible = this.#skipsSpace ? text.trimStart() : text;
    if (visible === "") return;
    this.#skipsSpace = false;
    parts.push({ type: this.isReasoning ? "reasoning" : "text", text: visible });
  }
}
