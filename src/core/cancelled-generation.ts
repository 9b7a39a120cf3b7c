import type { ChoiceEvent } from "./generation-event.js";
import type { Generation } from "./model-directory.js";

/** What a client gets that has hung up before its prompt was prepared: nobody reads it. */
export function cancelledGeneration(choices: number): Generation {
  return { promptTokens: 0, events: cancelled(choices) };
}

async function* cancelled(choices: number): AsyncGenerator<ChoiceEvent, void> {
  for (let choice = 0; choice < choices; choice++) yield { choice, event: { type: "cancelled" } };
}
