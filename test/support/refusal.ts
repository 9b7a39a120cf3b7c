import { GgufdError } from "../../src/core/errors.js";

/** The error of the catalogue that an attempt ends with; anything else fails the test. */
export function refusal(attempt: () => unknown): GgufdError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof GgufdError) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}
