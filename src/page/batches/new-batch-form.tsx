import { useMemo, useRef, useState } from "preact/hooks";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { Notice } from "../parts/notice.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { useAction } from "../parts/use-action.js";
import { createBatch } from "./batch-list.js";
import { ENDPOINTS, findEndpoint, findLineProblem, readFirstLines } from "./check-lines.js";

/** Completion windows by their values. */
const WINDOWS = {
  "1h": "1 hour",
  "6h": "6 hours",
  "24h": "24 hours",
  "3d": "3 days",
  "7d": "7 days",
  "14d": "14 days",
} as const;

const DEFAULT_WINDOW = "24h";

/** A chosen file with its first lines. */
interface ChosenFile {
  readonly file: File;
  readonly lines: readonly string[];
}

/** Form that uploads a file of requests and creates a batch of it. */
export function NewBatchForm() {
  const [chosen, setChosen] = useState<ChosenFile>();
  const [endpoint, setEndpoint] = useState<string>(ENDPOINTS[0]);
  const [window, setWindow] = useState<string>(DEFAULT_WINDOW);
  const form = useRef<HTMLFormElement>(null);
  const latestFile = useRef<File>(undefined);
  const action = useAction();
  const problem = useMemo(
    () => chosen && findLineProblem(chosen.lines, endpoint),
    [chosen, endpoint],
  );
  const choose = async (file: File | undefined) => {
    latestFile.current = file;
    action.dismiss();
    setChosen(undefined);
    if (file === undefined) return;
    const lines = await readFirstLines(file);
    if (latestFile.current !== file) return;
    setEndpoint((current) => findEndpoint(lines) ?? current);
    setChosen({ file, lines });
  };
  const create = ({ file }: ChosenFile) =>
    action.run(async () => {
      await createBatch({ file, endpoint, window });
      announce(`Batch of ${file.name} created.`);
      form.current?.reset();
      setChosen(undefined);
    });
  return (
    <form
      ref={form}
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined && problem === undefined) create(chosen);
      }}
    >
      <label for="batch-file">File of requests</label>
      <input
        id="batch-file"
        type="file"
        accept=".jsonl,.ndjson,.txt"
        required
        disabled={action.isBusy}
        aria-describedby="batch-file-hint"
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      <p id="batch-file-hint" class="hint">
        JSON Lines: each line has <code>custom_id</code>, <code>method</code>, <code>url</code> and{" "}
        <code>body</code>.
      </p>
      <div class="choices">
        <div>
          <label for="batch-endpoint">Endpoint</label>
          <select
            id="batch-endpoint"
            value={endpoint}
            disabled={action.isBusy}
            onChange={({ currentTarget }) => setEndpoint(currentTarget.value)}
          >
            {ENDPOINTS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="batch-window">Completion window</label>
          <select
            id="batch-window"
            value={window}
            disabled={action.isBusy}
            onChange={({ currentTarget }) => setWindow(currentTarget.value)}
          >
            {Object.entries(WINDOWS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
      </div>
      {problem !== undefined && (
        <Notice message={`Line ${problem.line}: ${problem.problem}. Correct the file first.`} />
      )}
      {action.isBusy && <ProgressBar label="Upload" />}
      <div class="actions">
        <button
          type="submit"
          class="primary"
          aria-disabled={action.isBusy || problem !== undefined}
        >
          Create batch
        </button>
      </div>
      <ActionNotice action={action} />
    </form>
  );
}
