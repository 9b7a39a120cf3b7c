import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { DownloadRow } from "./download-row.js";
import { downloads } from "./model-list.js";

/** The download panel, whose code is loaded on demand. */
export const LazyDownloadPanel = lazy(
  async () => (await import("./download-panel.js")).DownloadPanel,
  <div aria-busy="true" />,
);

interface DownloadDialogProps {
  /** Text to search for at once; empty: none. */
  readonly text: string;
  readonly onClose: () => void;
}

/** Dialog that downloads models, with the progress of all downloads. */
export function DownloadDialog({ text, onClose }: DownloadDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="download-dialog" aria-labelledby={headingId} onClose={onClose}>
      <div class="drawer-bar">
        <h2 id={headingId}>Download a model</h2>
        <IconButton icon="close" label="Close" onClick={() => dialog.current?.close()} />
      </div>
      {downloads.value.length > 0 && (
        <ul class="cards" aria-label="Downloads">
          {downloads.value.map((download) => (
            <DownloadRow key={download.name} download={download} canManage={true} />
          ))}
        </ul>
      )}
      <LazyDownloadPanel initialText={text} />
    </dialog>
  );
}
