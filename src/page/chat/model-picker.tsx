import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedModel } from "../../api/models/models.js";
import { messageOf } from "../api/api-error.js";
import { DownloadDialog } from "../models/download-dialog.js";
import { findModel, findProblem, generatesText, suggestModel } from "../models/model-choices.js";
import {
  areDetailsKnown,
  areModelsKnown,
  canDownload,
  defaultModel,
  loadModel,
  modelListError,
  models,
  serverStart,
} from "../models/model-list.js";
import { ModelPopup } from "../models/model-popup.js";
import { computeLoadedShare, describeState } from "../models/model-text.js";
import { announce } from "../parts/announcer.js";
import { Notice } from "../parts/notice.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { mayWrite, permits } from "../session.js";
import { changeSettings, currentSettings, thread } from "./thread.js";

/** Returns the model that answers the shown conversation: the chosen one, else the server's default. */
export function currentModel(): ListedModel | undefined {
  const name = currentSettings().model ?? defaultModel.value;
  return name === null ? undefined : findModel(models.value, name);
}

/** Selects the model of the conversation, and loads it. */
export function ModelPicker() {
  const [isOpen, setOpen] = useState(false);
  const [downloadText, setDownloadText] = useState<string>();
  const [errorMessage, setErrorMessage] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const current = currentModel();
  const close = (focus: "return" | "stay") => {
    setOpen(false);
    if (focus === "return") button.current?.focus();
  };
  const load = async (name: string) => {
    setErrorMessage(undefined);
    try {
      // Without the scope `admin`, the model is loaded by the first question.
      if (permits("admin") && mayWrite()) await loadModel(name);
    } catch (error) {
      setErrorMessage(messageOf(error));
    }
  };
  const choose = async (name: string) => {
    close("return");
    try {
      await changeSettings({ ...currentSettings(), model: name });
      announce(`Model: ${name}`);
    } catch (error) {
      setErrorMessage(messageOf(error));
      return;
    }
    const state = models.value.find(({ id }) => id === name)?.status.value;
    if (state === "unloaded") await load(name);
    else setErrorMessage(undefined);
  };
  useSuggestedModel();
  const message = errorMessage ?? modelListError.value;
  return (
    <div class="model-picker">
      <div class="model-choice">
        <button
          ref={button}
          type="button"
          class="model-button"
          aria-haspopup="listbox"
          aria-expanded={isOpen}
          aria-label={`Model: ${describeCurrent(current)}`}
          disabled={!mayWrite()}
          onClick={() => setOpen(!isOpen)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
            event.preventDefault();
            setOpen(true);
          }}
        >
          <span class="model-name">{nameCurrent(current)}</span>
          {current !== undefined && current.status.value !== "loaded" && (
            <span class="hint">{describeState(current.status)}</span>
          )}
        </button>
        {isOpen && (
          <ModelPopup
            models={models.value}
            selected={current?.id}
            defaultName={defaultModel.value}
            onChoose={(name) => void choose(name)}
            onClose={close}
            onDownload={
              canDownload.value
                ? (text) => {
                    close("return");
                    setDownloadText(text);
                  }
                : undefined
            }
          />
        )}
      </div>
      {current?.status.value === "loading" && (
        <ProgressBar label={`Loading ${current.id}`} value={computeLoadedShare(current.status)} />
      )}
      {errorMessage === undefined && current !== undefined && (
        <LoadProblem model={current} onRetry={() => void load(current.id)} />
      )}
      {serverStart.value !== undefined && <StartupProgress />}
      {message !== undefined && <Notice message={message} />}
      {downloadText !== undefined && (
        <DownloadDialog text={downloadText} onClose={() => setDownloadText(undefined)} />
      )}
    </div>
  );
}

/** Chooses a model for a new conversation if the server has no default model. */
function useSuggestedModel(): void {
  const isWanted =
    areDetailsKnown.value &&
    mayWrite() &&
    thread.value.state === "new" &&
    currentSettings().model === undefined &&
    defaultModel.value === null;
  const suggested = isWanted ? suggestModel(models.value.filter(generatesText))?.id : undefined;
  useEffect(() => {
    if (suggested !== undefined) void changeSettings({ ...currentSettings(), model: suggested });
  }, [suggested]);
}

/** Returns the name of the current model, or of the chosen one that is gone. */
function nameCurrent(current: ListedModel | undefined): string {
  const { model: chosen } = currentSettings();
  if (current !== undefined) return current.id;
  if (chosen !== undefined) return areModelsKnown.value ? `${chosen} (unavailable)` : chosen;
  if (!areModelsKnown.value) return "Loading the models…";
  return models.value.some(generatesText) ? "Choose a model" : "No model";
}

function describeCurrent(current: ListedModel | undefined): string {
  const name = nameCurrent(current);
  return current === undefined ? name : `${name}, ${describeState(current.status)}`;
}

interface LoadProblemProps {
  readonly model: ListedModel;
  readonly onRetry: () => void;
}

/** Why the current model cannot be loaded. */
function LoadProblem({ model, onRetry }: LoadProblemProps) {
  const problem = findProblem(model);
  if (problem === undefined) return null;
  return (
    <Notice message={`${model.id} could not be loaded. ${problem}`}>
      {permits("admin") && mayWrite() && (
        <button type="button" onClick={onRetry}>
          Load again
        </button>
      )}
    </Notice>
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
