import { useEffect, useRef } from "preact/hooks";
import { filesOf } from "./attachment.js";

/** Receives files dropped anywhere on the page; by default, the browser would open them instead. */
export function useDroppedFiles(onDrop: (files: readonly File[]) => void): void {
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const accept = (event: DragEvent) => {
      // Dropped text goes to the field below the pointer.
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    addEventListener("dragover", accept, { signal });
    addEventListener(
      "drop",
      (event) => {
        accept(event);
        latest.current(filesOf(event.dataTransfer));
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
}
