import { createRefusal } from "../core/errors.js";
import type { MediaKind, MediaPart } from "../core/media.js";

/**
 * Checks that a model accepts all media of a request.
 * @param accepted kinds of media that the model accepts in addition to text
 * @throws {GgufdError} `invalid_request` for the first part that it does not accept
 */
export function expectAccepted(parts: readonly MediaPart[], accepted: readonly MediaKind[]): void {
  const refused = parts.find(({ kind }) =>
    kind === undefined ? accepted.length === 0 : !accepted.includes(kind),
  );
  if (refused === undefined) return;
  const reason = `expected text, because this model ${whyNot(refused.kind)}`;
  throw createRefusal("invalid_request", [{ field: refused.field, reason }]);
}

function whyNot(kind: MediaKind | undefined): string {
  switch (kind) {
    case "image":
      return "does not accept images, got an image";
    case "audio":
      return "does not accept audio, got audio";
    case undefined:
      return "reads nothing else, got a file";
  }
}
