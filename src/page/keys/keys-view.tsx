import { useEffect } from "preact/hooks";
import { Notice } from "../parts/notice.js";
import { mayWrite } from "../session.js";
import { AuditLog } from "./audit-log.js";
import { keyListError, keys, readKeys, showMoreKeys, storeDisabled } from "./key-list.js";
import { formatTime, KeyRow } from "./key-row.js";
import { NewKeyForm } from "./new-key-form.js";

/** API keys of the server, their changes, and their actions. */
export function KeysView() {
  useEffect(() => void readKeys(), []);
  const { value: listed } = keys;
  const isDisabled = storeDisabled.value !== undefined;
  const canManage = mayWrite() && !isDisabled;
  return (
    <>
      <h1>API keys</h1>
      {keyListError.value !== undefined && (
        <Notice message={keyListError.value}>
          <button type="button" onClick={() => void readKeys()}>
            Try again
          </button>
        </Notice>
      )}
      {isDisabled && <p class="hint">{storeDisabled.value}</p>}
      {canManage && (
        <section aria-labelledby="new-key-heading">
          <h2 id="new-key-heading">Create a key</h2>
          <NewKeyForm />
        </section>
      )}
      <section aria-labelledby="keys-heading">
        <h2 id="keys-heading">Keys</h2>
        <ul class="cards" aria-busy={listed === undefined}>
          {listed?.entries.map((key) => (
            <KeyRow key={key.id} apiKey={key} canManage={canManage} />
          ))}
        </ul>
        {listed?.hasMore && (
          <button type="button" onClick={() => void showMoreKeys()}>
            Show more keys
          </button>
        )}
      </section>
      <AuditLog formatTime={formatTime} />
    </>
  );
}
