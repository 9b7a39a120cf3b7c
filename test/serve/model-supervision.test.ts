import { describe, expect, test } from "vitest";
import type { ServedModel } from "../../src/core/model-directory.js";
import { WorkerError } from "../../src/core/startup-error.js";
import { ModelSupervision } from "../../src/serve/running-model.js";
import { finishLoading, loadingModel } from "../support/pooled-models.js";

function supervised() {
  const registered = loadingModel("model");
  const supervision = new ModelSupervision(registered.createListener(() => {}));
  const calls: string[] = [];
  let slots = 4;
  return {
    registered,
    supervision,
    calls,
    setSlots(count: number): void {
      slots = count;
    },
    serve(): void {
      supervision.follow(() => ({ slots }), {
        suspend: () => calls.push("suspend"),
        resume: (description) => calls.push(`resume with ${description.slots} slots`),
      });
      finishLoading(registered, { alias: "model" } as ServedModel);
    },
  };
}

describe("the supervision of a model", () => {
  test("suspends the queue and reports the model as not ready when the process crashes", () => {
    const { supervision, registered, calls, serve } = supervised();
    serve();
    expect(registered.state).toEqual({ state: "ready" });
    supervision.onCrash();
    expect(calls).toEqual(["suspend"]);
    expect(registered.state).toEqual({ state: "lost" });
    expect(registered.crashes).toBe(1);
  });

  test("counts the crash of a replica, and the model stays ready", () => {
    const { supervision, registered, calls, serve } = supervised();
    serve();
    supervision.onReplicaCrash();
    expect(calls).toEqual([]);
    expect(registered).toMatchObject({ state: { state: "ready" }, crashes: 1 });
  });

  test("reports the worker that prevents a restart, until the process is replaced", () => {
    const { supervision, registered, serve } = supervised();
    serve();
    supervision.onCrash();
    supervision.onRestartFailed(new WorkerError("10.0.0.2:50052", "refused"));
    expect(registered.state).toEqual({ state: "lost", worker: "10.0.0.2:50052" });
    supervision.onRestartFailed(new Error("no memory"));
    expect(registered.state).toEqual({ state: "lost" });
    supervision.onRestored();
    expect(registered.state).toEqual({ state: "ready" });
  });

  test("resumes the queue with the description of the new process", () => {
    const { supervision, registered, calls, serve, setSlots } = supervised();
    serve();
    supervision.onCrash();
    setSlots(2);
    supervision.onRestored();
    expect(calls).toEqual(["suspend", "resume with 2 slots"]);
    expect(registered.state).toEqual({ state: "ready" });
  });

  test("suspends a queue that is added after the crash", () => {
    const { supervision, calls, serve } = supervised();
    supervision.onCrash();
    serve();
    expect(calls).toEqual(["suspend"]);
    supervision.onRestored();
    expect(calls).toEqual(["suspend", "resume with 4 slots"]);
  });

  test("does not suspend a queue that is added after the restart", () => {
    const { supervision, registered, calls, serve } = supervised();
    supervision.onCrash();
    supervision.onRestored();
    serve();
    expect(calls).toEqual([]);
    expect(registered.state).toEqual({ state: "ready" });
  });
});
