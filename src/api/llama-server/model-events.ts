import { z } from "zod";
import type { ModelState } from "../../core/model-directory.js";
import type { LibraryEvent } from "../../core/model-library.js";
import { describeFailure } from "../models/load-failure.js";
import {
  buildProperties,
  downloadProgress,
  loadedProperties,
  STATUS,
  toDownloadProgress,
} from "../models/models.js";

/** llama-server reports progress per stage of loading; ggufd loads a model in one stage. */
const STAGE = "text_model";

const name = z.string().meta({ description: "Name of the model or download." });

const statusEvent = z.object({
  model: name,
  event: z.enum(["model_status", "status_change"]).meta({
    description: "`model_status`: the model has started to load or download.",
  }),
  data: z.object({
    status: z.enum([...Object.values(STATUS), "downloading"]),
    progress: z
      .object({
        stages: z.tuple([z.literal(STAGE)]),
        current: z.literal(STAGE),
        value: z.number().min(0).max(1),
      })
      .optional()
      .meta({ description: "Load progress. Present while the model loads." }),
    info: loadedProperties.optional().meta({
      description: "The model's entry in the list of models. Present once it is loaded.",
    }),
    exit_code: z.int().optional().meta({
      description:
        "Present once the model is unloaded. Not 0: loading was interrupted, or has failed.",
    }),
    reason: z.string().optional().meta({ description: "Why loading has failed." }),
  }),
});

const progressEvent = z.object({
  model: name,
  event: z.literal("download_progress"),
  data: z.object({ progress: downloadProgress }),
});

const plainEvent = z.object({
  model: name,
  event: z.enum(["download_finished", "model_remove"]),
});

const failureEvent = z.object({
  model: name,
  event: z.literal("download_failed"),
  data: z.object({ error: z.string().meta({ description: "Reason for the failure." }) }),
});

const listEvent = z.object({
  model: z.literal("*"),
  event: z.literal("models_reload").meta({ description: "The list of models changed." }),
});

/** Event about the models in llama-server's format. */
export const modelEvent = z
  .union([statusEvent, progressEvent, plainEvent, failureEvent, listEvent])
  .meta({ id: "ModelEvent" });

export type ModelEvent = z.infer<typeof modelEvent>;

/** Translates the events of the model library to llama-server's. */
export async function* toModelEvents(
  events: AsyncIterable<LibraryEvent>,
): AsyncGenerator<ModelEvent, void> {
  /** Known states of all models that are not absent. */
  const states = new Map<string, ModelState["state"]>();
  const pullNames = new Set<string>();
  for await (const event of events) {
    switch (event.type) {
      case "state": {
        const { model, state, loaded, failure } = event;
        const before = states.get(model);
        if (state.state === "absent") states.delete(model);
        else states.set(model, state.state);
        if (before !== state.state || state.state === "loading") {
          yield toStatusEvent({ model, state, loaded, failure, before });
        }
        break;
      }
      case "pulling": {
        const { pull } = event;
        if (!pullNames.has(pull.name)) {
          pullNames.add(pull.name);
          yield { model: pull.name, event: "model_status", data: { status: "downloading" } };
        }
        const progress = toDownloadProgress(pull);
        yield { model: pull.name, event: "download_progress", data: { progress } };
        break;
      }
      case "pulled":
        pullNames.delete(event.name);
        yield { model: event.name, event: "download_finished" };
        break;
      case "pull-failed":
        pullNames.delete(event.name);
        yield { model: event.name, event: "download_failed", data: { error: event.reason } };
        break;
      case "removed":
        states.delete(event.model);
        yield { model: event.model, event: "model_remove" };
        break;
      case "listed-anew":
        yield { model: "*", event: "models_reload" };
        break;
    }
  }
}

interface ChangedState extends Omit<Extract<LibraryEvent, { readonly type: "state" }>, "type"> {
  /** `undefined`: absent or unknown. */
  readonly before: ModelState["state"] | undefined;
}

function toStatusEvent({ model, state, loaded, failure, before }: ChangedState): ModelEvent {
  const status = STATUS[state.state];
  switch (state.state) {
    case "loading": {
      const event = before === "loading" ? "status_change" : "model_status";
      const { progress: value } = state;
      return {
        model,
        event,
        data: { status, progress: { stages: [STAGE], current: STAGE, value } },
      };
    }
    case "absent": {
      const exitCode = before === "loading" || failure !== undefined ? 1 : 0;
      // Only operators may follow the events.
      const reason = failure && describeFailure(failure, "full");
      const data = { status, exit_code: exitCode, ...(reason && { reason }) };
      return { model, event: "status_change", data };
    }
    case "ready": {
      // After a crash, the model is the same in a new process, so its properties are not repeated.
      const info = before === "lost" || loaded === undefined ? undefined : buildProperties(loaded);
      return { model, event: "status_change", data: { status, ...(info && { info }) } };
    }
    case "lost":
    case "unloading":
      return { model, event: "status_change", data: { status } };
  }
}
