import { useState } from "preact/hooks";
import type { ListedModel } from "../../api/models/models.js";
import { messageOf } from "../api/api-error.js";
import { loadModel, modelListError, models, serverStart } from "../models/model-list.js";
import { announce } from "../parts/announcer.js";
import { Notice } from "../parts/notice.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { mayWrite, permits } from "../session.js";
import { changeSettings, currentSettings } from "./thread.js";

/** Models that may support conversations; the capabilities of an unloaded model are unknown. */
function selectChatModels(listed: readonly ListedModel[]): readonly ListedModel[] {
  return listed.filter(({ capabilities }) => capabilities?.includes("completion") ?? true);
}

/** Returns the model of the shown conversation: the chosen one, else the server's first. */
export function currentModel(): ListedModel | undefined {
  const { model } = currentSettings();
  const candidates = selectChatModels(models.value);
  return (
    candidates.find(({ id }) => id === model) ?? (model === undefined ? candidates[0] : undefined)
  );
}

/** Selects the model of the conversation, and loads it. */
export function ModelPicker() {
  const [errorMessage, setErrorMessage] = useState<string>();
  const { model: chosen } = currentSettings();
  const candidates = selectChatModels(models.value);
  const current = currentModel();
  const isGone = current === undefined && chosen !== undefined;
  const choose = async (name: string) => {
    setErrorMessage(undefined);
    try {
      await changeSettings({ ...currentSettings(), model: name });
      announce(`Model: ${name}`);
      const state = models.value.find(({ id }) => id === name)?.status.value;
      // Without the scope `admin`, the model is loaded by the first question.
      if (state === "unloaded" && permits("admin") && mayWrite()) await loadModel(name);
    } catch (error) {
      setErrorMessage(messageOf(error));
    }
  };
  const message = errorMessage ?? modelListError.value;
  return (
    <div class="model-picker">
      <select
        aria-label="Model"
        value={current?.id ?? chosen ?? ""}
        disabled={!mayWrite()}
        onChange={({ currentTarget }) => void choose(currentTarget.value)}
      >
        {isGone && <option value={chosen}>{chosen} (unavailable)</option>}
        {candidates.length === 0 && !isGone && <option value="">No model</option>}
        {candidates.map((model) => (
          <option key={model.id} value={model.id}>
            {model.id} {describeState(model)}
          </option>
        ))}
      </select>
      {current?.status.value === "loading" && (
        <ProgressBar
          label={`Loading ${current.id}`}
          value={typeof current.status.progress === "number" ? current.status.progress : undefined}
        />
      )}
      {current?.status.failed === true && (
        <Notice message={`${current.id} could not be loaded. See the server log for the reason.`} />
      )}
      {serverStart.value !== undefined && <StartupProgress />}
      {message !== undefined && <Notice message={message} />}
    </div>
  );
}

/** Startup progress of a server that has no model yet. */
function StartupProgress() {
  return (
    <>
      <ProgressBar label="Loading" />
      <span class="hint">{serverStart.value}</span>
    </>
  );
}

/** Describes a model's state; empty for a model that is ready. */
function describeState({ status }: ListedModel): string {
  return status.value === "loaded" ? "" : `(${status.value})`;
}
