import { useEffect } from "preact/hooks";
import { Notice } from "../parts/notice.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { mayWrite, permits } from "../session.js";
import { LazyDownloadPanel } from "./download-dialog.js";
import { DownloadRow } from "./download-row.js";
import { buildModelGroups } from "./model-groups.js";
import {
  areModelsKnown,
  canDownload,
  downloads,
  followModels,
  modelListError,
  models,
  serverStart,
} from "./model-list.js";
import { ModelRow } from "./model-row.js";

const LIST_HEADING_ID = "models-heading";

/** The server's models and their actions. */
export function ModelsView() {
  useEffect(followModels, []);
  useKeptFocus(
    () => document.getElementById("main"),
    () => document.getElementById(LIST_HEADING_ID),
  );
  const canManage = permits("admin") && mayWrite();
  const listError = modelListError.value;
  return (
    <>
      <h1>Models</h1>
      {listError !== undefined && <Notice message={`${listError} Retrying soon.`} />}
      {serverStart.value !== undefined && <p class="hint">{serverStart.value}</p>}
      {canDownload.value && (
        <section aria-labelledby="pull-heading">
          <h2 id="pull-heading">Download a model</h2>
          <LazyDownloadPanel />
        </section>
      )}
      {downloads.value.length > 0 && (
        <section aria-labelledby="downloads-heading">
          <h2 id="downloads-heading">Downloads</h2>
          <ul class="cards">
            {downloads.value.map((download) => (
              <DownloadRow key={download.name} download={download} canManage={canManage} />
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby={LIST_HEADING_ID}>
        <h2 id={LIST_HEADING_ID} tabIndex={-1}>
          On this server
        </h2>
        {areModelsKnown.value && models.value.length === 0 && (
          <p class="hint">No models on this server.</p>
        )}
        <ul class="cards" aria-busy={!areModelsKnown.value}>
          {buildModelGroups(models.value).map((group) => (
            <ModelRow key={group.model.id} {...group} canManage={canManage} />
          ))}
        </ul>
      </section>
    </>
  );
}
