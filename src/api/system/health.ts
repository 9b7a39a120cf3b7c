import assert from "node:assert/strict";
import { z } from "zod";
import type {
  ModelDirectory,
  ModelState,
  Readiness,
  RestartObstacle,
} from "../../core/model-directory.js";

/** Path prefix of the health checks. */
export const HEALTH_PATH = "/health";

const status = z.enum(["ok", "loading model", "restarting model", "shutting down"]).meta({
  description: "`ok`: ready for traffic. Uses llama-server's values where it defines them.",
});

const modelStatus = z
  .enum(["ok", "not loaded", "loading model", "restarting model", "unloading model"])
  .meta({ description: "`not loaded`: the model loads when a request names it." });

const progress = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .meta({ description: "Loaded fraction of the model, from 0 to 1." });

const reason = z
  .string()
  .optional()
  .meta({ description: "Why the model has not been restarted yet: a worker cannot be used." });

/** Body of a readiness check. */
export const healthBody = z
  .object({
    status,
    progress,
    reason,
    models: z
      .array(
        z
          .object({ model: z.string(), status: modelStatus, progress, reason })
          .meta({ id: "ModelHealth" }),
      )
      .optional()
      .meta({ description: "State of each model, if there are several." }),
  })
  .meta({ id: "Health" });

/** Response to a readiness check. */
export interface Health {
  readonly statusCode: 200 | 503;
  readonly body: Readonly<z.infer<typeof healthBody>>;
}

/** Converts readiness to a response. The server is ready when all of its models are. */
export function toHealth({
  readiness,
  models,
}: Pick<ModelDirectory, "readiness" | "models">): Health {
  const modelStatuses = models.map(({ alias, state }) => ({
    model: alias,
    ...toModelStatus(state),
  }));
  return {
    statusCode: readiness.state === "ready" ? 200 : 503,
    body: { ...statusOf(readiness), ...(models.length > 1 && { models: modelStatuses }) },
  };
}

type ModelHealth = NonNullable<Health["body"]["models"]>[number];

function toModelStatus(state: ModelState): Omit<ModelHealth, "model"> {
  switch (state.state) {
    case "absent":
      return { status: "not loaded" };
    case "unloading":
      return { status: "unloading model" };
    case "lost":
      return { status: "restarting model", ...reasonOf(state) };
    case "loading":
      return { status: "loading model", progress: state.progress };
    case "ready":
      return { status: "ok" };
  }
}

/** Values are llama-server's where it defines them. */
function statusOf(readiness: Readiness): Omit<Health["body"], "models"> {
  switch (readiness.state) {
    case "ready":
      return { status: "ok" };
    case "loading":
      assert(readiness.progress >= 0 && readiness.progress <= 1);
      return { status: "loading model", progress: readiness.progress };
    case "restarting":
      return { status: "restarting model", ...reasonOf(readiness) };
    case "draining":
      return { status: "shutting down" };
  }
}

function reasonOf({ worker }: RestartObstacle): Pick<ModelHealth, "reason"> {
  return worker === undefined ? {} : { reason: `the worker ${worker} cannot be used` };
}
