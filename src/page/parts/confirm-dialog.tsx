import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface ConfirmDialogProps {
  /** Text of the question. */
  readonly question: string;
  /** Consequence of confirming. */
  readonly consequence: string;
  /** Label of the confirming button. */
  readonly action: string;
  /** Label of the other button. @default "Cancel" */
  readonly dismissal?: string;
  readonly onConfirm: () => void;
  /** Called when the dialog closes for any reason, before the confirmed action runs. */
  readonly onClose: () => void;
}

/**
 * Dialog that confirms an irreversible action. Escape cancels; the focus returns to where it was.
 */
export function ConfirmDialog({
  question,
  consequence,
  action,
  dismissal = "Cancel",
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
            {dismissal}
          </button>
          <button type="submit" value="confirmed" class="danger">
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
