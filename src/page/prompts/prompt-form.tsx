import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS, type Prompt, variablesOf } from "./prompt.js";

interface PromptFormProps {
  readonly prompt: Prompt;
  /** @throws {Error} if it cannot be saved */
  readonly onSave: (prompt: Prompt) => void;
  readonly onCancel: () => void;
}

/** Title and text of a prompt. */
export function PromptForm({ prompt, onSave, onCancel }: PromptFormProps) {
  const [title, setTitle] = useState(prompt.title);
  const [text, setText] = useState(prompt.text);
  const action = useAction();
  const id = useId();
  const titleField = useRef<HTMLInputElement>(null);
  useEffect(() => titleField.current?.focus(), []);
  const variables = variablesOf(text);
  return (
    <form
      class="prompt-form"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(async () => onSave({ title: title.trim(), text }));
      }}
    >
      <label for={`${id}-title`}>Title</label>
      <input
        ref={titleField}
        id={`${id}-title`}
        required
        pattern=".*\S.*"
        maxLength={MAX_TITLE_CHARACTERS}
        value={title}
        onInput={({ currentTarget }) => setTitle(currentTarget.value)}
      />
      <label for={`${id}-text`}>Prompt</label>
      <textarea
        id={`${id}-text`}
        rows={8}
        required
        maxLength={MAX_TEXT_CHARACTERS}
        aria-describedby={`${id}-hint`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        {variables.length === 0
          ? "Variables in double braces, such as {{language}}, are asked for when the prompt is inserted."
          : `Variables: ${variables.join(", ")}`}
      </p>
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
      <div class="actions">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
