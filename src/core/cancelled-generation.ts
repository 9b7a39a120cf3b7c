import type { ChoiceEvent } from "./generation-event.js";
import type { Generation } from "./model-directory.js";

/**
 * Returns the generation of a client that disconnected before its prompt was prepared: each choice
 * is `cancelled`.
 */
export function createCancelledGeneration(choices: number): Generation {
  return { promptTokens: 0, events: yieldCancelled(choices) };
}

async function* yieldCancelled(choices: number): AsyncGenerator<ChoiceEvent, void> {
  for (let choice = 0; choice < choices; choice++) yield { choice, event: { type: "cancelled" } };
}
