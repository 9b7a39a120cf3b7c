import type { LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import type { NativeProjector } from "../../../src/engine/native/companion/native-projector.js";
import { openProjector } from "../../../src/engine/native/open-projector.js";
import { nativeLibrary } from "../../support/native-library.js";
import { modelWithProjector } from "../../support/random-models.js";

let model: LlamaModel;
let projector: NativeProjector;
beforeAll(async () => {
  const files = modelWithProjector("whisper-projector-tiny");
  const llama = await nativeLibrary();
  model = await llama.loadModel({ modelPath: files.model });
  const companion = await attachCompanion(llama);
  projector = await openProjector({
    model,
    companion,
    path: files.projector,
    placement: "cpu",
    threads: 1,
    log: () => undefined,
  });
});
afterAll(async () => {
  projector.close();
  await model.dispose();
});

describe("a projector", () => {
  it("throws if an assertion of libmtmd fails, and remains usable", async () => {
    await expect(projector.divideAudio(new Float32Array(1))).rejects.toThrow(
      /expected media that the model can be given, got a file that fails a check of llama\.cpp \(mtmd\.cpp:\d+: GGML_ASSERT\(buf\.size\(\) > sizeof\(float\)\) failed\)$/,
    );
    const parts = await projector.divideAudio(new Float32Array(16_000));
    expect(parts.filter((part) => !(part instanceof Int32Array))).toMatchObject([
      { kind: "audio" },
    ]);
  });

  it("rejects pixel data that does not match the image size", () => {
    expect(() => projector.divideImage(new Uint8Array(11), 2, 2)).toThrow(
      "pixels: expected three bytes a pixel",
    );
  });
});
