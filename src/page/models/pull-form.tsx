import { useId, useState } from "preact/hooks";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { useAction } from "../parts/use-action.js";
import { pullModel } from "./model-list.js";

/** Form that downloads a model. The input is kept until the server has accepted it. */
export function PullForm() {
  const [typed, setTyped] = useState("");
  const action = useAction();
  const [fieldId, hintId] = [useId(), useId()];
  const name = typed.trim();
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (name === "") return;
        action.run(async () => {
          await pullModel(name);
          announce(`Downloading ${name}.`);
          setTyped("");
        });
      }}
    >
      <label for={fieldId}>Model name</label>
      <div class="field">
        <input
          id={fieldId}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
          aria-describedby={hintId}
          readOnly={action.isBusy}
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            action.dismiss();
          }}
        />
        <button type="submit" class="primary" aria-disabled={action.isBusy}>
          Download
        </button>
      </div>
      <p id={hintId} class="hint">
        Hugging Face: <code>hf:owner/repo:Q4_K_M</code>. Ollama’s registry:{" "}
        <code>ollama:qwen3:8b</code>.
      </p>
      <ActionNotice action={action} />
    </form>
  );
}
