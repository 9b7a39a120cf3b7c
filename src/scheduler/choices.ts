import type { PreparedGeneration } from "../core/generation-request.js";

/**
 * The generations of a request's choices: the same prompt, each with an id of its own. The engine
 * evaluates the prompt for the first of them; the others copy it.
 */
export function choicesOf(
  prepared: PreparedGeneration,
  choices: number,
): readonly PreparedGeneration[] {
  return Array.from({ length: choices }, (_, choice) =>
    choice === 0 ? prepared : { ...prepared, id: `${prepared.id}-${choice}`, choice },
  );
}
