import { createRefusal } from "../core/errors.js";
import type { MediaKind, MediaPart } from "../core/media.js";

/**
 * Checks that a model accepts all media of a request.
 * @param acceptedKinds kinds of media that the model accepts in addition to text
 * @throws {GgufdError} `invalid_request` for the first part that it does not accept
 */
export function expectAccepted(
  parts: readonly MediaPart[],
  acceptedKinds: readonly MediaKind[],
): void {
  const refusedPart = parts.find(({ kind }) =>
    kind === undefined ? acceptedKinds.length === 0 : !acceptedKinds.includes(kind),
  );
  if (refusedPart === undefined) return;
  const reason = `expected text, because this model ${describeRefusal(refusedPart.kind)}`;
  throw createRefusal("invalid_request", [{ field: refusedPart.field, reason }]);
}

function describeRefusal(kind: MediaKind | undefined): string {
  switch (kind) {
    case "image":
      return "does not accept images, got an image";
    case "audio":
      return "does not accept audio, got audio";
    case undefined:
      return "reads nothing else, got a file";
  }
}
