import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { type Prompt, variablesOf } from "./prompt.js";
import { PromptMenu } from "./prompt-menu.js";

const PromptDialog = lazy(async () => (await import("./prompt-dialog.js")).PromptDialog);
const VariablesForm = lazy(async () => (await import("./variables-form.js")).VariablesForm);

interface PromptControlsProps {
  /** The composer's field. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The text in it. */
  readonly text: string;
}

/** Button of the prompt library, and the menu of prompts under `/`. */
export function PromptControls({ field, text }: PromptControlsProps) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<Prompt>();
  const write = (written: string) => {
    const { current } = field;
    if (current === null) return;
    // A text after `/` only searches the prompts.
    const before = /^\/[^/\n]*$/.test(current.value) ? "" : current.value;
    const separator = before === "" || before.endsWith("\n") ? "" : "\n";
    current.value = before + separator + written;
    current.dispatchEvent(new InputEvent("input", { bubbles: true }));
    // An open dialog keeps the focus, and returns it when it closes.
    requestAnimationFrame(() => current.focus());
  };
  const insert = (prompt: Prompt) => {
    if (variablesOf(prompt.text).length === 0) write(prompt.text);
    else setChosen(prompt);
  };
  return (
    <>
      <IconButton icon="prompts" label="Prompts" onClick={() => setOpen(true)} />
      <PromptMenu field={field} text={text} onChoose={insert} />
      <ErrorBoundary name="The prompt library">
        {isOpen && (
          <PromptDialog
            draft={text}
            onClose={(prompt) => {
              setOpen(false);
              if (prompt !== undefined) insert(prompt);
            }}
          />
        )}
        {chosen !== undefined && (
          <VariablesForm
            prompt={chosen}
            onClose={(filled) => {
              setChosen(undefined);
              if (filled !== undefined) write(filled);
            }}
          />
        )}
      </ErrorBoundary>
    </>
  );
}
