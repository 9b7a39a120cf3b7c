import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { SamplingParameters } from "../../src/core/generation-request.js";
import { generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { describeOnVulkan } from "../support/vulkan-driver.js";

async function onGpu(deviceSampling: "auto" | "on" | "off"): Promise<Engine> {
  const settings = { gpu: "vulkan", slots: 4, speculation: "off", deviceSampling } as const;
  const engine = await openEngine(tinyModel("f32"), settings);
  onTestFinished(() => engine.close());
  return engine;
}

/** One sampler chain per engine, because of Mesa's driver: see `DeviceSamplers`. */
describeOnVulkan("device sampling on Vulkan", () => {
  it.each<[string, SamplingParameters]>([
    ["with greedy decoding", {}],
    ["with default samplers", { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, seed: 5 }],
    ["with top-k only", { temperature: 1, topK: 20, topP: 1, minP: 0, seed: 5 }],
    [
      "with penalties and biases",
      {
        ...{ temperature: 1.2, topK: 20, topP: 0.9, minP: 0, seed: 5 },
        ...{ repeatPenalty: 1.4, frequencyPenalty: 0.3, repeatLastN: 30 },
        logitBias: new Map([
          [70, 9],
          [71, -9],
        ]),
      },
    ],
  ])(
    "%s gives the same tokens as sampling on the CPU, alone and concurrently",
    async (_, sampling) => {
      const [gpu, cpu] = [await onGpu("on"), await onGpu("off")];
      expect(gpu.description.samplingDevice).toBe("Vulkan0");
      expect(cpu.description.samplingDevice).toBeUndefined();
      const questions = ["One thing", "Another one", "A third question", "The last of them"];
      const asked = { sampling, stopping: { ignoreEos: true, maxTokens: 24 } };
      const alone = await generate(gpu, questions[0] ?? "", asked);
      const together = await Promise.all(questions.map((one) => generate(gpu, one, asked)));
      const expected = await Promise.all(questions.map((one) => generate(cpu, one, asked)));
      expect(together.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
      expect(alone.text).toBe(expected[0]?.text);
    },
  );

  it("is off by default", async () => {
    expect((await onGpu("auto")).description.samplingDevice).toBeUndefined();
  });
});
