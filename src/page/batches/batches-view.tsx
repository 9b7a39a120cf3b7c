import { useEffect } from "preact/hooks";
import { Notice } from "../parts/notice.js";
import { mayWrite } from "../session.js";
import {
  batches,
  batchesDisabled,
  batchListError,
  followBatches,
  hasMoreBatches,
  showMoreBatches,
} from "./batch-list.js";
import { BatchRow } from "./batch-row.js";
import { NewBatchForm } from "./new-batch-form.js";

/** Batches of the user's key, and their actions. */
export function BatchesView() {
  useEffect(followBatches, []);
  const canManage = mayWrite();
  const listed = batches.value;
  if (batchesDisabled.value !== undefined) {
    return (
      <>
        <h1>Batches</h1>
        <p class="hint">{batchesDisabled.value}</p>
      </>
    );
  }
  return (
    <>
      <h1>Batches</h1>
      {batchListError.value !== undefined && (
        <Notice message={`${batchListError.value} Retrying soon.`} />
      )}
      {canManage && (
        <section aria-labelledby="new-batch-heading">
          <h2 id="new-batch-heading">Create a batch</h2>
          <NewBatchForm />
        </section>
      )}
      <section aria-labelledby="batches-heading">
        <h2 id="batches-heading">Latest batches</h2>
        {listed?.length === 0 && <p class="hint">No batches yet.</p>}
        <ul class="cards" aria-busy={listed === undefined}>
          {listed?.map((batch) => (
            <BatchRow key={batch.id} batch={batch} canManage={canManage} />
          ))}
        </ul>
        {hasMoreBatches.value && (
          <button type="button" onClick={showMoreBatches}>
            Show older batches
          </button>
        )}
      </section>
    </>
  );
}
