import { signal } from "@preact/signals";

export const views = ["chat", "todos", "figures", "models"] as const;

export type View = (typeof views)[number];

/** What the address says is shown: `#/chat/conv_1`. */
export interface Route {
  readonly view: View;
  /** Of the conversation that is open. */
  readonly id?: string | undefined;
}

/** @param hash of an address, with its `#`; what names no view is the chat */
export function parseRoute(hash: string): Route {
  const [, name, id] = /^#\/([a-z]+)(?:\/([\w-]+))?$/.exec(hash) ?? [];
  const view = views.find((one) => one === name) ?? "chat";
  return id === undefined ? { view } : { view, id };
}

export function hashOf({ view, id }: Route): string {
  return id === undefined ? `#/${view}` : `#/${view}/${id}`;
}

export const route = signal<Route>({ view: "chat" });

/** Shows something else, as following a link does. */
export function goTo(next: Route): void {
  location.hash = hashOf(next);
  route.value = next;
}

/** Follows the address from now on. */
export function followAddress(): void {
  const read = () => {
    const next = parseRoute(location.hash);
    if (hashOf(next) !== hashOf(route.value)) route.value = next;
  };
  read();
  addEventListener("hashchange", read);
}
