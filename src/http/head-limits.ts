import { GgufdError } from "../core/errors.js";
import { requestLimits } from "./limits.js";
import type { RequestCheck } from "./request-checks.js";

/** Refuses request targets that are too long, and too many headers. Node.js itself bounds their bytes. */
export const checkHeadLimits: RequestCheck = ({ originalUrl, raw }) => {
  const { urlBytes, headerFields } = requestLimits;
  if (originalUrl.length > urlBytes) {
    return new GgufdError(
      "url_too_long",
      `url: expected at most ${urlBytes} bytes, got ${originalUrl.length}.`,
    );
  }
  // Names and values in turn.
  const fields = raw.rawHeaders.length / 2;
  if (fields <= headerFields) return undefined;
  return new GgufdError(
    "headers_too_large",
    `headers: expected at most ${headerFields} fields, got ${fields}.`,
  );
};
