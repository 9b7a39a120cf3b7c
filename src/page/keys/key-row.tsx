import { useRef, useState } from "preact/hooks";
import type { KeyObject } from "../../api/keys/answer.js";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useAction } from "../parts/use-action.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { ExpiryDialog, RotateDialog } from "./key-dialogs.js";
import { changeKey, deleteKey, rotateKey } from "./key-list.js";
import { describeSource, listFacts, stateOf } from "./key-text.js";
import { NewValue } from "./new-value.js";

interface KeyRowProps {
  readonly apiKey: KeyObject;
  /** Whether the user may change keys. */
  readonly canManage: boolean;
}

type OpenDialog =
  | { readonly kind: "rotation" | "expiry" | "deletion" }
  | { readonly kind: "value"; readonly value: string };

/** A key with its state, its properties and its actions. */
export function KeyRow({ apiKey: key, canManage }: KeyRowProps) {
  const action = useAction();
  const [dialog, setDialog] = useState<OpenDialog>();
  const row = useRef<HTMLLIElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useKeptFocus(
    () => row.current,
    () => title.current,
  );
  const { name } = key;
  const state = stateOf(key, Date.now() / 1000);
  const close = () => setDialog(undefined);
  const change = (body: Parameters<typeof changeKey>[1], done: string) =>
    action.run(async () => {
      await changeKey(name, body);
      announce(`${name}: ${done}.`);
    });
  const buttons: readonly (readonly [label: string, onClick: () => void])[] = [
    ["Rotate", () => setDialog({ kind: "rotation" })],
    key.disabled
      ? ["Enable", () => change({ disabled: false }, "enabled")]
      : ["Disable", () => change({ disabled: true }, "disabled")],
    ["Expiry", () => setDialog({ kind: "expiry" })],
    ["Delete", () => setDialog({ kind: "deletion" })],
  ];
  return (
    <li ref={row} class="card api-key" aria-busy={action.isBusy}>
      <div class="title">
        <h3 ref={title} tabIndex={-1}>
          {name}
        </h3>
        <span class={`badge ${state}`}>{state}</span>
        <span class="badge">{describeSource(key)}</span>
      </div>
      <dl class="facts">
        {listFacts(key, formatTime).map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {canManage && key.source === "store" && (
        <div class="actions">
          {buttons.map(([label, onClick]) => (
            <button
              key={label}
              type="button"
              class={label === "Delete" ? "danger" : undefined}
              aria-label={`${label} ${name}`}
              aria-disabled={action.isBusy}
              onClick={onClick}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      <ActionNotice action={action} />
      {dialog?.kind === "rotation" && (
        <RotateDialog
          name={name}
          onClose={close}
          onRotate={(graceSeconds) =>
            action.run(async () =>
              setDialog({ kind: "value", value: await rotateKey(name, graceSeconds) }),
            )
          }
        />
      )}
      {dialog?.kind === "expiry" && (
        <ExpiryDialog
          name={name}
          expiresAt={key.expires_at}
          onClose={close}
          onSave={(expiresAt) => change({ expires_at: expiresAt }, "expiry saved")}
        />
      )}
      {dialog?.kind === "deletion" && (
        <ConfirmDialog
          question={`Delete the key of ${name}?`}
          consequence="Its requests are refused from now on. A later key of the same name inherits its stored data."
          action="Delete key"
          onConfirm={() =>
            action.run(async () => {
              await deleteKey(name);
              announce(`${name}: deleted.`);
            })
          }
          onClose={close}
        />
      )}
      {dialog?.kind === "value" && <NewValue name={name} value={dialog.value} onClose={close} />}
    </li>
  );
}

/** @param seconds since 1970 */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
}
