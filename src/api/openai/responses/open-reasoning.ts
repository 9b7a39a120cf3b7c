import { toOpaqueReasoning } from "../../answers/opaque-reasoning.js";
import type { UnnumberedEvent } from "./event-schema.js";
import { newId } from "./new-id.js";
import type { ClosedItem, OpenItem, ReasoningDelta } from "./open-item.js";
import type { ItemStatus, ReasoningItem } from "./response-schema.js";

/** How reasoning is reported. */
export interface ReasoningReport {
  /** Whether it is the item's content, or its summary, which some clients read only. */
  readonly as: "content" | "summary";
  /** Whether it is there once more, for clients that keep nothing else of it. */
  readonly opaque: "added" | "absent";
}

/** Reasoning that is being written: one part of text. */
export class OpenReasoning implements OpenItem {
  readonly kind = "reasoning";
  readonly #id = newId("rs");
  readonly #report: ReasoningReport;
  readonly #place: { readonly output_index: number; readonly item_id: string };
  #text = "";

  constructor(outputIndex: number, report: ReasoningReport) {
    this.#report = report;
    this.#place = { output_index: outputIndex, item_id: this.#id };
  }

  open(): readonly UnnumberedEvent[] {
    const { output_index } = this.#place;
    const item = this.#item("in_progress", "empty");
    const added = { type: "response.output_item.added", output_index, item } as const;
    if (this.#report.as === "summary") {
      const part = { type: "summary_text", text: "" } as const;
      const place = { ...this.#place, summary_index: 0 };
      return [added, { type: "response.reasoning_summary_part.added", ...place, part }];
    }
    const part = { type: "reasoning_text", text: "" } as const;
    return [added, { type: "response.content_part.added", ...this.#place, content_index: 0, part }];
  }

  add({ text }: ReasoningDelta): readonly UnnumberedEvent[] {
    this.#text += text;
    const delta = { ...this.#place, delta: text };
    return this.#report.as === "summary"
      ? [{ type: "response.reasoning_summary_text.delta", ...delta, summary_index: 0 }]
      : [{ type: "response.reasoning_text.delta", ...delta, content_index: 0 }];
  }

  close(status: ItemStatus): ClosedItem {
    const { output_index } = this.#place;
    const item = this.#item(status, "whole");
    const done = { type: "response.output_item.done", output_index, item } as const;
    return { events: [...this.#closingEvents(), done], item };
  }

  #closingEvents(): readonly UnnumberedEvent[] {
    const text = this.#text;
    if (this.#report.as === "summary") {
      const place = { ...this.#place, summary_index: 0 };
      return [
        { type: "response.reasoning_summary_text.done", ...place, text },
        {
          type: "response.reasoning_summary_part.done",
          ...place,
          part: { type: "summary_text", text },
        },
      ];
    }
    const place = { ...this.#place, content_index: 0 };
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
