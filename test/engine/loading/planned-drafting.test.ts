import type { Llama } from "node-llama-cpp";
import { describe, expect, test } from "vitest";
import type { InspectedModel } from "../../../src/engine/loading/inspected-model.js";
import type { MtpLayers } from "../../../src/engine/loading/mtp-layers.js";
import { planDrafting, rejectDraftAlone } from "../../../src/engine/loading/planned-drafting.js";
import type { NativeCompanion } from "../../../src/engine/native/companion/native-companion.js";

/** Not used without a separate draft file. */
const llama = {} as Llama;
const settings = { draftModelPath: undefined, mtp: "auto" } as const;

const modelWith = (mtpLayers: MtpLayers) => ({ metadata: { mtpLayers } }) as InspectedModel;
const companionWithout = (missing?: string) =>
  ({ missingForHiddenStates: () => missing }) as NativeCompanion;

const usable = modelWith({ kind: "usable", layers: 2 });

describe("a model's own layers for multi-token prediction", () => {
  test("are used for drafting unless disabled", async () => {
    expect(await planDrafting(llama, settings, usable, companionWithout())).toEqual({
      kind: "mtp",
      layers: 2,
    });
    const off = { ...settings, mtp: "off" } as const;
    expect(await planDrafting(llama, off, usable, companionWithout())).toEqual({ kind: "none" });
  });

  test.each<[string, InspectedModel, NativeCompanion, object]>([
    ["if there are none", modelWith({ kind: "none" }), companionWithout(), {}],
    [
      "if llama.cpp does not support them",
      modelWith({ kind: "unusable", reason: "because" }),
      companionWithout(),
      { reason: "because" },
    ],
    [
      "if the native library cannot read their states",
      usable,
      companionWithout("_Z26f"),
      { reason: "the native library has no function _Z26f" },
    ],
  ])("are not used for drafting %s", async (_, model, companion, told) => {
    expect(await planDrafting(llama, settings, model, companion)).toEqual({
      kind: "none",
      ...told,
    });
  });
});

describe("a model that can only draft for another model", () => {
  const model = (architecture: string, mtpLayers: MtpLayers = { kind: "none" }) =>
    ({ role: "model", path: "/m.gguf", architecture, metadata: { mtpLayers } }) as InspectedModel;

  test.each([
    [model("eagle3"), "an EAGLE-3 head"],
    [model("dflash"), "a DFlash or DSpark draft"],
    [model("gemma4-assistant"), "a Gemma 4 assistant"],
    [model("qwen35", { kind: "alone" }), "layers for multi-token prediction"],
  ])("is rejected as the served model", (served, name) => {
    expect(() => rejectDraftAlone(served)).toThrow(
      `model /m.gguf: ${name}, which can only draft for another model`,
    );
  });

  test("is distinguished from other models", () => {
    expect(() => rejectDraftAlone(model("llama"))).not.toThrow();
    expect(() => rejectDraftAlone(model("qwen35", { kind: "usable", layers: 1 }))).not.toThrow();
  });
});
