import { useRef, useState } from "preact/hooks";
import { messageOf } from "../api/api-error.js";

/** Something that the user has begun, and that may fail. */
export interface Action {
  readonly isBusy: boolean;
  /** Why it has failed, in the server's words. */
  readonly trouble: string | undefined;
  /** Begins it, unless it goes on already. */
  readonly run: (task: () => Promise<void>) => void;
  readonly tryAgain: () => void;
  /** Says no more of its failure. */
  readonly dismiss: () => void;
}

/** One thing that is done at a time. What has failed can be tried again as it was. */
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
