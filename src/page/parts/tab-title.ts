import { effect } from "@preact/signals";
import { route, type View } from "../route.js";

const TITLES: Readonly<Record<View, string>> = {
  chat: "Chat",
  todos: "To-dos",
  batches: "Batches",
  usage: "Usage",
  metrics: "Live metrics",
  models: "Models",
  keys: "Keys",
};

/** Returns the name of a view for links and titles. */
export function titleOf(view: View): string {
  return TITLES[view];
}

/** Keeps the tab title in sync with the shown view. */
export function followTitle(): void {
  effect(() => {
    document.title = `${titleOf(route.value.view)} · ggufd`;
  });
}
