import { z } from "zod";
import type { DaemonClient } from "./daemon-client.js";

/** A model as a daemon lists it: what commands read of it. What is not known is absent. */
const servedModel = z.object({
  id: z.string(),
  status: z
    .object({
      /** `loaded`, `unloaded`, `loading` and others, which newer daemons may have. */
      value: z.string(),
      /** The part that is loaded; of a download, how far its files are. */
      progress: z.number().optional().catch(undefined),
      failed: z.boolean().optional(),
    })
    .default({ value: "loaded" }),
  max_model_len: z.number().optional(),
  capabilities: z.array(z.string()).optional(),
  meta: z.object({ size: z.number(), n_slots: z.number() }).partial().optional(),
});

export type ServedModelEntry = z.output<typeof servedModel>;

const page = z.object({
  data: z.array(servedModel),
  pagination: z.object({ next_cursor: z.string().nullable() }).optional(),
});

/**
 * All models of a daemon, sorted by their names.
 * @throws {DaemonError}
 */
export async function servedModels(daemon: DaemonClient): Promise<readonly ServedModelEntry[]> {
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
 * One of them, by whatever name the daemon finds it by.
 * @throws {DaemonError} `model_not_found` among others
 */
export async function servedModelOf(daemon: DaemonClient, name: string): Promise<ServedModelEntry> {
  return daemon.get(`/v1/models/${encodeURIComponent(name)}`, servedModel);
}
