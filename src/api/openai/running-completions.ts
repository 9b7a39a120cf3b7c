import { createRefusal, GgufdError, shortenName } from "../../core/errors.js";

/** Chat completion that has not ended. */
export interface RunningCompletion {
  /** Name of the API key that requested it; empty: the server has no keys. */
  readonly owner: string;
  /** `controlled`: the request has `reasoning_control`. */
  readonly reasoning: "controlled" | "uncontrolled";
  /** @returns whether a choice was reasoning */
  readonly endReasoning: () => Promise<boolean>;
}

/** The running chat completions, by id. */
export class RunningCompletions {
  readonly #completions = new Map<string, RunningCompletion>();

  /** Adds a completion. @returns removes it */
  add(id: string, completion: RunningCompletion): () => void {
    this.#completions.set(id, completion);
    return () => void this.#completions.delete(id);
  }

  /**
   * Ends the reasoning of a completion, so that its answer follows.
   * @throws {GgufdError} `not_found`; `invalid_request` for a completion without
   *   `reasoning_control`, or one that is not reasoning
   */
  async endReasoning(owner: string, id: string): Promise<void> {
    const completion = this.#completions.get(id);
    if (completion === undefined || completion.owner !== owner) throw createNotRunningError(id);
    if (completion.reasoning === "uncontrolled") {
      throw createControlRefusal(
        "expected a completion that was requested with reasoning_control, got another",
      );
    }
    if (!(await completion.endReasoning())) {
      throw createControlRefusal("expected a completion that is reasoning, got one that is not");
    }
  }
}

/** Creates the error of a completion that has ended, or never began. */
export function createNotRunningError(id: string): GgufdError {
  return new GgufdError(
    "not_found",
    `Chat completion with id '${shortenName(id)}' not found: it has ended, or never began.`,
    { param: "id" },
  );
}

function createControlRefusal(reason: string): GgufdError {
  return createRefusal("invalid_request", [{ field: "id", reason }]);
}
