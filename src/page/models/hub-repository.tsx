import type { HubSearchResult } from "../../api/models/hub-search.js";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { useAction } from "../parts/use-action.js";
import { findDownload } from "./download.js";
import {
  describeFit,
  describeQuantization,
  describeRepository,
  describeShare,
  toStoredName,
} from "./hub-text.js";
import { downloads, models, pullModel } from "./model-list.js";

type Repository = HubSearchResult["data"][number];
type Quantization = NonNullable<Repository["quantizations"]>[number];

interface HubRepositoryViewProps {
  readonly repository: Repository;
  readonly result: HubSearchResult;
  /** Whether the models are shown at first. */
  readonly isOpen: boolean;
}

/** Repository of the hub, with a button to download each of its models. */
export function HubRepositoryView({ repository, result, isOpen }: HubRepositoryViewProps) {
  const { id, quantizations } = repository;
  return (
    <li class="card">
      <details open={isOpen}>
        <summary>
          <span class="model-name">{id}</span>
          <span class="hint">{describeRepository(repository)}</span>
        </summary>
        <p class="hint">
          <a href={`${result.hub}/${id}`} target="_blank" rel="noopener noreferrer">
            Model card
          </a>
        </p>
        {quantizations === null ? (
          <p class="hint">
            The hub did not list the files in time. Download a model by its exact name, such as{" "}
            <code>hf:{id}:Q4_K_M</code>.
          </p>
        ) : (
          <ul class="quantizations" aria-label={`Models of ${id}`}>
            {quantizations.map((one) => (
              <QuantizationRow key={one.model} quantization={one} result={result} />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

interface QuantizationRowProps {
  readonly quantization: Quantization;
  readonly result: HubSearchResult;
}

function QuantizationRow({ quantization, result }: QuantizationRowProps) {
  const action = useAction();
  const { model, fits } = quantization;
  const download = findDownload(downloads.value, model);
  const isStored = models.value.some(({ id }) => id === toStoredName(model));
  return (
    <li>
      <div class="quantization">
        <span>
          {describeQuantization(quantization)}
          <span class={fits ? "hint" : "hint problem"}>{describeFit(quantization, result)}</span>
        </span>
        {download?.state === "running" ? (
          <span class="badge">{describeShare(download)}</span>
        ) : isStored ? (
          <span class="badge loaded">on this server</span>
        ) : (
          <button
            type="button"
            aria-label={`Download ${model}`}
            aria-disabled={action.isBusy}
            onClick={() =>
              action.run(async () => {
                await pullModel(model);
                announce(`Downloading ${model}.`);
              })
            }
          >
            Download
          </button>
        )}
      </div>
      <ActionNotice action={action} />
    </li>
  );
}
