import { GgufdError } from "../core/errors.js";

/** The error of a request that was in so many engines in a row when they were lost. */
export function crashesEngine(losses: number): GgufdError {
  return new GgufdError(
    "crashes_engine",
    `The model's process ended ${losses} times in a row while it worked on this request, which is not tried again.`,
  );
}
