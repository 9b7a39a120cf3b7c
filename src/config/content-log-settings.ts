import { integerBetween, nonEmptyText } from "../validation/fields.js";
import type { Setting } from "./setting.js";
import { anyPath } from "./setting-fields.js";

/** Settings of the log of prompts and answers. */
export const contentLogSettings = {
  logContent: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    withPath: anyPath,
    form: "text",
    placeholder: "PATH",
    help: "file that prompts and answers are appended to (default: none)",
    details:
      "One JSON line per request to a model, with media as hashes. Only its owner may read it. Keys with `log-content=off` are left out.",
  },
  logContentMaxSize: {
    schema: integerBetween(1, 1_048_576).default(1024),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "size of all its files, in MiB; the oldest are removed",
  },
  logContentDays: {
    schema: integerBetween(1, 3650).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "DAYS",
    help: "age at which its files are removed, in days",
    details: "A new file begins each day (UTC).",
  },
} as const satisfies Record<string, Setting>;
