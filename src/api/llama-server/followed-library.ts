import type { LibraryEvent, ModelLibrary } from "../../core/model-library.js";

/** As many events wait for who reads slowly. */
const MAX_WAITING = 1000;

/** What happens to all models from now on, until the signal is aborted. */
export async function* followed(
  library: Pick<ModelLibrary, "follow">,
  signal: AbortSignal,
): AsyncGenerator<LibraryEvent, void> {
  const waiting: LibraryEvent[] = [];
  let wake = (): void => undefined;
  const unfollow = library.follow((event) => {
    add(waiting, event);
    wake();
  });
  const end = () => wake();
  signal.addEventListener("abort", end);
  try {
    while (!signal.aborted) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", end);
    unfollow();
  }
}

/**
 * Adds an event to those that wait. How far something is takes the place of how far it was before; beyond the limit,
 * who reads is told to look at the models anew, instead of what has happened to each.
 */
function add(waiting: LibraryEvent[], event: LibraryEvent): void {
  const last = isProgress(event) ? lastOfSame(waiting, event) : -1;
  const before = waiting[last];
  if (before !== undefined && isProgress(before)) {
    waiting[last] = event;
    return;
  }
  if (waiting.length === MAX_WAITING) waiting.splice(0, MAX_WAITING, { type: "listed-anew" });
  waiting.push(event);
}

function isProgress(event: LibraryEvent): boolean {
  return event.type === "pulling" || (event.type === "state" && event.state.state === "loading");
}

/** The place of the last event that tells of the same; -1: there is none. */
function lastOfSame(events: readonly LibraryEvent[], event: LibraryEvent): number {
  const subject = subjectOf(event);
  return events.findLastIndex((one) => subjectOf(one) === subject);
}

/** What an event tells of: a model, or a pull. */
function subjectOf(event: LibraryEvent): string {
  switch (event.type) {
    case "state":
    case "removed":
      return `model ${event.model}`;
    case "pulling":
      return `pull ${event.pull.name}`;
    case "pulled":
    case "pull-failed":
      return `pull ${event.name}`;
    case "listed-anew":
      return "models";
  }
}
