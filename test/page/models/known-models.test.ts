import { describe, expect, it, test } from "vitest";
import type { ModelEvent } from "../../../src/api/llama-server/model-events.js";
import type { ListedModel } from "../../../src/api/models/models.js";
import {
  fromList,
  NOTHING_KNOWN,
  withCancellation,
  withEvent,
  withoutDownload,
} from "../../../src/page/models/known-models.js";

const listed = (id: string, more: Partial<ListedModel> = {}): ListedModel => ({
  id,
  object: "model",
  created: 1,
  owned_by: "ggufd",
  aliases: [],
  root: id,
  status: { value: "unloaded" },
  architecture: { input_modalities: ["text"], output_modalities: ["text"] },
  source: "cache",
  can_remove: true,
  ...more,
});
const known = fromList([listed("a"), listed("b")], NOTHING_KNOWN, 0);
const status = (
  model: string,
  data: Extract<ModelEvent, { event: "status_change" | "model_status" }>["data"],
): ModelEvent => ({ model, event: "status_change", data });

function following(...events: readonly ModelEvent[]) {
  return events.reduce(({ known: before }, event) => withEvent(before, event, 0), {
    known,
    isStale: false,
  });
}

const statusOf = (name: string, { known: { models } }: ReturnType<typeof following>) =>
  models.find(({ id }) => id === name)?.status;

describe("the state of a model", () => {
  it("is updated by events", () => {
    const stages: ["text_model"] = ["text_model"];
    const progress = { stages, current: "text_model", value: 0.4 } as const;
    const loading = following(status("a", { status: "loading", progress }));
    expect(statusOf("a", loading)).toEqual({ value: "loading", progress: 0.4 });
    expect(statusOf("b", loading)).toEqual({ value: "unloaded" });
    expect(loading.isStale).toBe(false);
  });

  it("is a failure if loading fails", () => {
    const failed = following(status("a", { status: "unloaded", exit_code: 1 }));
    expect(statusOf("a", failed)).toEqual({ value: "unloaded", failed: true, exit_code: 1 });
    const reason = "It is too large.";
    const explained = following(status("a", { status: "unloaded", exit_code: 1, reason }));
    expect(statusOf("a", explained)).toMatchObject({ failed: true, reason });
    expect(statusOf("a", following(status("a", { status: "unloaded", exit_code: 0 })))).toEqual({
      value: "unloaded",
    });
  });

  it("includes model details while it is loaded", () => {
    const info = {
      max_model_len: 2048,
      capabilities: ["completion" as const],
      meta: {
        name: "a",
        architecture: "llama",
        n_ctx: 2048,
        n_ctx_train: 2048,
        n_params: 6e6,
        n_vocab: 1000,
        size: 7e6,
        n_slots: 4,
      },
    };
    const loaded = following(status("a", { status: "loaded", info }));
    expect(loaded.known.models[0]).toMatchObject({ ...info, status: { value: "loaded" } });
    expect(loaded.isStale).toBe(true);
    const unloaded = withEvent(loaded.known, status("a", { status: "unloaded", exit_code: 0 }), 0);
    expect(unloaded.known.models[0]).toEqual(listed("a"));
  });

  it("also applies to its adapters", () => {
    const withAdapter = fromList([listed("a"), listed("x", { parent: "a" })], NOTHING_KNOWN, 0);
    const { known: next } = withEvent(withAdapter, status("a", { status: "unloading" }), 0);
    expect(next.models.map((model) => model.status.value)).toEqual(["unloading", "unloading"]);
  });

  test.each([
    status("new", { status: "loaded" }),
    { model: "*", event: "models_reload" } as const,
    { model: "c", event: "download_finished" } as const,
  ])("is fetched again after the event %o", (event) => {
    expect(following(event).isStale).toBe(true);
  });

  it("is removed with the model", () => {
    expect(following({ model: "a", event: "model_remove" }).known.models).toEqual([listed("b")]);
  });
});

describe("a download", () => {
  const progress = (done: number): ModelEvent => ({
    model: "c",
    event: "download_progress",
    data: { progress: { "c.gguf": { done, total: 100 } } },
  });
  const failed: ModelEvent = {
    model: "c",
    event: "download_failed",
    data: { error: "no such repository" },
  };

  it("is not listed as an available model", () => {
    const files = { "c.gguf": { done: 10, total: 100 } };
    const one = listed("c", { status: { value: "downloading", progress: files } });
    const next = fromList([listed("a"), one], NOTHING_KNOWN, 0);
    expect(next.models.map(({ id }) => id)).toEqual(["a"]);
    expect(next.downloads).toMatchObject([{ name: "c", doneBytes: 10, totalBytes: 100 }]);
  });

  it("is updated by events, and removed when it has finished", () => {
    const going = following(progress(10), progress(20));
    expect(going.known.downloads).toMatchObject([{ name: "c", state: "running", doneBytes: 20 }]);
    const ended = withEvent(going.known, { model: "c", event: "download_finished" }, 0);
    expect(ended.known.downloads).toEqual([]);
  });

  it("that failed is shown until it is dismissed or retried", () => {
    const { known: next } = following(progress(10), failed);
    const failure = { name: "c", state: "failed", reason: "no such repository" };
    expect(next.downloads).toEqual([failure]);
    expect(fromList([listed("a")], next, 0).downloads).toEqual([failure]);
    expect(withoutDownload(next, "c").downloads).toEqual([]);
    expect(withEvent(next, progress(1), 0).known.downloads).toMatchObject([{ state: "running" }]);
    const again = listed("c", { status: { value: "downloading", progress: {} } });
    expect(fromList([again], next, 0).downloads).toMatchObject([{ state: "running" }]);
  });

  it("that was cancelled by the user does not fail", () => {
    const ending = withCancellation(following(progress(10)).known, "c", true);
    expect(withEvent(ending, failed, 0).known.downloads).toEqual([]);
    expect(withEvent(withCancellation(ending, "c", false), failed, 0).known.downloads).toHaveLength(
      1,
    );
  });
});
