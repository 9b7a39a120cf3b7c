import { auditLog, showMoreEntries } from "./key-list.js";
import { describeEntry, listChanges } from "./key-text.js";

interface AuditLogProps {
  /** Prints a time in seconds since 1970. */
  readonly formatTime: (seconds: number) => string;
}

/** Changes of keys, latest first. */
export function AuditLog({ formatTime }: AuditLogProps) {
  const { value: log } = auditLog;
  if (log === undefined) return null;
  return (
    <section aria-labelledby="audit-heading">
      <h2 id="audit-heading">Audit log</h2>
      {log.entries.length === 0 && <p class="hint">No changes yet.</p>}
      <ul class="cards">
        {log.entries.map((entry) => (
          <li key={entry.id}>
            <p>
              <strong>{describeEntry(entry)}</strong>
            </p>
            <p class="hint">
              {[formatTime(entry.effective_at), entry.actor.ip_address, ...listChanges(entry)]
                .filter((text) => text !== null)
                .join(" · ")}
            </p>
          </li>
        ))}
      </ul>
      {log.hasMore && (
        <button type="button" onClick={() => void showMoreEntries()}>
          Show older changes
        </button>
      )}
    </section>
  );
}
