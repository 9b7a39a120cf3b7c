import { Fragment } from "preact";
import { useId, useState } from "preact/hooks";
import { Modal } from "../parts/modal.js";
import { fillIn, type Prompt, variablesOf } from "./prompt.js";

interface VariablesFormProps {
  readonly prompt: Prompt;
  /** @param filled text with the values; absent: cancelled */
  readonly onClose: (filled?: string) => void;
}

/** Asks for the variables of a prompt. */
export function VariablesForm({ prompt, onClose }: VariablesFormProps) {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const id = useId();
  return (
    <Modal title={prompt.title} class="variables-dialog" onClose={() => onClose()}>
      <form
        class="prompt-form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose(fillIn(prompt.text, values));
        }}
      >
        {variablesOf(prompt.text).map((name, index) => (
          <Fragment key={name}>
            <label for={`${id}-${index}`}>{name}</label>
            <textarea
              id={`${id}-${index}`}
              rows={2}
              value={values.get(name) ?? ""}
              onInput={({ currentTarget }) =>
                setValues(new Map([...values, [name, currentTarget.value]]))
              }
              onKeyDown={(event) => {
                if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }}
            />
          </Fragment>
        ))}
        <div class="actions">
          <button type="submit" class="primary">
            Insert
          </button>
        </div>
      </form>
    </Modal>
  );
}
