import type { ChoiceEvent } from "../../core/generation-event.js";
import type { AnswerEvent, FinishedEvent } from "../answers/collected-answer.js";

/** A content block as far as it has arrived. */
export type CollectedBlock =
  | { readonly type: "text" | "thinking"; text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; json: string };

export interface CollectedBlocks {
  readonly blocks: readonly CollectedBlock[];
  readonly finished: FinishedEvent;
}

/**
 * Collects a generation into the blocks that a stream of it has: models may think or write between and
 * behind their calls.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function collectBlocks(
  events: AsyncIterable<ChoiceEvent>,
): Promise<CollectedBlocks | undefined> {
  const blocks: CollectedBlock[] = [];
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    if (event.type === "finished") return { blocks, finished: event };
    add(blocks, event);
  }
  return undefined;
}

function add(blocks: CollectedBlock[], event: AnswerEvent): void {
  switch (event.type) {
    case "text-delta":
      addText(blocks, "text", event.text);
      break;
    case "reasoning-delta":
      addText(blocks, "thinking", event.text);
      break;
    case "tool-call-begin":
      blocks.push({ type: "tool_use", id: event.id, name: event.name, json: "" });
      break;
    case "tool-call-arguments": {
      const last = blocks.at(-1);
      if (last?.type === "tool_use") last.json += event.text;
    }
  }
}

function addText(blocks: CollectedBlock[], type: "text" | "thinking", text: string): void {
  const last = blocks.at(-1);
  if (last?.type === type) last.text += text;
  else blocks.push({ type, text });
}
