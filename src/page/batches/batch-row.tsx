import { useRef, useState } from "preact/hooks";
import type { BatchObject } from "../../api/batches/answer.js";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { useAction } from "../parts/use-action.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { cancelBatch, downloadResults } from "./batch-list.js";
import {
  buildFacts,
  computeShare,
  describeCounts,
  describeStatus,
  endOf,
  nameOf,
} from "./batch-text.js";

/** Maximum number of shown errors of an input file. */
const SHOWN_ERRORS = 10;

interface BatchRowProps {
  readonly batch: BatchObject;
  /** Whether the user may cancel batches. */
  readonly canManage: boolean;
}

/** A batch with its progress, its properties and its actions. */
export function BatchRow({ batch, canManage }: BatchRowProps) {
  const action = useAction();
  const [isConfirming, setConfirming] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useKeptFocus(
    () => row.current,
    () => title.current,
  );
  const name = nameOf(batch);
  const isRunning = endOf(batch) === null;
  const download = (content: "output" | "errors") =>
    action.run(() => downloadResults(batch, content));
  return (
    <li ref={row} class="card" aria-busy={action.isBusy}>
      <div class="title">
        <h3 ref={title} tabIndex={-1}>
          {name}
        </h3>
        <span class={`badge ${batch.status}`}>{describeStatus(batch)}</span>
      </div>
      {isRunning && <ProgressBar label={`Progress of ${name}`} value={computeShare(batch)} />}
      {batch.request_counts.total > 0 && <p class="amounts">{describeCounts(batch)}</p>}
      <dl class="facts">
        {buildFacts(batch, formatTime).map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <InputErrors errors={batch.errors?.data ?? []} />
      <div class="actions">
        {batch.output_file_id !== null && (
          <button
            type="button"
            aria-label={`Download results of ${name}`}
            aria-disabled={action.isBusy}
            onClick={() => download("output")}
          >
            Download results
          </button>
        )}
        {batch.error_file_id !== null && (
          <button
            type="button"
            aria-label={`Download errors of ${name}`}
            aria-disabled={action.isBusy}
            onClick={() => download("errors")}
          >
            Download errors
          </button>
        )}
        {canManage && isRunning && batch.status !== "cancelling" && (
          <button
            type="button"
            class="danger"
            aria-label={`Cancel ${name}`}
            aria-disabled={action.isBusy}
            onClick={() => setConfirming(true)}
          >
            Cancel
          </button>
        )}
      </div>
      <ActionNotice action={action} />
      {isConfirming && (
        <ConfirmDialog
          question={`Cancel ${name}?`}
          consequence="Running requests are stopped. Results so far can be downloaded."
          action="Cancel batch"
          dismissal="Keep running"
          onConfirm={() =>
            action.run(async () => {
              await cancelBatch(batch.id);
              announce(`${name} is being cancelled.`);
            })
          }
          onClose={() => setConfirming(false)}
        />
      )}
    </li>
  );
}

type InputError = NonNullable<BatchObject["errors"]>["data"][number];

/** Errors of the input file of a failed batch. */
function InputErrors({ errors }: { readonly errors: readonly InputError[] }) {
  if (errors.length === 0) return null;
  const hidden = errors.length - SHOWN_ERRORS;
  return (
    <ul class="input-errors" aria-label="Errors of the file">
      {errors.slice(0, SHOWN_ERRORS).map(({ line, message }) => (
        <li key={`${line} ${message}`}>{line === null ? message : `Line ${line}: ${message}`}</li>
      ))}
      {hidden > 0 && <li>and {hidden} more</li>}
    </ul>
  );
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
}
