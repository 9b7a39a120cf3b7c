import { effect, signal } from "@preact/signals";
import { keep, readKept } from "./tab-storage.js";

export const views = ["chat", "todos", "batches", "usage", "metrics", "models", "keys"] as const;

export type View = (typeof views)[number];

/** The shown view, as encoded in the address: `#/chat/conv_1`. */
export interface Route {
  readonly view: View;
  /** Id of the open conversation. */
  readonly id?: string | undefined;
}

/** @param hash fragment of an address, with its `#`; an unknown view means the chat */
export function parseRoute(hash: string): Route {
  const [, name, id] = /^#\/([a-z]+)(?:\/([\w-]+))?$/.exec(hash) ?? [];
  const view = views.find((one) => one === name) ?? "chat";
  return id === undefined ? { view } : { view, id };
}

export function toHash({ view, id }: Route): string {
  return id === undefined ? `#/${view}` : `#/${view}/${id}`;
}

export const route = signal<Route>({ view: "chat" });

/** Name of the kept id of the conversation that this tab has shown last. */
const LAST_CONVERSATION = "last-conversation";

const lastConversation = signal<string | undefined>(undefined);

/** Returns the route of a view as the user left it in this tab. */
export function findLastRoute(view: View): Route {
  return view === "chat" ? { view, id: lastConversation.value } : { view };
}

/** Navigates to a route, as a link does. */
export function goTo(next: Route): void {
  location.hash = toHash(next);
  route.value = next;
}

/** Sets the route from the address, now and whenever the address changes. */
export function followAddress(): void {
  const read = () => {
    const next = parseRoute(location.hash);
    if (toHash(next) !== toHash(route.value)) route.value = next;
  };
  read();
  addEventListener("hashchange", read);
  lastConversation.value = readKept(LAST_CONVERSATION) || undefined;
  effect(() => {
    const { view, id } = route.value;
    if (view !== "chat") return;
    lastConversation.value = id;
    keep(LAST_CONVERSATION, id ?? "");
  });
}
