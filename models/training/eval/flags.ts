import { z } from "zod";

import { nonEmptyText } from "../../../src/validation/fields.js";
import { integerFlag } from "../../command-line/flags.js";

/** Server for the evaluation; without an address, one is started. */
export const serverFlags = {
  "base-url": z
    .url({ protocol: /^https?$/, error: "expected an address such as http://127.0.0.1:8080/v1" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  model: nonEmptyText().default("ggufd-mini"),
};

/** Flags of the evaluation of strict calls. */
export const strictFlags = {
  ...serverFlags,
  "per-skill": integerFlag(1, 100_000).default(100),
  clients: integerFlag(1, 256).default(8),
};

/** Flags of `npm run eval:model`. */
export const evaluationFlags = {
  ...strictFlags,
  json: nonEmptyText().optional(),
  failures: integerFlag(0, 100_000).default(0),
};
