import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface ConfirmDialogProps {
  /** Asked as a question. */
  readonly question: string;
  /** What follows from it. */
  readonly consequence: string;
  /** What is done, as a button says it. */
  readonly action: string;
  readonly onConfirm: () => void;
  /** However it ends, before what is confirmed is done. */
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. Escape is no; the focus goes back to where it was. */
export function ConfirmDialog({
  question,
  consequence,
  action,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [questionId, consequenceId] = [useId(), useId()];
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="confirm-dialog"
      aria-labelledby={questionId}
      aria-describedby={consequenceId}
      onClose={({ currentTarget }) => {
        const { returnValue } = currentTarget;
        onClose();
        if (returnValue === "confirmed") onConfirm();
      }}
    >
      <form method="dialog">
        <p id={questionId} class="confirm-question">
          {question}
        </p>
        <p id={consequenceId}>{consequence}</p>
        <div class="actions">
          <button type="submit" value="cancelled">
            Cancel
          </button>
          <button type="submit" value="confirmed" class="danger">
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
