import type { GgufdError } from "../../core/errors.js";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";

/** `full`: reasons name files of the server. `without-paths`: for clients other than operators. */
export type ReasonDetail = "full" | "without-paths";

/** A path up to the next colon or the end: `/srv/m.gguf`, `C:\m.gguf`. */
const PATH = /\s*(?<![\w.-])(?:\/|[A-Z]:\\|\\\\).*?(?=: |$)/gis;
const WITHHELD = "The reason names files of the server; keys with the scope `admin` see it.";

/** Describes why a model could not be loaded. */
export function describeFailure(error: GgufdError, detail: ReasonDetail): string {
  const { cause } = error;
  // The messages of all other errors are intended for clients.
  if (!(cause instanceof StartupError)) return error.message;
  const reason = formatReason(cause);
  return detail === "full" ? reason : withoutPaths(reason);
}

function withoutPaths(reason: string): string {
  const text = reason.replaceAll(PATH, "");
  return /[/\\]/.test(text) ? WITHHELD : text;
}
