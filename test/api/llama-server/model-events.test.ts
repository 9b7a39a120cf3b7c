import { describe, expect, test } from "vitest";
import {
  type ModelEvent,
  modelEvent,
  toModelEvents,
} from "../../../src/api/llama-server/model-events.js";
import { buildProperties } from "../../../src/api/models/models.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { ModelState, ServedModel } from "../../../src/core/model-directory.js";
import type { LibraryEvent } from "../../../src/core/model-library.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { servedModel } from "../../support/served-model.js";

async function printed(...events: readonly LibraryEvent[]): Promise<readonly ModelEvent[]> {
  async function* told() {
    yield* events;
  }
  const all: ModelEvent[] = [];
  for await (const event of toModelEvents(told())) {
    expect(modelEvent.parse(event)).toEqual(event);
    all.push(event);
  }
  return all;
}

const state = (value: ModelState, loaded?: ServedModel): LibraryEvent => ({
  ...{ type: "state", model: "a", state: value, loaded },
});
const loading = (progress: number) => state({ state: "loading", progress });
const absent = state({ state: "absent" });
const ready = state({ state: "ready" });

const progressOf = (value: number) => ({
  status: "loading",
  progress: { stages: ["text_model"], current: "text_model", value },
});
const changed = (data: object) => ({ model: "a", event: "status_change", data });

describe("model status events in llama-server's format", () => {
  test("follow a model from loading to unloaded, including a restart", async () => {
    expect(
      await printed(
        loading(0),
        loading(0.5),
        ready,
        ready,
        state({ state: "lost" }),
        ready,
        state({ state: "unloading" }),
        absent,
      ),
    ).toEqual([
      { model: "a", event: "model_status", data: progressOf(0) },
      changed(progressOf(0.5)),
      changed({ status: "loaded" }),
      changed({ status: "restarting" }),
      changed({ status: "loaded" }),
      changed({ status: "unloading" }),
      changed({ status: "unloaded", exit_code: 0 }),
    ]);
  });

  test("include the model's properties when it is first loaded, but not after a restart", async () => {
    const served = servedModel("a");
    const loaded = state({ state: "ready" }, served);
    const events = await printed(loading(0), loaded, state({ state: "lost" }, served), loaded);
    expect(events.slice(1)).toEqual([
      changed({ status: "loaded", info: buildProperties(served) }),
      changed({ status: "restarting" }),
      changed({ status: "loaded" }),
    ]);
  });

  test("report a failed load with an exit code", async () => {
    const [, failed, again] = await printed(loading(0), absent, loading(0));
    expect(failed).toEqual(changed({ status: "unloaded", exit_code: 1 }));
    expect(again).toMatchObject({ event: "model_status" });
  });

  test("report why a model cannot be loaded, also before its loading begins", async () => {
    const failure = new GgufdError("model_unavailable", "See the log.", {
      cause: new StartupError("model /srv/a.gguf: truncated"),
    });
    const failed = { ...absent, failure };
    const data = { status: "unloaded", exit_code: 1, reason: "model /srv/a.gguf: truncated" };
    expect(await printed(failed)).toEqual([changed(data)]);
    expect((await printed(loading(0), failed))[1]).toEqual(changed(data));
  });

  test("report the removal of a model", async () => {
    const events = await printed(ready, { type: "removed", model: "a" }, ready);
    expect(events.map(({ event }) => event)).toEqual([
      "status_change",
      "model_remove",
      "status_change",
    ]);
  });
});

describe("download events in llama-server's format", () => {
  const pulling = (completedBytes: number, totalBytes?: number): LibraryEvent => ({
    type: "pulling",
    pull: { name: "hf:a/b", files: [{ path: "hf/a/b.gguf", completedBytes, totalBytes }] },
  });
  const progress = (done: number, total: number) => ({
    ...{ model: "hf:a/b", event: "download_progress" },
    data: { progress: { "hf/a/b.gguf": { done, total } } },
  });
  const begun = { model: "hf:a/b", event: "model_status", data: { status: "downloading" } };

  test("report progress and completion", async () => {
    const pulled: LibraryEvent = { type: "pulled", name: "hf:a/b" };
    expect(
      await printed(pulling(0), pulling(5, 10), pulled, { type: "listed-anew" }, pulling(0)),
    ).toEqual([
      begun,
      progress(0, 0),
      progress(5, 10),
      { model: "hf:a/b", event: "download_finished" },
      { model: "*", event: "models_reload" },
      begun,
      progress(0, 0),
    ]);
  });

  test("report a failure with its reason", async () => {
    const reason = "The hub does not answer.";
    expect(
      await printed(pulling(0), { type: "pull-failed", name: "hf:a/b", reason }, pulling(1)),
    ).toEqual([
      begun,
      progress(0, 0),
      { model: "hf:a/b", event: "download_failed", data: { error: reason } },
      begun,
      progress(1, 0),
    ]);
  });
});
