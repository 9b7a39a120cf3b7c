import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { Notice } from "../parts/notice.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { useAction } from "../parts/use-action.js";
import { computeShare, type Download, type RunningDownload } from "./download.js";
import { cancelDownload, dismissDownload, pullModel } from "./model-list.js";
import { describeDownload } from "./model-text.js";

interface DownloadRowProps {
  readonly download: Download;
  /** Whether the user may cancel the download. */
  readonly canManage: boolean;
}

/** A download that is in progress or has failed. */
export function DownloadRow({ download, canManage }: DownloadRowProps) {
  return (
    <li class="card">
      <h3>{download.name}</h3>
      {download.state === "running" ? (
        <RunningDownloadView download={download} canManage={canManage} />
      ) : (
        <FailedDownloadView name={download.name} reason={download.reason} canManage={canManage} />
      )}
    </li>
  );
}

function RunningDownloadView({
  download,
  canManage,
}: {
  download: RunningDownload;
  canManage: boolean;
}) {
  const action = useAction();
  const { name } = download;
  return (
    <>
      <ProgressBar label={`Download of ${name}`} value={computeShare(download)} />
      <p class="amounts">{describeDownload(download)}</p>
      {canManage && !download.isCancelled && (
        <div class="actions">
          <button
            type="button"
            aria-label={`Cancel download of ${name}`}
            aria-disabled={action.isBusy}
            onClick={() =>
              action.run(async () => {
                await cancelDownload(name);
                announce(`Download of ${name} cancelled. The downloaded part is kept.`);
              })
            }
          >
            Cancel
          </button>
        </div>
      )}
      <ActionNotice action={action} />
    </>
  );
}

interface FailedProps {
  readonly name: string;
  readonly reason: string;
  readonly canManage: boolean;
}

function FailedDownloadView({ name, reason, canManage }: FailedProps) {
  const action = useAction();
  return (
    <>
      <Notice message={reason}>
        {canManage && (
          <button type="button" onClick={() => action.run(() => pullModel(name))}>
            Try again
          </button>
        )}
        <button type="button" onClick={() => dismissDownload(name)}>
          Dismiss
        </button>
      </Notice>
      <ActionNotice action={action} />
    </>
  );
}
