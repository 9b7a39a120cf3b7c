import { z } from "zod";
import type { ServedModel } from "../../core/model-directory.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** Replicas of a model that has several. */
export const replicas = z
  .array(
    z.object({
      index: count("Number of the replica, from 0."),
      status: z.enum(["running", "restarting"]),
      device: z.string().meta({ description: "Compute device, for display." }),
      devices: z.array(z.string()).optional().meta({
        description: "Devices of the replica, by llama.cpp's names. Absent: those of the model.",
      }),
      cores: z.array(z.int().nonnegative()).optional().meta({
        description: "Cores that the replica is bound to. Absent: all.",
      }),
      n_slots: count("Maximum number of concurrent requests."),
      n_requests: count("Requests that run or wait in the replica."),
    }),
  )
  .meta({ id: "Replicas" });

/** Builds the `replicas` of a model; without the member if the model has one engine. */
export function buildReplicas(served: ServedModel): { replicas?: z.infer<typeof replicas> } {
  const states = served.kind === "generation" ? served.replicas : undefined;
  if (states === undefined) return {};
  return {
    replicas: states.map(({ index, state, device, placement, slots, generations }) => ({
      index,
      status: state,
      device,
      ...(placement.devices !== undefined && { devices: [...placement.devices] }),
      ...(placement.cores !== undefined && { cores: [...placement.cores] }),
      n_slots: slots,
      n_requests: generations,
    })),
  };
}
