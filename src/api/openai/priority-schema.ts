import { integerBetween } from "../../validation/fields.js";

/** Beyond it a request would yield for days. */
const MAX_PRIORITY = 1_000_000;

/** vLLM's `priority`. Made anew for each request. */
export const priorityField = () =>
  integerBetween(-MAX_PRIORITY, MAX_PRIORITY).optional().meta({
    description:
      "Of two waiting requests of one caller, the one with the smaller number is first, a step for each second of waiting. Above 0 the requests of other callers are first too, for as many seconds. Default: 0.",
  });
