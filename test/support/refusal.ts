import { GgufdError } from "../../src/core/errors.js";

/** Returns the catalogue error thrown by `attempt`; anything else fails the test. */
export function refusal(attempt: () => unknown): GgufdError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof GgufdError) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}

/** Returns the catalogue error that a promise rejects with; anything else fails the test. */
export async function rejection(attempt: Promise<unknown>): Promise<GgufdError> {
  const outcome = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  return refusal(() => {
    if (outcome !== undefined) throw outcome;
  });
}
