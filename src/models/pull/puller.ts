import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { HubQuery } from "../../core/hub-search.js";
import type { PullEvent, Retry } from "../../core/pull-event.js";
import { sumBy } from "../../core/sum-by.js";
import { ModelError } from "../model-error.js";
import { filesIn } from "../store/manifest.js";
import type { ModelStore } from "../store/model-store.js";
import { PARTIAL, readManifests } from "../store/own-models.js";
import type { StoredModel } from "../store/stored-model.js";
import { statFile } from "../store/walk-folder.js";
import { expectFreeSpace, type FreeBytes, readFreeBytes } from "./disk-space.js";
import type { DownloadTarget } from "./download-file.js";
import { findStoredModel } from "./find-stored-model.js";
import { searchHub } from "./hub-search.js";
import { planHuggingFace } from "./hugging-face.js";
import { hubHostsOf } from "./hugging-face-access.js";
import { planOllama } from "./ollama-registry.js";
import type { PlannedFile, PullPlan } from "./pull-plan.js";
import { type PullSource, parsePullName, toCanonicalName } from "./pull-source.js";
import { defaultRetryPolicy, type RetryPolicy, withRetries } from "./retries.js";
import { findMatchingFile, SharedDownloads } from "./shared-downloads.js";
import { SourceClient } from "./source-client.js";
import { toStorageError } from "./storage-failure.js";
import { planUrl } from "./url-source.js";
import { type RecordedFile, writeModelManifest } from "./write-model-manifest.js";

export interface PullerOptions {
  readonly store: ModelStore;
  /** Environment with `HF_TOKEN`, `HF_ENDPOINT` and the proxy variables. */
  readonly environment: NodeJS.ProcessEnv;
  readonly policy?: RetryPolicy;
  readonly freeBytes?: FreeBytes;
}

export interface PullOptions {
  readonly signal: AbortSignal;
  readonly onEvent: (event: PullEvent) => void;
  /** `never`: a model that is not on this machine is an error. */
  readonly network: "allowed" | "never";
  /** `check`: ask the source for a newer version. */
  readonly ifStored: "keep" | "check";
}

/** Result of a pull. */
export interface PullResult {
  /** `kept`: the model was already stored, and no source was contacted. */
  readonly outcome: "pulled" | "kept";
  readonly model: StoredModel;
}

/**
 * Pulls models into ggufd's folder. Use one object per process, as pulls of the same file share its
 * download.
 */
export class Puller {
  readonly #store: ModelStore;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #policy: RetryPolicy;
  readonly #freeBytes: FreeBytes;
  readonly #client: SourceClient;
  readonly #downloads: SharedDownloads;

  constructor({
    store,
    environment,
    policy = defaultRetryPolicy,
    freeBytes = readFreeBytes,
  }: PullerOptions) {
    this.#store = store;
    this.#environment = environment;
    this.#policy = policy;
    this.#freeBytes = freeBytes;
    this.#client = new SourceClient(environment, policy);
    this.#downloads = new SharedDownloads({ client: this.#client, policy, freeBytes });
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  /**
   * Pulls a model, unless it is complete on this machine; no source is contacted then. On failure,
   * downloaded data is kept, and the next pull resumes from it.
   * @param name `hf:user/repo[:QUANT]`, `ollama:name[:tag]` or a URL, see {@link parsePullName}
   * @throws {ModelError}
   * @throws the signal's reason
   */
  async pull(name: string, options: PullOptions): Promise<PullResult> {
    const source = parsePullName(name, hubHostsOf(this.#environment));
    const { signal, ifStored, network } = options;
    signal.throwIfAborted();
    const stored = findStoredModel((await this.#store.list()).models, source);
    if (stored !== undefined && (ifStored === "keep" || network === "never")) {
      return { outcome: "kept", model: stored };
    }
    if (network === "never") {
      const missingName = toCanonicalName(source);
      throw new ModelError(
        "offline",
        `${missingName}: not found on this machine, and --offline disables downloads`,
      );
    }
    try {
      return { outcome: "pulled", model: await this.#fetch(name, source, options) };
    } catch (error) {
      throw toStorageError(this.#store.places.own, error);
    }
  }

  /**
   * Searches the hub for models that can be pulled.
   * @throws {ModelError}
   * @throws the signal's reason
   */
  search(query: HubQuery, signal: AbortSignal): ReturnType<typeof searchHub> {
    return searchHub(query, this.#environment, { client: this.#client, signal });
  }

  async #fetch(name: string, source: PullSource, options: PullOptions): Promise<StoredModel> {
    const { signal, onEvent } = options;
    onEvent({ type: "resolving", name });
    const plan = await this.#plan(source, options);
    const files = plan.files.map(({ path, role, sizeBytes, sha256 }) => ({
      path,
      role,
      sizeBytes,
      sha256,
    }));
    onEvent({ type: "resolved", name: plan.name, files });
    const recordedFiles = new Map(await this.#findPresentFiles(plan, options));
    for (const path of recordedFiles.keys()) onEvent({ type: "present", path });
    const missingFiles = plan.files
      .filter(({ path }) => !recordedFiles.has(path))
      .map((file) => this.#toDownloadTarget(file));
    await this.#expectRoomFor(missingFiles);
    for (const file of missingFiles) {
      const { sizeBytes, sha256, verifiedBy } = await this.#downloads.get(file, {
        signal,
        onEvent,
      });
      recordedFiles.set(file.path, verifiedBy === "sha256" ? { sizeBytes, sha256 } : { sizeBytes });
    }
    const completedPlan = { plan, recordedFiles, source: toCanonicalName(source) };
    return writeModelManifest(this.#store.places.own, completedPlan, signal);
  }

  async #plan(source: PullSource, { signal, onEvent }: PullOptions): Promise<PullPlan> {
    if (source.kind === "url") return planUrl(source);
    const inquiry = { client: this.#client, signal };
    const ask = () =>
      source.kind === "ollama"
        ? planOllama(source, inquiry)
        : planHuggingFace(source, this.#environment, inquiry);
    const onRetry = (retry: Retry) => onEvent({ type: "retrying", path: undefined, ...retry });
    const subject = toCanonicalName(source);
    return withRetries({ policy: this.#policy, signal, subject, onRetry }, ask);
  }

  /** Returns the files already in place that match the source's current version, by path. */
  async #findPresentFiles(
    { files }: PullPlan,
    { signal, ifStored }: PullOptions,
  ): Promise<readonly (readonly [string, RecordedFile])[]> {
    const { manifests } = await readManifests(this.#store.places.own);
    const knownFiles = new Map(
      manifests.flatMap(({ manifest }) => filesIn(manifest).map((file) => [file.path, file])),
    );
    const lookups = files.map(async (planned) => {
      const { path, sha256 } = planned;
      const target = this.#toDownloadTarget(planned);
      const file = await statFile(target.finalPath);
      if (file === undefined || file.sizeBytes !== (target.sizeBytes ?? file.sizeBytes)) return [];
      // Without a digest, a newer version at the source cannot be detected.
      if (sha256 === undefined && ifStored === "check") return [];
      const isKnown = sha256 === undefined || knownFiles.get(path)?.sha256 === sha256;
      if (!isKnown && (await findMatchingFile(target, signal)) === undefined) return [];
      const { sizeBytes } = file;
      return [[path, sha256 === undefined ? { sizeBytes } : { sizeBytes, sha256 }] as const];
    });
    return (await Promise.all(lookups)).flat();
  }

  async #expectRoomFor(files: readonly DownloadTarget[]): Promise<void> {
    const { own } = this.#store.places;
    await mkdir(own, { recursive: true });
    const partials = await Promise.all(
      files.map(({ finalPath }) => statFile(`${finalPath}${PARTIAL}`)),
    );
    const neededBytes = files.map(({ sizeBytes = 0 }, index) =>
      Math.max(0, sizeBytes - (partials[index]?.sizeBytes ?? 0)),
    );
    await expectFreeSpace(
      own,
      sumBy(neededBytes, (bytes) => bytes),
      this.#freeBytes,
    );
  }

  #toDownloadTarget(file: PlannedFile): DownloadTarget {
    return { ...file, finalPath: join(this.#store.places.own, ...file.path.split("/")) };
  }
}
