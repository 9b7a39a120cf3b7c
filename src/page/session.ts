import { computed, effect, signal, untracked } from "@preact/signals";
import type { PresentedKey } from "../api/system/key-schema.js";
import type { Scope } from "../core/api-keys.js";
import { ApiError, messageOf } from "./api/api-error.js";
import { createClient } from "./api/client.js";
import { finishLogin, type LoginReturn } from "./sign-in/login.js";
import { LoginTokenStore } from "./sign-in/login-token.js";
import { forgetKept } from "./tab-storage.js";

/** Session storage key of the API key: other pages and later sessions cannot read it. */
const STORED_KEY = "ggufd.api-key";
/** Session storage key of the name of the user whose texts this tab keeps. */
const STORED_USER = "ggufd.user";

const key = signal<string | undefined>(sessionStorage.getItem(STORED_KEY) ?? undefined);

/** Session of the page's user. */
export type Session =
  | { readonly state: "beginning" }
  /** The server requires a key. */
  | {
      readonly state: "locked";
      /** Why the key or login was refused; `undefined`: there was none. */
      readonly reason: string | undefined;
    }
  | { readonly state: "unreachable"; readonly reason: string }
  | { readonly state: "open"; readonly caller: PresentedKey };

export const session = signal<Session>({ state: "beginning" });

// The page is at the root of the server's paths.
const pathPrefix = location.pathname.replace(/\/+$/, "");

/** Client for requests before a login, which have no key. */
export const loginClient = createClient({
  pathPrefix,
  key: () => undefined,
  onKeyRefused: () => undefined,
});

const login = new LoginTokenStore({
  refresh: (refresh_token) =>
    loginClient.json("/v1/login/refresh", { method: "POST", body: { refresh_token } }),
});

const isLoggedIn = signal(login.isKept);

export const client = createClient({
  pathPrefix,
  key: () => (isLoggedIn.value ? login.select() : key.value),
  onKeyRefused: (reason) => {
    session.value = { state: "locked", reason: hasKey.value ? reason : undefined };
  },
});

/**
 * Determines the user's permissions.
 * @param returned how the identity provider has sent the browser back; absent: it has not
 */
export async function beginSession(returned?: LoginReturn): Promise<void> {
  try {
    if (returned?.type === "failed") throw new Error(returned.reason);
    if (returned?.type === "code") keepLogin(await finishLogin(loginClient, returned));
  } catch (error) {
    session.value = { state: "locked", reason: messageOf(error) };
    return;
  }
  const caller = await readPermissions();
  if (caller !== undefined) keepUser(caller);
}

/** @returns `undefined` if the session is not open */
async function readPermissions(): Promise<PresentedKey | undefined> {
  try {
    const caller = await client.json<PresentedKey>("/v1/key");
    session.value = { state: "open", caller };
    return caller;
  } catch (error) {
    if (session.value.state === "locked") return undefined;
    const reason = messageOf(error);
    const isForbidden = error instanceof ApiError && error.status === 403;
    session.value = { state: isForbidden ? "locked" : "unreachable", reason };
    return undefined;
  }
}

function keepLogin(token: Parameters<LoginTokenStore["keep"]>[0]): void {
  login.keep(token);
  isLoggedIn.value = true;
  forgetKey();
}

/** Tries a key, and keeps it for this session if the server accepts it. */
export async function tryKey(text: string): Promise<void> {
  key.value = text;
  forgetLogin();
  session.value = { state: "beginning" };
  const caller = await readPermissions();
  if (caller === undefined) return;
  sessionStorage.setItem(STORED_KEY, text);
  keepUser(caller);
}

/** Forgets the texts of this tab if they are those of another user. */
function keepUser({ name }: PresentedKey): void {
  const former = sessionStorage.getItem(STORED_USER);
  sessionStorage.setItem(STORED_USER, name ?? "");
  if (former !== null && former !== (name ?? "")) forgetUser();
}

function isOpen({ state }: Session): boolean {
  return state === "open";
}

/** Forgets the key or login, and all that the user has typed. */
export function signOut(): void {
  forgetKey();
  forgetLogin();
  sessionStorage.removeItem(STORED_USER);
  forgetUser();
}

function forgetKey(): void {
  key.value = undefined;
  sessionStorage.removeItem(STORED_KEY);
}

function forgetLogin(): void {
  isLoggedIn.value = false;
  login.forget();
}

/** Forgets the texts of a user and, by a reload, all that the page has read with the key. */
function forgetUser(): void {
  forgetKept();
  history.replaceState(undefined, "", location.pathname);
  location.reload();
}

/** Whether the user has entered a key or signed in. */
export const hasKey = computed(() => isLoggedIn.value || key.value !== undefined);

/** Calls a function when the user has signed out, and when the key is refused. */
export function onSessionEnd(clear: () => void): void {
  const isSessionOpen = computed(() => isOpen(session.value));
  effect(() => {
    if (!isSessionOpen.value) untracked(clear);
  });
}

/** Whether the server has API keys, one of which the user has. */
export function isNamed(): boolean {
  return session.value.state === "open" && session.value.caller.name !== null;
}

/** Whether the user may make requests that require a scope. */
export function permits(scope: Scope): boolean {
  return session.value.state === "open" && session.value.caller.scopes.includes(scope);
}

/** Whether the user may change data. */
export function mayWrite(): boolean {
  return session.value.state === "open" && session.value.caller.access === "full";
}
