import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./icon.js";

interface ModalProps {
  readonly title: string;
  /** Class of the dialog. */
  readonly class: string;
  /** Called when the dialog closes for any reason. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Dialog with a title and a button that closes it. Escape closes it; the focus returns to where it was. */
export function Modal({ title, class: name, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // The browser returns the focus when the dialog closes, not when it is removed.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} class={`modal ${name}`} aria-labelledby={id} onClose={onClose}>
      <div class="modal-bar">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}
