import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../api/api-error.js";
import { announce } from "../../parts/announcer.js";
import { Notice } from "../../parts/notice.js";
import { ProgressBar } from "../../parts/progress-bar.js";
import { createForeignConversation, readConversations, readItems } from "../conversations.js";
import type { ParsedImport } from "./imported.js";
import { parseImport } from "./parse-import.js";
import { saveAllConversations } from "./save-conversations.js";
import { type ImportOutcome, storeImported } from "./store-imported.js";

interface DialogProps {
  readonly onClose: () => void;
}

interface TransferDialogProps extends DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Dialog whose requests end when it is closed. */
function TransferDialog({ title, onClose, children }: TransferDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="transfer-dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Creates a controller whose signal is aborted when the component is removed. */
function useEnd(): AbortController {
  const [end] = useState(() => new AbortController());
  useEffect(() => () => end.abort(), []);
  return end;
}

interface Progress {
  readonly done: number;
  readonly total: number;
}

interface ProgressTextProps extends Progress {
  readonly label: string;
  /** Plural of the counted. */
  readonly unit: string;
}

function ProgressText({ label, done, total, unit }: ProgressTextProps) {
  return (
    <>
      <p>{`${label}: ${done} of ${total} ${unit}`}</p>
      <ProgressBar label={label} value={total === 0 ? undefined : done / total} />
    </>
  );
}

/** Saves all conversations as a file. */
export function ExportDialog({ onClose }: DialogProps) {
  const [progress, setProgress] = useState<Progress>({ done: 0, total: 0 });
  const [outcome, setOutcome] = useState<string>();
  const [errorMessage, setErrorMessage] = useState<string>();
  const end = useEnd();
  useEffect(() => {
    saveAllConversations((done, total) => setProgress({ done, total }), end.signal)
      .then((count) => setOutcome(`Exported ${describeChats(count)}, branches included.`))
      .catch((error: unknown) => !end.signal.aborted && setErrorMessage(messageOf(error)));
  }, []);
  return (
    <TransferDialog title="Export all chats" onClose={onClose}>
      {outcome === undefined ? (
        <ProgressText label="Exporting" unit="chats and branches" {...progress} />
      ) : (
        <p>{outcome}</p>
      )}
      {errorMessage !== undefined && <Notice message={errorMessage} />}
      <CloseButtons label={outcome === undefined ? "Cancel" : "Close"} />
    </TransferDialog>
  );
}

function CloseButtons({
  label,
  children,
}: {
  readonly label: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <form method="dialog" class="actions">
      <button type="submit">{label}</button>
      {children}
    </form>
  );
}

type ImportState =
  | { readonly step: "choose"; readonly problem?: string | undefined }
  | { readonly step: "confirm"; readonly parsed: ParsedImport; readonly bytes: number }
  | { readonly step: "store"; readonly parsed: ParsedImport; readonly done: number }
  | { readonly step: "end"; readonly parsed: ParsedImport; readonly outcome: ImportOutcome };

/** Imports conversations from a file. */
export function ImportDialog({ onClose }: DialogProps) {
  const [state, setState] = useState<ImportState>({ step: "choose" });
  const end = useEnd();
  const read = async (file: File) => {
    try {
      const parsed = parseImport(await file.text());
      setState({ step: "confirm", parsed, bytes: file.size });
    } catch (error) {
      setState({ step: "choose", problem: `${file.name}: ${messageOf(error)}` });
    }
  };
  const store = async (parsed: ParsedImport) => {
    setState({ step: "store", parsed, done: 0 });
    const outcome = await storeImported(parsed.conversations, {
      create: createForeignConversation,
      readItems,
      signal: end.signal,
      onProgress: (done) => setState({ step: "store", parsed, done }),
    });
    setState({ step: "end", parsed, outcome });
    announce(`Imported ${describeChats(outcome.stored)}`);
    await readConversations();
  };
  return (
    <TransferDialog title="Import chats" onClose={onClose}>
      <ImportStep state={state} onFile={(file) => void read(file)} />
      {state.step === "confirm" ? (
        <CloseButtons label="Cancel">
          {state.parsed.conversations.length > 0 && (
            <button type="button" class="primary" onClick={() => void store(state.parsed)}>
              {`Import ${describeChats(state.parsed.conversations.length)}`}
            </button>
          )}
        </CloseButtons>
      ) : (
        <CloseButtons label={state.step === "end" ? "Close" : "Cancel"} />
      )}
    </TransferDialog>
  );
}

interface ImportStepProps {
  readonly state: ImportState;
  readonly onFile: (file: File) => void;
}

function ImportStep({ state, onFile }: ImportStepProps) {
  switch (state.step) {
    case "choose":
      return (
        <>
          <p>
            A file exported by ggufd, <code>conversations.json</code> of ChatGPT's export, or chats
            exported by Open WebUI.
          </p>
          <input
            type="file"
            accept=".json,application/json"
            aria-label="File to import"
            onChange={({ currentTarget: { files } }) => files?.[0] && onFile(files[0])}
          />
          {state.problem !== undefined && <Notice message={state.problem} />}
        </>
      );
    case "confirm":
      return (
        <>
          <p>
            {`${state.parsed.source}: ${describeChats(state.parsed.conversations.length)}, ${describeBytes(state.bytes)}.`}
          </p>
          <SkippedList parsed={state.parsed} />
          <p class="hint">
            The server stores a limited number and size of chats, and drops the least recently used
            ones beyond it.
          </p>
        </>
      );
    case "store":
      return (
        <ProgressText
          label="Importing"
          unit="chats"
          done={state.done}
          total={state.parsed.conversations.length}
        />
      );
    case "end":
      return <ImportSummary parsed={state.parsed} outcome={state.outcome} />;
  }
}

interface ImportSummaryProps {
  readonly parsed: ParsedImport;
  readonly outcome: ImportOutcome;
}

function ImportSummary({ parsed, outcome: { stored, failed, stopped } }: ImportSummaryProps) {
  return (
    <>
      <p>{`Imported ${describeChats(stored)}.`}</p>
      {stopped !== undefined && <Notice message={`The import has stopped: ${stopped}`} />}
      {failed.length > 0 && (
        <>
          <p>{`The server rejected ${describeChats(failed.length)}:`}</p>
          <ul class="failures">
            {failed.map(({ title, reason }, index) => (
              <li key={index}>{`${title}: ${reason}`}</li>
            ))}
          </ul>
        </>
      )}
      <SkippedList parsed={parsed} />
    </>
  );
}

function SkippedList({ parsed: { skipped } }: { readonly parsed: ParsedImport }) {
  if (skipped.length === 0) return null;
  return (
    <>
      <p>Not imported:</p>
      <ul>
        {skipped.map(({ what, why, count }) => (
          <li key={what}>{`${what} (${count}): ${why}`}</li>
        ))}
      </ul>
    </>
  );
}

function describeChats(count: number): string {
  return count === 1 ? "1 chat" : `${count.toLocaleString("en")} chats`;
}

function describeBytes(bytes: number): string {
  const megabytes = bytes / 2 ** 20;
  return megabytes < 0.1 ? "less than 0.1 MiB" : `${megabytes.toFixed(1)} MiB`;
}
