import { useRef, useState } from "preact/hooks";
import { messageOf } from "../api/api-error.js";

/** An action of the user that may fail. */
export interface Action {
  readonly isBusy: boolean;
  /** Error message of the last failure. */
  readonly trouble: string | undefined;
  /** Starts a task, unless one is running. */
  readonly run: (task: () => Promise<void>) => void;
  readonly tryAgain: () => void;
  /** Dismisses the error message. */
  readonly dismiss: () => void;
}

/** Runs one task at a time. A failed task can be tried again unchanged. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const running = useRef(false);
  const latest = useRef<() => Promise<void>>(undefined);
  const run = (task: () => Promise<void>) => {
    if (running.current) return;
    running.current = true;
    latest.current = task;
    setBusy(true);
    setTrouble(undefined);
    task()
      .catch((error: unknown) => setTrouble(messageOf(error)))
      .finally(() => {
        running.current = false;
        setBusy(false);
      });
  };
  return {
    isBusy,
    trouble,
    run,
    tryAgain: () => latest.current && run(latest.current),
    dismiss: () => setTrouble(undefined),
  };
}
