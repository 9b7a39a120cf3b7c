import { effect } from "@preact/signals";
import type { StoredItem } from "../../api/responses/item-schema.js";
import { route } from "../route.js";
import { thread } from "./thread.js";
import { groupIntoTurns } from "./turns.js";

let stop: (() => void) | undefined;

/**
 * Scrolls to a message of a conversation, and focuses it, once the conversation is shown.
 * @param conversationId id of the conversation that the address names
 */
export function revealItem(conversationId: string, itemId: string): void {
  stop?.();
  stop = effect(() => {
    const shown = thread.value;
    if (route.value.id !== conversationId) return void queueMicrotask(() => stop?.());
    if (shown.state !== "open" || shown.conversation.id !== conversationId) return;
    const turn = findTurn(shown.items, itemId);
    queueMicrotask(() => stop?.());
    // The thread is drawn in the next frame, and the heights of its turns are known in the second.
    requestAnimationFrame(() => {
      showTurn(turn);
      requestAnimationFrame(() => showTurn(turn));
    });
  });
}

/** Returns the index of the turn that contains an item; -1: there is none. */
function findTurn(items: readonly StoredItem[], itemId: string): number {
  return groupIntoTurns(items).findIndex((turn) =>
    turn.type === "question" ? turn.item.id === itemId : turn.items.some(({ id }) => id === itemId),
  );
}

const SPACE_ABOVE_PIXELS = 12;

function showTurn(index: number): void {
  const turn = document.querySelectorAll<HTMLElement>(".thread .turn")[index];
  const thread = turn?.closest(".thread");
  if (turn === undefined || !thread) return;
  const distance = turn.getBoundingClientRect().top - thread.getBoundingClientRect().top;
  thread.scrollTop += distance - SPACE_ABOVE_PIXELS;
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
}
