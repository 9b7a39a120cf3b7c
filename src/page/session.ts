import { computed, effect, signal, untracked } from "@preact/signals";
import type { PresentedKey } from "../api/system/key-schema.js";
import type { Scope } from "../core/api-keys.js";
import { messageOf } from "./api/api-error.js";
import { createClient } from "./api/client.js";
import { forgetKept } from "./tab-storage.js";

/** Session storage key of the API key: other pages and later sessions cannot read it. */
const STORED_KEY = "ggufd.api-key";

const key = signal<string | undefined>(sessionStorage.getItem(STORED_KEY) ?? undefined);

/** Session of the page's user. */
export type Session =
  | { readonly state: "beginning" }
  /** The server requires a key. */
  | { readonly state: "locked"; readonly reason: string }
  | { readonly state: "unreachable"; readonly reason: string }
  | { readonly state: "open"; readonly caller: PresentedKey };

export const session = signal<Session>({ state: "beginning" });

export const client = createClient({
  // The page is at the root of the server's paths.
  pathPrefix: location.pathname.replace(/\/+$/, ""),
  key: () => key.value,
  onKeyRefused: (reason) => {
    session.value = { state: "locked", reason };
  },
});

/** Determines the user's permissions. */
export async function beginSession(): Promise<void> {
  try {
    const caller = await client.json<PresentedKey>("/v1/key");
    session.value = { state: "open", caller };
  } catch (error) {
    if (session.value.state === "locked") return;
    session.value = { state: "unreachable", reason: messageOf(error) };
  }
}

/** Tries a key, and keeps it for this session if the server accepts it. */
export async function tryKey(text: string): Promise<void> {
  key.value = text;
  session.value = { state: "beginning" };
  await beginSession();
  if (!isOpen(session.value)) return;
  const former = sessionStorage.getItem(STORED_KEY);
  sessionStorage.setItem(STORED_KEY, text);
  if (former !== null && former !== text) forgetUser();
}

function isOpen({ state }: Session): boolean {
  return state === "open";
}

/** Forgets the key, and all that the user has typed. */
export function signOut(): void {
  sessionStorage.removeItem(STORED_KEY);
  forgetUser();
}

/** Forgets the texts of a user and, by a reload, all that the page has read with the key. */
function forgetUser(): void {
  forgetKept();
  history.replaceState(undefined, "", location.pathname);
  location.reload();
}

export const hasKey = computed(() => key.value !== undefined);

/** Calls a function when the user has signed out, and when the key is refused. */
export function onSessionEnd(clear: () => void): void {
  const isSessionOpen = computed(() => isOpen(session.value));
  effect(() => {
    if (!isSessionOpen.value) untracked(clear);
  });
}

/** Whether the user may make requests that require a scope. */
export function permits(scope: Scope): boolean {
  return session.value.state === "open" && session.value.caller.scopes.includes(scope);
}

/** Whether the user may change data. */
export function mayWrite(): boolean {
  return session.value.state === "open" && session.value.caller.access === "full";
}
