/**
 * Texts kept for this tab: drafts, and where the user was. They are in `sessionStorage`, as the key
 * is: they survive reloads, other tabs do not overwrite them, and closing the tab removes them.
 */

const PREFIX = "ggufd.tab.";

/** Maximum number of texts; the oldest are dropped. */
export const MAX_TEXTS = 200;
/** Maximum length of a text; longer ones are not kept. */
export const MAX_CHARACTERS = 200_000;
/** Age at which a text is dropped: browsers restore tabs that were closed long ago. */
export const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

interface Entry {
  readonly text: string;
  /** Unix time in milliseconds of the last change. */
  readonly at: number;
}

/** Storage of a tab; a part of the browser's `Storage`. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** Returns a kept text; empty: none. */
export function readKept(name: string, storage: TextStorage = sessionStorage): string {
  const entry = parseEntry(storage.getItem(PREFIX + name));
  return entry === undefined || Date.now() - entry.at > MAX_AGE_MS ? "" : entry.text;
}

/** Keeps a text. An empty text is removed. */
export function keep(name: string, text: string, storage: TextStorage = sessionStorage): void {
  if (text === "" || text.length > MAX_CHARACTERS) {
    storage.removeItem(PREFIX + name);
    return;
  }
  const isNew = storage.getItem(PREFIX + name) === null;
  if (isNew) dropOldest(storage, MAX_TEXTS - 1);
  const entry = JSON.stringify({ text, at: Date.now() } satisfies Entry);
  try {
    storage.setItem(PREFIX + name, entry);
  } catch {
    // The storage is full. The newest text matters most.
    dropOldest(storage, Math.floor(listNames(storage).length / 2));
    try {
      storage.setItem(PREFIX + name, entry);
    } catch {
      storage.removeItem(PREFIX + name);
    }
  }
}

/** Removes all kept texts. */
export function forgetKept(storage: TextStorage = sessionStorage): void {
  for (const name of listNames(storage)) storage.removeItem(name);
}

/** Drops the oldest texts. @param max number of texts that stay */
function dropOldest(storage: TextStorage, max: number): void {
  const names = listNames(storage);
  if (names.length <= max) return;
  const byAge = names
    .map((name) => ({ name, at: parseEntry(storage.getItem(name))?.at ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name } of byAge.slice(max)) storage.removeItem(name);
}

function listNames(storage: TextStorage): readonly string[] {
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
  return names.filter((name) => name.startsWith(PREFIX));
}

function parseEntry(stored: string | null): Entry | undefined {
  try {
    const { text, at } = JSON.parse(stored ?? "{}");
    return typeof text === "string" && typeof at === "number" ? { text, at } : undefined;
  } catch {
    return undefined;
  }
}
