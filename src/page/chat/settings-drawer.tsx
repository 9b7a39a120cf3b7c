import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "../parts/announcer.js";
import { IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { mayWrite } from "../session.js";
import {
  type ChatSettings,
  findToolsProblem,
  type SamplingField,
  samplingFields,
  samplingNames,
} from "./chat-settings.js";
import { changeSettings, currentSettings, thread } from "./thread.js";

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

/** The settings as typed, before validation. */
interface Draft {
  readonly instructions: string;
  readonly tools: string;
  readonly sampling: Readonly<Partial<Record<SamplingField, string>>>;
}

function SettingsForm() {
  const [draft, setDraft] = useState(() => toDraft(currentSettings()));
  const action = useAction();
  const instructionsId = useId();
  const toolsId = useId();
  const toolsProblem = findToolsProblem(draft.tools);
  const save = () =>
    action.run(async () => {
      await changeSettings({ ...currentSettings(), ...settingsOfDraft(draft) });
      announce("Saved");
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (toolsProblem === undefined) save();
      }}
    >
      <fieldset disabled={!mayWrite()}>
        <label for={instructionsId}>System prompt</label>
        <textarea
          id={instructionsId}
          rows={5}
          value={draft.instructions}
          onInput={({ currentTarget }) => setDraft({ ...draft, instructions: currentTarget.value })}
        />
        {samplingNames.map((name) => (
          <SamplingInput
            key={name}
            name={name}
            text={draft.sampling[name] ?? ""}
            onInput={(text) =>
              setDraft({ ...draft, sampling: { ...draft.sampling, [name]: text } })
            }
          />
        ))}
        <label for={toolsId}>Tools (JSON)</label>
        <textarea
          id={toolsId}
          class="code"
          rows={4}
          spellcheck={false}
          aria-describedby={`${toolsId}-hint`}
          aria-invalid={toolsProblem !== undefined}
          value={draft.tools}
          onInput={({ currentTarget }) => setDraft({ ...draft, tools: currentTarget.value })}
        />
        <p class="hint" id={`${toolsId}-hint`}>
          {toolsProblem ??
            'Functions that the model can call: [{"type": "function", "name": …}]. You enter the result of each call.'}
        </p>
        {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
        <button type="submit" class="primary" disabled={toolsProblem !== undefined}>
          Save
        </button>
        <p class="hint">
          Empty fields use the model’s defaults. Changes apply from the next answer.
        </p>
      </fieldset>
    </form>
  );
}

interface SamplingInputProps {
  readonly name: SamplingField;
  readonly text: string;
  readonly onInput: (text: string) => void;
}

function SamplingInput({ name, text, onInput }: SamplingInputProps) {
  const id = useId();
  const { label, min, max, step } = samplingFields[name];
  return (
    <div class="sampling-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min={min}
        max={max}
        step={step === 1 ? 1 : "any"}
        value={text}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}

function toDraft({ instructions = "", tools = "", sampling }: ChatSettings): Draft {
  return {
    instructions,
    tools,
    sampling: Object.fromEntries(
      Object.entries(sampling).map(([name, value]) => [name, `${value}`]),
    ),
  };
}

function settingsOfDraft({ instructions, tools, sampling }: Draft): Omit<ChatSettings, "model"> {
  return {
    instructions: instructions.trim() === "" ? undefined : instructions,
    tools: tools.trim() === "" ? undefined : tools,
    sampling: Object.fromEntries(
      samplingNames.flatMap((name) => {
        const text = sampling[name]?.trim() ?? "";
        return text === "" ? [] : [[name, Number(text)]];
      }),
    ),
  };
}
