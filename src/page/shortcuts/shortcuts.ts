import { goTo } from "../route.js";

/** A keyboard shortcut. */
export interface Shortcut {
  /** Keys, each with the same effect: a value of `KeyboardEvent.key`, with `Control+` before it. */
  readonly keys: readonly string[];
  readonly label: string;
  /** Does it. @returns whether it was possible */
  readonly run: () => boolean;
}

/**
 * All shortcuts. Single keys work outside of text fields and can be turned off (WCAG 2.2, 2.1.4).
 * Combinations work everywhere; those of browsers, screen readers and input methods are not used.
 */
export function createShortcuts(openList: () => void): readonly Shortcut[] {
  return [
    {
      keys: ["?", "Control+/"],
      label: "Keyboard shortcuts",
      run: () => {
        openList();
        return true;
      },
    },
    {
      keys: ["n"],
      label: "New chat",
      run: () => {
        goTo({ view: "chat" });
        // The composer of the new chat is rendered first.
        requestAnimationFrame(() => focus(COMPOSER));
        return true;
      },
    },
    { keys: ["s"], label: "Search chats", run: () => focus('.conversation-list [type="search"]') },
    { keys: ["m"], label: "Write a message", run: () => focus(COMPOSER) },
    { keys: ["p"], label: "Prompts", run: () => click('[aria-label="Prompts"]') },
    {
      keys: ["Escape"],
      label: "Stop generating",
      run: () => click('[aria-label="Stop generating"]'),
    },
    {
      keys: ["r"],
      label: "Regenerate the last answer",
      run: () => click('[aria-label="Regenerate"]'),
    },
    { keys: ["c"], label: "Copy the last answer", run: () => click('[aria-label="Copy answer"]') },
    {
      keys: ["l"],
      label: "Show or hide the list of chats",
      run: () => click("#conversations-button, #list-button"),
    },
    { keys: ["o"], label: "Open or close chat settings", run: () => click("#settings-button") },
  ];
}

const COMPOSER = ".composer textarea";

/** Focuses the first shown element. @returns whether there is one */
function focus(selector: string): boolean {
  const element = find(selector)[0];
  element?.focus();
  return element !== undefined;
}

/** Clicks the last shown button, which belongs to the last answer. @returns whether there is one */
function click(selector: string): boolean {
  const button = find(selector).findLast((element) => !element.matches(":disabled"));
  button?.click();
  return button !== undefined;
}

function find(selector: string): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) =>
    element.checkVisibility(),
  );
}

/** Returns the name of a key in an event, as in {@link Shortcut.keys}. */
export function keyOf(event: Pick<KeyboardEvent, "key" | "ctrlKey">): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.ctrlKey ? `Control+${key}` : key;
}

/** Whether a key types a character, so that it is a shortcut only outside of text fields. */
export function isCharacter(key: string): boolean {
  return key.length === 1;
}

/** `Ctrl + /` */
export function printKey(key: string): string {
  return key
    .replace("Control+", "Ctrl + ")
    .replace("Escape", "Esc")
    .replace(/^[a-z]$/, (letter) => letter.toUpperCase());
}
