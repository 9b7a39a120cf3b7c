import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "./announcer.js";
import { IconButton } from "./icon.js";

interface CopyButtonProps {
  readonly text: string;
  /** Name of the copied content. */
  readonly label: string;
}

/** Time for which the button shows the result. */
const SHOWN_MS = 2000;

/** Button that copies a text to the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const outcomeText = await copyText(text);
    setOutcome(outcomeText);
    announce(outcomeText);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome(undefined), SHOWN_MS);
  };
  return (
    <span class="copy-button">
      {outcome !== undefined && <span aria-hidden="true">{outcome}</span>}
      <IconButton icon="copy" label={label} onClick={() => void copy()} />
    </span>
  );
}

/** @returns the result, to be shown */
async function copyText(text: string): Promise<string> {
  // Browsers provide a clipboard only on localhost and over TLS.
  if (navigator.clipboard === undefined) return "This browser allows copying only over HTTPS.";
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "The browser blocked access to the clipboard.";
  }
}
