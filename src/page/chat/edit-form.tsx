import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../parts/notice.js";
import { submitOnEnter } from "../parts/submit-on-enter.js";
import { useAction } from "../parts/use-action.js";
import { useKeptText } from "../parts/use-kept-text.js";

interface EditFormProps {
  /** Name of the draft. */
  readonly name: string;
  readonly text: string;
  /** Accessible name of the text box. */
  readonly label: string;
  /** Label of the button that sends the text. */
  readonly action: string;
  /** @throws {ApiError} if the text was not sent */
  readonly onSend: (text: string) => Promise<void>;
  readonly onEnd: () => void;
}

/** Form that replaces a message by an edited one. Escape closes it, and keeps the text. */
export function EditForm({ name, text: former, label, action, onSend, onEnd }: EditFormProps) {
  const { text, set, discard } = useKeptText(name, former);
  const sending = useAction();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = () =>
    sending.run(async () => {
      await onSend(text.trim());
      discard();
      onEnd();
    });
  return (
    <form
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") send();
      }}
    >
      <textarea
        ref={field}
        rows={4}
        dir="auto"
        aria-label={label}
        value={text}
        onInput={({ currentTarget }) => set(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onEnd();
          else submitOnEnter(event);
        }}
      />
      {sending.errorMessage !== undefined && <Notice message={sending.errorMessage} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={sending.isBusy}>
          {action}
        </button>
        <button
          type="button"
          onClick={() => {
            discard();
            onEnd();
          }}
        >
          Cancel
        </button>
      </div>
    </form>
  );
}
