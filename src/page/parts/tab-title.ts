import { effect } from "@preact/signals";
import { route, type View } from "../route.js";

const TITLES: Readonly<Record<View, string>> = {
  chat: "Chat",
  todos: "To-dos",
  figures: "Live figures",
  models: "Models",
};

/** The name of a view, in links and titles. */
export function titleOf(view: View): string {
  return TITLES[view];
}

/** Names the tab after what it shows. */
export function followTitle(): void {
  effect(() => {
    document.title = `${titleOf(route.value.view)} · ggufd`;
  });
}
