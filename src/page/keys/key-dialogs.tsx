import { useId, useState } from "preact/hooks";
import { Modal } from "../parts/modal.js";

/** Grace periods by their seconds. */
const GRACE_PERIODS = {
  "0": "none: the current key is refused at once",
  "3600": "1 hour",
  "86400": "1 day",
  "604800": "7 days",
} as const;

const DEFAULT_GRACE = "86400";

interface RotateDialogProps {
  readonly name: string;
  readonly onRotate: (graceSeconds: number) => void;
  readonly onClose: () => void;
}

/** Dialog that chooses how long the current value of a key is still accepted. */
export function RotateDialog({ name, onRotate, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState<string>(DEFAULT_GRACE);
  const id = useId();
  return (
    <Modal title={`Rotate the key of ${name}`} class="key-dialog" onClose={onClose}>
      <form
        class="card-form key-details"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onRotate(Number(grace));
        }}
      >
        <label for={id}>Grace period of the current key</label>
        <select
          id={id}
          value={grace}
          onChange={({ currentTarget }) => setGrace(currentTarget.value)}
        >
          {Object.entries(GRACE_PERIODS).map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </select>
        <div class="actions">
          <button type="submit" class="primary">
            Rotate key
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface ExpiryDialogProps {
  readonly name: string;
  /** In seconds since 1970; null: never. */
  readonly expiresAt: number | null;
  readonly onSave: (expiresAt: number | null) => void;
  readonly onClose: () => void;
}

/** Dialog that sets the time after which a key is refused. */
export function ExpiryDialog({ name, expiresAt, onSave, onClose }: ExpiryDialogProps) {
  const [date, setDate] = useState(expiresAt === null ? "" : toDate(expiresAt));
  const id = useId();
  return (
    <Modal title={`Expiry of the key of ${name}`} class="key-dialog" onClose={onClose}>
      <form
        class="card-form key-details"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onSave(date === "" ? null : Date.parse(date) / 1000);
        }}
      >
        <label for={id}>Refused from the beginning of this day (UTC)</label>
        <input
          id={id}
          type="date"
          aria-describedby={`${id}-hint`}
          value={date}
          onInput={({ currentTarget }) => setDate(currentTarget.value)}
        />
        <p id={`${id}-hint`} class="hint">
          Without a date, the key does not expire.
        </p>
        <div class="actions">
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </Modal>
  );
}

/** @param seconds since 1970 */
function toDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
