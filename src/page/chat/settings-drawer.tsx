import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "../parts/announcer.js";
import { IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { submitOnEnter } from "../parts/submit-on-enter.js";
import { useAction } from "../parts/use-action.js";
import { mayWrite } from "../session.js";
import { keep, readKept } from "../tab-storage.js";
import { rootOf } from "./branches.js";
import { type SamplingField, samplingFields, samplingNames } from "./chat-settings.js";
import { currentModel } from "./model-picker.js";
import {
  findProblems,
  hasProblems,
  parseDraft,
  type SettingsDraft,
  settingsOfDraft,
  toDraft,
} from "./settings-draft.js";
import { changeSettings, currentSettings, thread } from "./thread.js";
import { useModelDefaults } from "./use-model-defaults.js";

/** Settings of the conversation. */
export function SettingsDrawer({ onClose }: { readonly onClose: () => void }) {
  const drawer = useRef<HTMLElement>(null);
  const shown = thread.value;
  useLayoutEffect(() => drawer.current?.focus(), []);
  return (
    <aside
      ref={drawer}
      class="drawer"
      aria-label="Chat settings"
      tabIndex={-1}
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <div class="drawer-bar">
        <h2>Chat settings</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <SettingsForm key={shown.state === "open" ? shown.conversation.id : shown.state} />
    </aside>
  );
}

function SettingsForm() {
  const shown = thread.value;
  const draftName = `settings:${shown.state === "open" ? rootOf(shown.conversation) : "new"}`;
  const saved = toDraft(currentSettings());
  const [typed, setTyped] = useState(() => parseDraft(readKept(draftName)));
  const [isSaved, setIsSaved] = useState(false);
  const draft = typed ?? saved;
  const action = useAction();
  const instructionsId = useId();
  const toolsId = useId();
  const problems = findProblems(draft);
  const model = currentModel();
  const defaults = useModelDefaults(model?.id, model?.status.value === "loaded");
  const set = (changes: Partial<SettingsDraft>) => {
    const changed = { ...draft, ...changes };
    setTyped(changed);
    setIsSaved(false);
    keep(draftName, JSON.stringify(changed));
  };
  const discard = () => {
    setTyped(undefined);
    keep(draftName, "");
  };
  const save = () =>
    action.run(async () => {
      await changeSettings({ ...currentSettings(), ...settingsOfDraft(draft) });
      discard();
      setIsSaved(true);
      announce("Saved");
    });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!hasProblems(problems)) save();
        else event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      }}
    >
      <fieldset disabled={!mayWrite()}>
        <label for={instructionsId}>System prompt</label>
        <textarea
          id={instructionsId}
          rows={5}
          value={draft.instructions}
          onInput={({ currentTarget }) => set({ instructions: currentTarget.value })}
          onKeyDown={submitOnEnter}
        />
        {samplingNames.map((name) => (
          <SamplingInput
            key={name}
            name={name}
            text={draft.sampling[name] ?? ""}
            placeholder={defaults[name]}
            problem={problems.sampling[name]}
            onInput={(text) => set({ sampling: { ...draft.sampling, [name]: text } })}
          />
        ))}
        <label class="switch-field">
          <input
            type="checkbox"
            checked={draft.probabilities}
            onChange={({ currentTarget }) => set({ probabilities: currentTarget.checked })}
          />
          Token probabilities
        </label>
        <label for={toolsId}>Tools (JSON)</label>
        <textarea
          id={toolsId}
          class="code"
          rows={4}
          spellcheck={false}
          aria-describedby={`${toolsId}-hint`}
          aria-invalid={problems.tools !== undefined}
          value={draft.tools}
          onInput={({ currentTarget }) => set({ tools: currentTarget.value })}
          onKeyDown={submitOnEnter}
        />
        <p class={problems.tools === undefined ? "hint" : "hint problem"} id={`${toolsId}-hint`}>
          {problems.tools ??
            'Functions that the model can call: [{"type": "function", "name": …}]. You enter the result of each call.'}
        </p>
        {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
        <div class="actions">
          <button type="submit" class="primary">
            Save
          </button>
          {typed !== undefined && (
            <button type="button" onClick={discard}>
              Discard changes
            </button>
          )}
          {isSaved && <span class="hint">Saved.</span>}
        </div>
        <p class="hint">
          Empty fields use the model’s defaults. Changes apply from the next answer. Enter saves,
          Shift+Enter starts a new line.
        </p>
      </fieldset>
    </form>
  );
}

interface SamplingInputProps {
  readonly name: SamplingField;
  readonly text: string;
  /** Default of the model, if known. */
  readonly placeholder: string | undefined;
  readonly problem: string | undefined;
  readonly onInput: (text: string) => void;
}

function SamplingInput({ name, text, placeholder, problem, onInput }: SamplingInputProps) {
  const id = useId();
  const { label, step } = samplingFields[name];
  return (
    <div class="sampling-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // A number field would hide what was typed if it is no number.
        type="text"
        inputMode={step === 1 ? "numeric" : "decimal"}
        autocomplete="off"
        placeholder={placeholder}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        value={text}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {problem !== undefined && (
        <p class="hint problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
