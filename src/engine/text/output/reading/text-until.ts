import { hasCharacter, type OutputBuffer, type Reading } from "./output-buffer.js";
import type { PassText } from "./output-parts.js";

/**
 * Reads text up to the first of these marks, which is not taken; of several at one place, the
 * longest. Text is passed on as soon as it cannot be part of a mark.
 * @returns the mark; `undefined`: the output has ended
 */
export function* textUntil(
  buffer: OutputBuffer,
  marks: readonly string[],
  pass: PassText,
): Reading<string | undefined> {
  const longestFirst = marks.toSorted((a, b) => b.length - a.length);
  const passVisible = (start: number) =>
    pass(buffer.visible(start, buffer.position), buffer.visibleOffset(start));
  for (;;) {
    const start = buffer.position;
    while (buffer.position < buffer.end && !mayBegin(buffer, longestFirst)) buffer.position++;
    if (buffer.position > start) passVisible(start);
    if (!(yield* hasCharacter(buffer, buffer.position))) return undefined;
    const found = yield* markAt(buffer, longestFirst);
    if (found !== undefined) return found;
    buffer.position++;
    passVisible(buffer.position - 1);
  }
}

/** Whether what has arrived at the position may be one of these marks. */
function mayBegin(buffer: OutputBuffer, marks: readonly string[]): boolean {
  const available = buffer.end - buffer.position;
  return marks.some((mark) => buffer.startsWith(mark.slice(0, available), buffer.position));
}

/** Waits as long as a longer mark is still possible. */
function* markAt(
  buffer: OutputBuffer,
  longestFirst: readonly string[],
): Reading<string | undefined> {
  for (const mark of longestFirst) {
    while (!buffer.startsWith(mark, buffer.position)) {
      const available = buffer.end - buffer.position;
      const isOpen = available < mark.length && !buffer.hasEnded;
      if (!isOpen || !buffer.startsWith(mark.slice(0, available), buffer.position)) break;
      buffer.forget();
      yield;
    }
    if (buffer.startsWith(mark, buffer.position)) return mark;
  }
  return undefined;
}
