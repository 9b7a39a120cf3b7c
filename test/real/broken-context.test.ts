import { afterEach, expect, test, vi } from "vitest";
import { NativeContext } from "../../src/engine/native/native-context.js";
import { NativePoolingContext } from "../../src/engine/native/native-pooling-context.js";
import { createPoolingEngine } from "../../src/engine/pooling-engine.js";
import { generate, openEngine } from "../support/generate.js";
import { poolingSettings } from "../support/pooling-settings.js";
import { tinyModel } from "../support/random-models.js";
import { rejection } from "../support/refusal.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const lost = () => new Error("the device is lost");

test("an engine reports a permanent failure after three consecutive failed batches", async () => {
  const onBroken = vi.fn();
  const engine = await openEngine(tinyModel(), { slots: 1 }, { onBroken });
  try {
    const evaluate = vi.spyOn(NativeContext.prototype, "evaluate");
    const failOnce = async () => {
      evaluate.mockRejectedValueOnce(lost());
      await rejection(generate(engine, "Hi"));
    };
    await failOnce();
    await failOnce();
    await generate(engine, "Hi");
    await failOnce();
    await failOnce();
    expect(onBroken).not.toHaveBeenCalled();
    await failOnce();
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(
      "3 consecutive batches failed: the device is lost",
    );
  } finally {
    await engine.close();
  }
});

test("an engine whose GPU is lost reports a permanent failure immediately, and only once", async () => {
  const onBroken = vi.fn();
  const log = vi.fn();
  const engine = await openEngine(tinyModel(), { slots: 1 }, { onBroken, log });
  try {
    const evaluate = vi.spyOn(NativeContext.prototype, "evaluate");
    evaluate.mockRejectedValueOnce(new Error("vk::Queue::submit: ErrorDeviceLost"));
    await rejection(generate(engine, "Hi"));
    expect(onBroken).toHaveBeenCalledExactlyOnceWith(
      "the GPU is lost: vk::Queue::submit: ErrorDeviceLost",
    );
    expect(log).not.toHaveBeenCalledWith("error", expect.anything());
  } finally {
    await engine.close();
  }
});

test("a pooling engine reports a permanent failure after three consecutive failed batches", async () => {
  const onBroken = vi.fn();
  const onBatchEnd = vi.fn();
  const hooks = { log: vi.fn(), onProgress: () => undefined, onBroken, onBatchEnd };
  const engine = await createPoolingEngine(
    {
      source: { role: "embedding-model", path: tinyModel("f32", "embed-tiny") },
      kind: "embedding",
      ...poolingSettings,
    },
    hooks,
  );
  const pool = (id: string) =>
    engine.pool({
      id,
      inputs: [{ field: "input", content: { type: "text", text: "Hi" } }],
      overlongInputs: "refused",
    });
  try {
    const native = vi.spyOn(NativePoolingContext.prototype, "pool");
    const failOnce = async (id: string) => {
      native.mockRejectedValueOnce(lost());
      await expect(pool(id)).rejects.toThrow("the device is lost");
    };
    await failOnce("1");
    await failOnce("2");
    await pool("3");
    expect(onBatchEnd).toHaveBeenCalledOnce();
    await failOnce("4");
    await failOnce("5");
    expect(onBroken).not.toHaveBeenCalled();
    await failOnce("6");
    expect(onBroken).toHaveBeenCalledOnce();
    expect(hooks.log).toHaveBeenCalledWith("error", "a batch failed: the device is lost");
  } finally {
    await engine.close();
  }
});
