import { useRef, useState } from "preact/hooks";
import { announce } from "../parts/announcer.js";
import { IconButton } from "../parts/icon.js";
import { Modal } from "../parts/modal.js";
import { Notice } from "../parts/notice.js";
import { saveFile } from "../parts/save-file.js";
import { useAction } from "../parts/use-action.js";
import type { Prompt } from "./prompt.js";
import { parsePrompts, printPrompts } from "./prompt-file.js";
import { PromptForm } from "./prompt-form.js";
import { addPrompts, prompts, removePrompt, replacePrompt } from "./prompt-store.js";

interface PromptDialogProps {
  /** The composer's text, which can be saved. */
  readonly draft: string;
  /** @param chosen prompt to insert */
  readonly onClose: (chosen?: Prompt) => void;
}

/** The prompt library: insert, create, edit and delete prompts, export and import. */
export function PromptDialog({ draft, onClose }: PromptDialogProps) {
  /** The prompt in the form; with an empty title: a new one. */
  const [edited, setEdited] = useState<Prompt>();
  const [deleted, setDeleted] = useState<Prompt>();
  const [summary, setSummary] = useState<string>();
  const action = useAction();
  const list = prompts.value;
  const say = (text: string) => {
    setSummary(text);
    announce(text);
  };
  if (edited !== undefined) {
    return (
      <Modal
        title={edited.title === "" ? "New prompt" : "Edit prompt"}
        class="prompt-dialog"
        onClose={() => onClose()}
      >
        <PromptForm
          prompt={edited}
          onSave={(prompt) => {
            if (edited.title === "") addPrompts([prompt]);
            else replacePrompt(edited, prompt);
            setEdited(undefined);
            say(`Saved “${prompt.title}”.`);
          }}
          onCancel={() => setEdited(undefined)}
        />
      </Modal>
    );
  }
  const remove = (prompt: Prompt) =>
    action.run(async () => {
      removePrompt(prompt);
      setDeleted(prompt);
      say(`Deleted “${prompt.title}”.`);
    });
  const undo = () =>
    action.run(async () => {
      if (deleted === undefined) return;
      addPrompts([deleted]);
      setDeleted(undefined);
      say(`Restored “${deleted.title}”.`);
    });
  const importFile = (file: File) =>
    action.run(async () => {
      const parsed = parsePrompts(await file.text());
      if (typeof parsed === "string") throw new Error(parsed);
      const number = addPrompts(parsed);
      setDeleted(undefined);
      say(`Imported ${number} of ${parsed.length} prompts; the others were there already.`);
    });
  return (
    <Modal title="Prompts" class="prompt-dialog" onClose={() => onClose()}>
      {list.length === 0 ? (
        <p class="hint">
          No prompts yet. Saved prompts are inserted from here, or by typing / and a part of the
          title into an empty message field.
        </p>
      ) : (
        <ul class="prompt-list">
          {list.map((prompt) => (
            <li key={`${prompt.title}\n${prompt.text}`}>
              <button type="button" class="prompt-choice" onClick={() => onClose(prompt)}>
                <span class="prompt-title">
                  <span class="visually-hidden">Insert </span>
                  {prompt.title}
                </span>
                <span class="hint">{prompt.text}</span>
              </button>
              <IconButton
                icon="edit"
                label={`Edit ${prompt.title}`}
                onClick={() => setEdited(prompt)}
              />
              <IconButton
                icon="remove"
                label={`Delete ${prompt.title}`}
                onClick={() => remove(prompt)}
              />
            </li>
          ))}
        </ul>
      )}
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
      {summary !== undefined && (
        <p class="prompt-summary">
          {summary}{" "}
          {deleted !== undefined && (
            <button type="button" class="link" onClick={undo}>
              Undo
            </button>
          )}
        </p>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={() => setEdited({ title: "", text: draft })}>
          {draft.trim() === "" ? "New prompt" : "Save message as prompt"}
        </button>
        <Files list={list} onImport={importFile} />
      </div>
      <p class="hint">Prompts are kept in this browser. Export them to use them in another.</p>
    </Modal>
  );
}

interface FilesProps {
  readonly list: readonly Prompt[];
  readonly onImport: (file: File) => void;
}

/** Buttons that export and import the library. */
function Files({ list, onImport }: FilesProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={list.length === 0} onClick={() => download(list)}>
        Export
      </button>
      <button type="button" onClick={() => input.current?.click()}>
        Import
      </button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label="File of prompts"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onImport(file);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

function download(list: readonly Prompt[]): void {
  saveFile("ggufd-prompts.json", new Blob([printPrompts(list)], { type: "application/json" }));
}
