import { useEffect, useState } from "preact/hooks";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { handleShortcuts } from "./handle-shortcuts.js";
import { createShortcuts } from "./shortcuts.js";

const ShortcutsDialog = lazy(async () => (await import("./shortcuts-dialog.js")).ShortcutsDialog);

/** Handles the keyboard shortcuts, and shows their list. */
export function ShortcutsButton() {
  const [isOpen, setOpen] = useState(false);
  const [shortcuts] = useState(() => createShortcuts(() => setOpen(true)));
  useEffect(() => handleShortcuts(shortcuts), []);
  return (
    <>
      <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={() => setOpen(true)} />
      <ErrorBoundary name="The list of shortcuts">
        {isOpen && <ShortcutsDialog shortcuts={shortcuts} onClose={() => setOpen(false)} />}
      </ErrorBoundary>
    </>
  );
}
