import { signal } from "@preact/signals";
import { isCharacter, keyOf, type Shortcut } from "./shortcuts.js";

const STORED_CHOICE = "ggufd.single-keys";

/** Whether single keys are shortcuts. Speech input and tremor may press them by accident. */
export const singleKeys = signal(localStorage.getItem(STORED_CHOICE) !== "off");

export function setSingleKeys(areOn: boolean): void {
  singleKeys.value = areOn;
  if (areOn) localStorage.removeItem(STORED_CHOICE);
  else localStorage.setItem(STORED_CHOICE, "off");
}

/** Handles the keys of shortcuts, unless a control has handled them. @returns a function that ends it */
export function handleShortcuts(shortcuts: readonly Shortcut[]): () => void {
  const handle = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.metaKey) return;
    const key = keyOf(event);
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key));
    if (shortcut === undefined || isElsewhere(key, event.target)) return;
    if (shortcut.run()) event.preventDefault();
  };
  addEventListener("keydown", handle);
  return () => removeEventListener("keydown", handle);
}

/** Controls in which keys select by their first letter. */
const SELECTS_BY_LETTER = "select, [role=listbox], [role=menu], [role=combobox]";
/** Fields that take characters. */
const FIELDS =
  "input:not([type=checkbox], [type=radio], [type=button]), textarea, [contenteditable]";
/** Parts of the page that Escape closes. */
const CLOSES_BY_ESCAPE = ".drawer, .conversation-list, .edit-form, [role=menu], [popover]";

/** Whether a key belongs to another part of the page. */
function isElsewhere(key: string, target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  const within = (selector: string) =>
    target instanceof Element && target.closest(selector) !== null;
  if (key === "Escape") return within(CLOSES_BY_ESCAPE);
  if (!isCharacter(key)) return false;
  return !singleKeys.value || within(FIELDS) || within(SELECTS_BY_LETTER);
}
