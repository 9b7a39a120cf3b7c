import { useRef, useState } from "preact/hooks";
import { messageOf } from "../api/api-error.js";

/** An action of the user that may fail. */
export interface Action {
  readonly isBusy: boolean;
  /** Error message of the last failure. */
  readonly errorMessage: string | undefined;
  /** Starts a task, unless one is running. */
  readonly run: (task: () => Promise<void>) => void;
  readonly tryAgain: () => void;
  /** Dismisses the error message. */
  readonly dismiss: () => void;
}

/** Runs one task at a time. A failed task can be tried again unchanged. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [errorMessage, setErrorMessage] = useState<string>();
  const running = useRef(false);
  const latest = useRef<() => Promise<void>>(undefined);
  const run = (task: () => Promise<void>) => {
    if (running.current) return;
    running.current = true;
    latest.current = task;
    setBusy(true);
    setErrorMessage(undefined);
    task()
      .catch((error: unknown) => setErrorMessage(messageOf(error)))
      .finally(() => {
        running.current = false;
        setBusy(false);
      });
  };
  return {
    isBusy,
    errorMessage,
    run,
    tryAgain: () => latest.current && run(latest.current),
    dismiss: () => setErrorMessage(undefined),
  };
}
