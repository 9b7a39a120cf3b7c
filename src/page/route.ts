import { signal } from "@preact/signals";

export const views = ["chat", "todos", "metrics", "models"] as const;

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
}
