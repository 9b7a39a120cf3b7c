import { z } from "zod";
import type { DaemonClient } from "./daemon-client.js";

/** Fields of a daemon's model that commands read; unknown values are absent. */
const servedModel = z.object({
  id: z.string(),
  status: z
    .object({
      /** `loaded`, `unloaded`, `loading` or others, which newer daemons may have. */
      value: z.string(),
      /** Loaded part of the model, or downloaded part of its files. */
      progress: z.number().optional().catch(undefined),
      failed: z.boolean().optional(),
    })
    .default({ value: "loaded" }),
  max_model_len: z.number().optional(),
  capabilities: z.array(z.string()).optional(),
  meta: z
    .object({
      size: z.number(),
      n_slots: z.number(),
      /** Engines of the model; absent: one. */
      replicas: z.array(z.object({ status: z.string() })),
    })
    .partial()
    .optional(),
});

export type ServedModelEntry = z.output<typeof servedModel>;

const page = z.object({
  data: z.array(servedModel),
  pagination: z.object({ next_cursor: z.string().nullable() }).optional(),
});

/**
 * Fetches all models of a daemon, sorted by name.
 * @throws {DaemonError}
 */
export async function fetchServedModels(
  daemon: DaemonClient,
): Promise<readonly ServedModelEntry[]> {
  const first = await daemon.get("/v1/models", page);
  const models = [...first.data];
  let cursor = first.pagination?.next_cursor;
  while (cursor) {
    const next = await daemon.get(`/v1/models?cursor=${encodeURIComponent(cursor)}`, page);
    models.push(...next.data);
    cursor = next.pagination?.next_cursor;
  }
  return models;
}

/**
 * Fetches a model by any name that the daemon resolves.
 * @throws {DaemonError} `model_not_found` among others
 */
export async function fetchServedModel(
  daemon: DaemonClient,
  name: string,
): Promise<ServedModelEntry> {
  return daemon.get(`/v1/models/${encodeURIComponent(name)}`, servedModel);
}
