import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedModel } from "../../api/models/models.js";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { type Action, useAction } from "../parts/use-action.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { findProblem } from "./model-choices.js";
import type { ModelGroup } from "./model-groups.js";
import { loadModel, removeModel, unloadModel } from "./model-list.js";
import { buildFacts, computeLoadedShare, describeState, listCapabilities } from "./model-text.js";

interface ModelRowProps extends ModelGroup {
  /** Whether the user may change models. */
  readonly canManage: boolean;
}

/** A model with its properties, its state and its actions. */
export function ModelRow({ model, adapters, canManage }: ModelRowProps) {
  const action = useAction();
  const [isWaiting, setWaiting] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const name = useRef<HTMLHeadingElement>(null);
  useKeptFocus(
    () => row.current,
    () => row.current?.querySelector<HTMLElement>("button:not(.danger)") ?? name.current,
  );
  const { id, status } = model;
  const capabilities = listCapabilities(model);
  const problem = findProblem(model);
  useAnnouncedState(model);
  return (
    <li ref={row} class="card model" aria-busy={action.isBusy}>
      <div class="title">
        <h3 ref={name} tabIndex={-1}>
          {id}
        </h3>
        <span class={`badge ${status.failed ? "failed" : status.value}`}>
          {isWaiting ? "waiting to load" : describeState(status)}
        </span>
      </div>
      {(isWaiting || status.value === "loading") && (
        <ProgressBar label={`Loading of ${id}`} value={computeLoadedShare(status)} />
      )}
      {problem !== undefined && action.errorMessage === undefined && (
        <p class="hint problem">{problem}</p>
      )}
      {capabilities.length > 0 && (
        <ul class="badges" aria-label="Capabilities">
          {capabilities.map((one) => (
            <li key={one} class="badge">
              {one}
            </li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {buildFacts(model, Date.now() / 1000).map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        {adapters.length > 0 && (
          <div>
            <dt>Adapters</dt>
            <dd>{adapters.map((adapter) => adapter.id).join(", ")}</dd>
          </div>
        )}
      </dl>
      {canManage && (
        <ModelButtons model={model} action={action} isWaiting={isWaiting} onWaiting={setWaiting} />
      )}
      <ActionNotice action={action} />
    </li>
  );
}

interface ModelButtonsProps {
  readonly model: ListedModel;
  readonly action: Action;
  /** Whether loading was requested and has not started. */
  readonly isWaiting: boolean;
  readonly onWaiting: (isWaiting: boolean) => void;
}

function ModelButtons({ model, action, isWaiting, onWaiting }: ModelButtonsProps) {
  const { id, status, can_remove } = model;
  const [confirmation, setConfirmation] = useState<"unload" | "remove">();
  const isLoadCancelled = useRef(false);
  const load = () =>
    action.run(async () => {
      isLoadCancelled.current = false;
      onWaiting(true);
      try {
        await loadModel(id);
      } catch (error) {
        if (!isLoadCancelled.current) throw error;
      } finally {
        onWaiting(false);
      }
    });
  /** Cancels the load while the request for it is pending. */
  const cancelLoad = async () => {
    isLoadCancelled.current = true;
    try {
      await unloadModel(id);
      announce(`Loading of ${id} cancelled.`);
    } catch {
      // The model has loaded or failed in the meantime, which its state shows.
    }
  };
  const canCancel = isWaiting || status.value === "loading";
  return (
    <div class="actions">
      {canCancel ? (
        <button type="button" aria-label={`Cancel loading ${id}`} onClick={() => void cancelLoad()}>
          Cancel
        </button>
      ) : (
        status.value === "unloaded" && (
          <button type="button" aria-label={`Load ${id}`} onClick={load}>
            Load
          </button>
        )
      )}
      {(status.value === "loaded" || status.value === "restarting") && (
        <button type="button" aria-label={`Unload ${id}`} onClick={() => setConfirmation("unload")}>
          Unload
        </button>
      )}
      {can_remove && (
        <button
          type="button"
          class="danger"
          aria-label={`Delete ${id}`}
          onClick={() => setConfirmation("remove")}
        >
          Delete
        </button>
      )}
      {confirmation === "unload" && (
        <ConfirmDialog
          question={`Unload ${id}?`}
          consequence="Running requests finish first. The next request loads the model again."
          action="Unload"
          onConfirm={() => action.run(() => unloadModel(id))}
          onClose={() => setConfirmation(undefined)}
        />
      )}
      {confirmation === "remove" && (
        <ConfirmDialog
          question={`Delete ${id}?`}
          consequence="Files in ggufd’s folder that no other model uses are deleted. To use the model again, download it again."
          action="Delete"
          onConfirm={() =>
            action.run(async () => {
              await removeModel(id);
              announce(`Deleted ${id}.`);
            })
          }
          onClose={() => setConfirmation(undefined)}
        />
      )}
    </div>
  );
}

/** Announces when a model is loaded or unloaded, or fails to load. */
function useAnnouncedState({ id, status }: ListedModel): void {
  const { value, failed } = status;
  const before = useRef({ value, failed });
  useEffect(() => {
    const hasChanged = before.current.value !== value || before.current.failed !== failed;
    before.current = { value, failed };
    if (hasChanged && (value === "loaded" || value === "unloaded")) {
      announce(`${id}: ${describeState({ value, ...(failed && { failed }) })}.`);
    }
  }, [id, value, failed]);
}
