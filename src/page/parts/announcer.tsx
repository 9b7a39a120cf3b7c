import { signal } from "@preact/signals";

const announcement = signal("");

/** Makes screen readers announce a text after the current one. */
export function announce(text: string): void {
  announcement.value = text;
}

/** Live region for announcements. */
export function Announcer() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
      {announcement}
    </div>
  );
}
