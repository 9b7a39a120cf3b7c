import { Fragment } from "preact";
import { Modal } from "../parts/modal.js";
import { setSingleKeys, singleKeys } from "./handle-shortcuts.js";
import { printKey, type Shortcut } from "./shortcuts.js";

interface ShortcutsDialogProps {
  readonly shortcuts: readonly Shortcut[];
  readonly onClose: () => void;
}

/** List of the keyboard shortcuts. */
export function ShortcutsDialog({ shortcuts, onClose }: ShortcutsDialogProps) {
  return (
    <Modal title="Keyboard shortcuts" class="shortcuts-dialog" onClose={onClose}>
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Action</th>
            <th scope="col">Keys</th>
          </tr>
        </thead>
        <tbody>
          {shortcuts.map(({ keys, label }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>
                {keys.map((key, index) => (
                  <Fragment key={key}>
                    {index > 0 && " or "}
                    <kbd>{printKey(key)}</kbd>
                  </Fragment>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="single-keys">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        Use single keys, outside of text fields
      </label>
    </Modal>
  );
}
