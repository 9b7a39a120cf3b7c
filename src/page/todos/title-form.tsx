import { useEffect, useId, useRef, useState } from "preact/hooks";

interface TitleFormProps {
  /** The current title. */
  readonly title: string;
  readonly isBusy: boolean;
  readonly onSave: (title: string) => void;
  readonly onCancel: () => void;
}

/** Inline form that renames an item: Enter saves, Escape cancels. */
export function TitleForm({ title, isBusy, onSave, onCancel }: TitleFormProps) {
  const [typed, setTyped] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.select(), []);
  return (
    <form
      class="title-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === title) onCancel();
        else onSave(typed);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) onCancel();
      }}
    >
      <label for={id} class="visually-hidden">
        New title of {title}
      </label>
      <input
        ref={field}
        id={id}
        autocomplete="off"
        enterkeyhint="done"
        readOnly={isBusy}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
