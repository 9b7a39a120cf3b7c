import { useState } from "preact/hooks";
import { keep, readKept } from "../tab-storage.js";

/** A text that is being typed, which survives other views and reloads of the page. */
export interface KeptText {
  readonly text: string;
  readonly set: (text: string) => void;
  /** Ends the draft, so that the initial text is shown again. */
  readonly discard: () => void;
}

/**
 * Keeps a text while it is typed.
 * @param name of the draft; must not change while the component is shown
 * @param initial text without a draft
 */
export function useKeptText(name: string, initial = ""): KeptText {
  const [text, setText] = useState(() => readKept(name) || initial);
  return {
    text,
    set: (changed) => {
      setText(changed);
      keep(name, changed === initial ? "" : changed);
    },
    discard: () => {
      setText(initial);
      keep(name, "");
    },
  };
}
