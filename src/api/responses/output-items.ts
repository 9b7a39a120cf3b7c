import assert from "node:assert/strict";
import type { GenerationEvent } from "../../core/generation-event.js";
import { toOpaqueReasoning } from "../answers/opaque-reasoning.js";
import { CustomInputReader } from "../fields/custom-tool.js";
import { toLogprobs } from "../fields/logprobs.js";
import { createId, type IdPrefix } from "./create-id.js";
import type { UnnumberedEvent } from "./event-schema.js";
import type {
  CallItem,
  CustomCallItem,
  FunctionCallItem,
  ItemStatus,
  OutputItem,
  OutputMessage,
  OutputText,
  ReasoningItem,
} from "./item-schema.js";
import { CALL_PREFIXES, type PublishedCall, toPublishedCall } from "./published-calls.js";
import type { PublishedType } from "./published-tools.js";

type TextDelta = Extract<GenerationEvent, { type: "text-delta" }>;
type ReasoningDelta = Extract<GenerationEvent, { type: "reasoning-delta" }>;
export type CallBegin = Extract<GenerationEvent, { type: "tool-call-begin" }>;

/** Completed item, and the events that end it. */
export interface ClosedItem {
  readonly events: readonly UnnumberedEvent[];
  readonly item: OutputItem;
}

/** Output item during its generation. It is opened once, grows, and is closed once. */
export interface OpenItem {
  readonly kind: "message" | "reasoning" | "call";
  /** @returns the first events of the item */
  open(): readonly UnnumberedEvent[];
  close(status: ItemStatus): ClosedItem;
}

/** Assistant message during its generation, with one text part. */
export class OpenMessage implements OpenItem {
  readonly kind = "message";
  readonly #id = createId("msg");
  readonly #location: {
    readonly output_index: number;
    readonly item_id: string;
    readonly content_index: 0;
  };
  #text = "";
  readonly #logprobs: OutputText["logprobs"] = [];

  constructor(outputIndex: number) {
    this.#location = { output_index: outputIndex, item_id: this.#id, content_index: 0 };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.#location;
    const item = this.#item("in_progress", []);
    const part = this.#part();
    return [
      { type: "response.output_item.added", output_index, item },
      { type: "response.content_part.added", ...this.#location, part },
    ];
  }

  add({ text, scores = [] }: TextDelta): readonly UnnumberedEvent[] {
    const logprobs = toLogprobs(scores).content;
    this.#text += text;
    this.#logprobs.push(...logprobs);
    return [{ type: "response.output_text.delta", ...this.#location, delta: text, logprobs }];
  }

  close(status: ItemStatus): ClosedItem {
    const { output_index } = this.#location;
    const part = this.#part();
    const { text, logprobs } = part;
    const item = this.#item(status, [part]);
    return {
      events: [
        { type: "response.output_text.done", ...this.#location, text, logprobs },
        { type: "response.content_part.done", ...this.#location, part },
        { type: "response.output_item.done", output_index, item },
      ],
      item,
    };
  }

  #part(): OutputText {
    return {
      type: "output_text",
      text: this.#text,
      annotations: [],
      logprobs: [...this.#logprobs],
    };
  }

  #item(status: ItemStatus, content: OutputText[]): OutputMessage {
    return { type: "message", id: this.#id, role: "assistant", status, content };
  }
}

/** Form in which reasoning is reported. */
export interface ReasoningReport {
  /** Field that holds the reasoning. Some clients read only the summary. */
  readonly as: "content" | "summary";
  /**
   * Whether the reasoning is repeated as `encrypted_content`, for clients that keep nothing else of
   * it.
   */
  readonly opaque: "added" | "absent";
}

/** Reasoning item during its generation, with one text part. */
export class OpenReasoning implements OpenItem {
  readonly kind = "reasoning";
  readonly #id = createId("rs");
  readonly #report: ReasoningReport;
  readonly #position: { readonly output_index: number; readonly item_id: string };
  #text = "";

  constructor(outputIndex: number, report: ReasoningReport) {
    this.#report = report;
    this.#position = { output_index: outputIndex, item_id: this.#id };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.#position;
    const item = this.#item("in_progress", "empty");
    const added = { type: "response.output_item.added", output_index, item } as const;
    if (this.#report.as === "summary") {
      const part = { type: "summary_text", text: "" } as const;
      const place = { ...this.#position, summary_index: 0 };
      return [added, { type: "response.reasoning_summary_part.added", ...place, part }];
    }
    const part = { type: "reasoning_text", text: "" } as const;
    return [
      added,
      { type: "response.content_part.added", ...this.#position, content_index: 0, part },
    ];
  }

  add({ text }: ReasoningDelta): readonly UnnumberedEvent[] {
    this.#text += text;
    const delta = { ...this.#position, delta: text };
    return this.#report.as === "summary"
      ? [{ type: "response.reasoning_summary_text.delta", ...delta, summary_index: 0 }]
      : [{ type: "response.reasoning_text.delta", ...delta, content_index: 0 }];
  }

  close(status: ItemStatus): ClosedItem {
    const { output_index } = this.#position;
    const item = this.#item(status, "whole");
    const done = { type: "response.output_item.done", output_index, item } as const;
    return { events: [...this.#closingEvents(), done], item };
  }

  #closingEvents(): readonly UnnumberedEvent[] {
    const text = this.#text;
    if (this.#report.as === "summary") {
      const place = { ...this.#position, summary_index: 0 };
      return [
        { type: "response.reasoning_summary_text.done", ...place, text },
        {
          type: "response.reasoning_summary_part.done",
          ...place,
          part: { type: "summary_text", text },
        },
      ];
    }
    const place = { ...this.#position, content_index: 0 };
    return [
      { type: "response.reasoning_text.done", ...place, text },
      { type: "response.content_part.done", ...place, part: { type: "reasoning_text", text } },
    ];
  }

  #item(status: ItemStatus, extent: "empty" | "whole"): ReasoningItem {
    const text = this.#text;
    const isSummary = this.#report.as === "summary";
    const isWhole = extent === "whole";
    return {
      type: "reasoning",
      id: this.#id,
      status,
      summary: isSummary && isWhole ? [{ type: "summary_text", text }] : [],
      ...(!isSummary && { content: isWhole ? [{ type: "reasoning_text", text }] : [] }),
      ...(this.#report.opaque === "added" &&
        isWhole && { encrypted_content: toOpaqueReasoning(text) }),
    };
  }
}

/** Name of a called tool, in an answer. */
type CalledName = Pick<FunctionCallItem, "name" | "namespace">;

/** Tool call during its generation. */
export abstract class OpenCall implements OpenItem {
  readonly kind = "call";
  /** Fields of all events of the call. */
  protected readonly eventFields: { readonly output_index: number; readonly item_id: string };
  protected readonly ids: { readonly id: string; readonly call_id: string };

  constructor(prefix: IdPrefix, outputIndex: number, call: CallBegin) {
    assert(outputIndex >= 0);
    const id = createId(prefix);
    this.eventFields = { output_index: outputIndex, item_id: id };
    this.ids = { id, call_id: call.id };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.eventFields;
    return [{ type: "response.output_item.added", output_index, item: this.item("in_progress") }];
  }

  /** Adds the next piece of the arguments. */
  abstract add(text: string): readonly UnnumberedEvent[];

  close(status: ItemStatus): ClosedItem {
    const item = this.item(status);
    const { output_index } = this.eventFields;
    return {
      events: [
        ...this.buildDoneEvents(),
        { type: "response.output_item.done", output_index, item },
      ],
      item,
    };
  }

  /** Returns the event with the complete arguments or input, if the call has one. */
  protected abstract buildDoneEvents(): readonly UnnumberedEvent[];

  protected abstract item(status: ItemStatus): Extract<OutputItem, CallItem>;
}

/** Function call during its generation. */
export class OpenFunctionCall extends OpenCall {
  readonly #name: CalledName;
  #arguments = "";

  /** @param name the client's name of the tool */
  constructor(outputIndex: number, call: CallBegin, name: CalledName) {
    super("fc", outputIndex, call);
    this.#name = name;
  }

  add(text: string): readonly UnnumberedEvent[] {
    this.#arguments += text;
    return [{ type: "response.function_call_arguments.delta", ...this.eventFields, delta: text }];
  }

  protected buildDoneEvents(): readonly UnnumberedEvent[] {
    const type = "response.function_call_arguments.done";
    return [{ type, ...this.eventFields, name: this.#name.name, arguments: this.#arguments }];
  }

  protected item(status: ItemStatus): FunctionCallItem {
    const named = { ...this.ids, ...this.#name };
    return { type: "function_call", ...named, arguments: this.#arguments, status };
  }
}

/**
 * Custom tool call during its generation. Its arguments have one member, whose text is the input.
 */
export class OpenCustomCall extends OpenCall {
  readonly #name: CalledName;
  readonly #reader = new CustomInputReader();
  #input = "";

  /** @param name the client's name of the tool */
  constructor(outputIndex: number, call: CallBegin, name: CalledName) {
    super("ctc", outputIndex, call);
    this.#name = name;
  }

  add(text: string): readonly UnnumberedEvent[] {
    const delta = this.#reader.read(text);
    this.#input += delta;
    if (delta === "") return [];
    return [{ type: "response.custom_tool_call_input.delta", ...this.eventFields, delta }];
  }

  protected buildDoneEvents(): readonly UnnumberedEvent[] {
    const type = "response.custom_tool_call_input.done";
    return [{ type, ...this.eventFields, input: this.#input }];
  }

  protected item(status: ItemStatus): CustomCallItem {
    const named = { ...this.ids, ...this.#name };
    return { type: "custom_tool_call", ...named, input: this.#input, status };
  }
}

/**
 * Call of a published tool during its generation. Its arguments become the action or operation of
 * the item when they are complete.
 */
export class OpenPublishedCall extends OpenCall {
  readonly #type: PublishedType;
  #arguments = "";

  constructor(type: PublishedType, outputIndex: number, call: CallBegin) {
    super(CALL_PREFIXES[type], outputIndex, call);
    this.#type = type;
  }

  /** Returns nothing for a patch: clients read its path and type from the item's first event. */
  override open(): readonly UnnumberedEvent[] {
    return this.#type === "apply_patch" ? [] : super.open();
  }

  add(text: string): readonly UnnumberedEvent[] {
    this.#arguments += text;
    return [];
  }

  protected buildDoneEvents(): readonly UnnumberedEvent[] {
    return this.#type === "apply_patch" ? super.open() : [];
  }

  protected item(status: ItemStatus): PublishedCall {
    return toPublishedCall(this.#type, this.ids, this.#arguments, status);
  }
}
