import { signal } from "@preact/signals";

const announcement = signal("");

/** Has a screen reader say something, when it has said what it is saying. */
export function announce(text: string): void {
  announcement.value = text;
}

/** Where screen readers find what is announced. */
export function Announcer() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
      {announcement}
    </div>
  );
}
