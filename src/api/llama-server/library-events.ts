import type { LibraryEvent, ModelLibrary } from "../../core/model-library.js";

/** Maximum number of queued events of a slow client. */
const MAX_QUEUED_EVENTS = 1000;

/** Yields all events of the model library, from now until the signal is aborted. */
export async function* followLibrary(
  library: Pick<ModelLibrary, "follow">,
  signal: AbortSignal,
): AsyncGenerator<LibraryEvent, void> {
  const queuedEvents: LibraryEvent[] = [];
  let wake = (): void => undefined;
  const unfollow = library.follow((event) => {
    enqueue(queuedEvents, event);
    wake();
  });
  const end = () => wake();
  signal.addEventListener("abort", end);
  try {
    while (!signal.aborted) {
      const event = queuedEvents.shift();
      if (event !== undefined) yield event;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", end);
    unfollow();
  }
}

/**
 * Queues an event. A progress event replaces the queued progress of the same model or pull. When
 * the queue is full, all queued events are replaced by one that makes the client reload the list of
 * models.
 */
function enqueue(eventQueue: LibraryEvent[], event: LibraryEvent): void {
  const lastIndex = isProgress(event) ? findLastOfSubject(eventQueue, event) : -1;
  const queuedProgress = eventQueue[lastIndex];
  if (queuedProgress !== undefined && isProgress(queuedProgress)) {
    eventQueue[lastIndex] = event;
    return;
  }
  if (eventQueue.length === MAX_QUEUED_EVENTS)
    eventQueue.splice(0, MAX_QUEUED_EVENTS, { type: "listed-anew" });
  eventQueue.push(event);
}

function isProgress(event: LibraryEvent): boolean {
  return event.type === "pulling" || (event.type === "state" && event.state.state === "loading");
}

/** Finds the index of the last event with the same subject; -1: there is none. */
function findLastOfSubject(events: readonly LibraryEvent[], event: LibraryEvent): number {
  const subject = subjectOf(event);
  return events.findLastIndex((one) => subjectOf(one) === subject);
}

/** Identifies the model or pull that an event reports. */
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
