import { z } from "zod";
import { formatSiUnits } from "../../core/si-units.js";
import { formatUptime } from "../../live-metrics/units.js";
import { DaemonClient, DaemonError } from "../daemon/daemon-client.js";
import type { DaemonChoice } from "../daemon/find-daemon.js";
import { fetchServedModels } from "../daemon/served-models.js";
import { formatJson } from "../json-output.js";
import { formatTextTable } from "../text-table.js";

export interface PsArguments {
  readonly daemon: DaemonChoice;
  readonly output: "text" | "json";
}

/** Model of a daemon; `null`: unknown, for example because it is not loaded. Plain data. */
export interface ModelUse {
  readonly name: string;
  /** `loaded`, `unloaded`, `loading` or others. */
  readonly state: string;
  /** While loading: the loaded part, 0–1. */
  readonly progress: number | null;
  /** Size of its file. */
  readonly sizeBytes: number | null;
  /** Engines of the model; `null` also if it has one. */
  readonly replicas: { readonly total: number; readonly running: number } | null;
  /** Number of concurrent requests. */
  readonly slots: number | null;
  /** Context size per request, in tokens. */
  readonly contextSize: number | null;
  /** Time at which the model is unloaded if it stays idle; `null` also if it stays loaded. */
  readonly expiresAt: string | null;
}

const runningModels = z.object({
  models: z.array(z.object({ name: z.string(), expires_at: z.string() })),
});

/** Models of a daemon. A starting daemon lists none until one of them is ready. */
type Listing =
  | { readonly state: "starting" /** 0–1 */; readonly progress: number }
  | { readonly state: "listed"; readonly uses: readonly ModelUse[] };

/** Models that stay loaded report a time a hundred years or more in the future. */
const MAX_EXPIRY_MS = 10 * 365 * 86_400_000;

/**
 * Reports the state of a daemon's models.
 * @returns the text to print
 * @throws {DaemonError}
 */
export async function runPs({ daemon: choice, output }: PsArguments): Promise<string> {
  const nowMs = Date.now();
  const listing = await fetchListing(new DaemonClient(choice), nowMs);
  switch (listing.state) {
    case "starting":
      return output === "json"
        ? formatJson({ models: [], starting: { progress: listing.progress } })
        : `The daemon is starting: ${Math.floor(listing.progress * 100)} % of its models are loaded.\n`;
    case "listed":
      return output === "json"
        ? formatJson({ models: listing.uses })
        : describeUses(listing.uses, nowMs);
  }
}

async function fetchListing(daemon: DaemonClient, nowMs: number): Promise<Listing> {
  try {
    return { state: "listed", uses: await fetchUses(daemon, nowMs) };
  } catch (error) {
    if (!(error instanceof DaemonError) || error.code !== "model_loading") throw error;
    // A daemon that reports no progress has become ready in the meantime.
    const { progress = 1 } = await daemon.health();
    return { state: "starting", progress };
  }
}

async function fetchUses(daemon: DaemonClient, nowMs: number): Promise<readonly ModelUse[]> {
  const [models, { models: loaded }] = await Promise.all([
    fetchServedModels(daemon),
    daemon.get("/api/ps", runningModels),
  ]);
  const expiries = new Map(loaded.map(({ name, expires_at }) => [name, expires_at]));
  return models.map(({ id, status, max_model_len, meta }): ModelUse => {
    // Names on `/api/ps` always have a tag.
    const expiresAt = expiries.get(id) ?? expiries.get(`${id}:latest`);
    return {
      name: id,
      state: status.value,
      progress: status.progress ?? null,
      sizeBytes: meta?.size ?? null,
      replicas: meta?.replicas === undefined ? null : countReplicas(meta.replicas),
      slots: meta?.n_slots ?? null,
      contextSize: max_model_len ?? null,
      expiresAt: expiresAt !== undefined && isSoon(expiresAt, nowMs) ? expiresAt : null,
    };
  });
}

function countReplicas(replicas: readonly { readonly status: string }[]): ModelUse["replicas"] {
  const running = replicas.filter(({ status }) => status === "running").length;
  return { total: replicas.length, running };
}

/**
 * Formats the models as a table.
 * @param nowMs since the Unix epoch
 */
export function describeUses(uses: readonly ModelUse[], nowMs: number): string {
  if (uses.length === 0) return "The daemon has no models.\n";
  const rows = uses.map((use) => [
    use.name,
    use.progress === null ? use.state : `${use.state} ${Math.floor(use.progress * 100)} %`,
    use.sizeBytes === null ? "" : `${formatSiUnits(use.sizeBytes)}B`,
    formatReplicas(use),
    use.slots === null ? "" : String(use.slots),
    use.contextSize === null ? "" : String(use.contextSize),
    formatExpiry(use, nowMs),
  ]);
  const heading = ["name", "state", "size", "replicas", "slots", "context", "expires"];
  // The column is shown if a model has replicas.
  const hasReplicas = uses.some(({ replicas }) => replicas !== null);
  const lines = [heading, ...rows].map((row) => (hasReplicas ? row : row.toSpliced(3, 1)));
  return `${formatTextTable(lines).join("\n")}\n`;
}

/** `2`, or `1 of 2` while one of them restarts */
function formatReplicas({ replicas }: ModelUse): string {
  if (replicas === null) return "";
  const { running, total } = replicas;
  return running === total ? String(total) : `${running} of ${total}`;
}

function formatExpiry({ state, expiresAt }: ModelUse, nowMs: number): string {
  if (expiresAt !== null) return `in ${formatUptime((Date.parse(expiresAt) - nowMs) / 1000)}`;
  return state === "loaded" ? "never" : "";
}

function isSoon(time: string, nowMs: number): boolean {
  return Date.parse(time) - nowMs < MAX_EXPIRY_MS;
}
