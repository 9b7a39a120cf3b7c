import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useState } from "preact/hooks";
import { announce } from "../parts/announcer.js";
import { findPrompts, type Prompt } from "./prompt.js";
import { prompts } from "./prompt-store.js";

interface PromptMenuProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onChoose: (prompt: Prompt) => void;
}

/** Maximum number of prompts in the menu; typing narrows it down. */
const MAX_OPTIONS = 8;

/**
 * Menu of prompts, open while the composer's text is `/` and a part of a title. The focus stays in
 * the field; arrow keys, Enter, Tab and Escape belong to the menu.
 */
export function PromptMenu({ field, text, onChoose }: PromptMenuProps) {
  const id = useId();
  const [active, setActive] = useState(0);
  const [dismissed, setDismissed] = useState("");
  const found = text === dismissed ? undefined : findPrompts(text, prompts.value);
  const options = (found ?? []).slice(0, MAX_OPTIONS);
  const count = options.length;
  const current = Math.min(active, count - 1);
  const isOpen = count > 0;

  useEffect(() => setActive(0), [text]);
  useEffect(() => {
    if (isOpen) announce(count === 1 ? "1 prompt" : `${count} prompts`);
  }, [isOpen, count]);
  useLayoutEffect(() => {
    const { current: element } = field;
    if (element === null || !isOpen) return;
    element.setAttribute("aria-autocomplete", "list");
    element.setAttribute("aria-controls", id);
    element.setAttribute("aria-activedescendant", `${id}-${current}`);
    const handleKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.shiftKey) return;
      switch (event.key) {
        case "ArrowDown":
          setActive((current + 1) % count);
          break;
        case "ArrowUp":
          setActive((current + count - 1) % count);
          break;
        case "Enter":
        case "Tab": {
          const prompt = options[current];
          if (prompt !== undefined) onChoose(prompt);
          break;
        }
        case "Escape":
          setDismissed(text);
          break;
        default:
          return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    // Before the handlers of the composer.
    element.addEventListener("keydown", handleKey, { capture: true });
    return () => {
      element.removeEventListener("keydown", handleKey, { capture: true });
      for (const name of ["aria-autocomplete", "aria-controls", "aria-activedescendant"]) {
        element.removeAttribute(name);
      }
    };
  }, [isOpen, current, text, prompts.value]);

  if (!isOpen) return null;
  return (
    <div id={id} class="prompt-menu" role="listbox" aria-label="Prompts">
      {options.map((prompt, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled in the field, which keeps the focus
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <div
          key={`${prompt.title}\n${prompt.text}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(prompt)}
        >
          <span class="prompt-title">{prompt.title}</span>
          <span class="hint">{prompt.text}</span>
        </div>
      ))}
    </div>
  );
}
