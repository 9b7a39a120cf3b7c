import type { HubSearchResult } from "../../api/models/hub-search.js";
import { formatBytes, formatPercentage } from "../../live-metrics/units.js";
import { computeShare, type RunningDownload } from "./download.js";
import { formatShortCount } from "./model-text.js";

type Repository = HubSearchResult["data"][number];
type Quantization = NonNullable<Repository["quantizations"]>[number];

/** `8.0 billion parameters, 120 thousand downloads, license: mit, gated` */
export function describeRepository(repository: Repository): string {
  const { n_params: parameters, downloads, license, is_gated: isGated, task } = repository;
  return [
    ...(parameters === null ? [] : [`${formatShortCount(parameters)} parameters`]),
    `${formatShortCount(downloads)} downloads`,
    ...(task === null ? [] : [task.replaceAll("-", " ")]),
    ...(license === null ? [] : [`license: ${license}`]),
    ...(isGated ? ["gated: the server needs a token with access"] : []),
  ].join(", ");
}

/** `Q4_K_M, 4.7 GB, accepts images or audio` */
export function describeQuantization({ quantization, size, has_projector }: Quantization): string {
  return [
    quantization,
    formatBytes(size),
    ...(has_projector ? ["accepts images or audio"] : []),
  ].join(", ");
}

/** Says whether a model fits this server, as the estimate that it is. */
export function describeFit(
  { estimated_memory: memory, fits }: Quantization,
  { memory_budget: budget }: Pick<HubSearchResult, "memory_budget">,
): string {
  const needed = `about ${formatBytes(memory)} of memory`;
  return fits
    ? `fits: ${needed}`
    : `probably too large: ${needed}, this server has ${formatBytes(budget)}`;
}

/** Name of a downloaded model in the server's list. */
export function toStoredName(pullName: string): string {
  return pullName.replace(/^hf:/, "");
}

/** `downloading, 25 %` */
export function describeShare(download: RunningDownload): string {
  const share = computeShare(download);
  return share === undefined ? "downloading" : `downloading, ${formatPercentage(share)}`;
}
