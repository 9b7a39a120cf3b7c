import { CopyButton } from "../parts/copy-button.js";
import { Modal } from "../parts/modal.js";

interface NewValueProps {
  /** Name of the key. */
  readonly name: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** Dialog with the value of a new key, which the server does not store. */
export function NewValue({ name, value, onClose }: NewValueProps) {
  return (
    <Modal title={`Key of ${name}`} class="new-value" onClose={onClose}>
      <p>Copy this key now: it is not stored, and cannot be shown again.</p>
      <div class="value">
        <code>{value}</code>
        <CopyButton text={value} label="Copy key" />
      </div>
    </Modal>
  );
}
