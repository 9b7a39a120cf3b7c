import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { generate, openEngine } from "../support/generate.js";
import { paints, png } from "../support/media-files.js";
import { modelWithProjector } from "../support/random-models.js";
import { fileOf } from "../support/some-media.js";
import { describeOnVulkan } from "../support/vulkan-driver.js";
import { openEngineProcess } from "./model-processes.js";

const { model: modelPath, projector: path } = modelWithProjector("qwen25vl-projector-tiny");
const limits = { maxPixels: 1e6, maxSeconds: 60, decodeSeconds: 5, cacheMiB: 4 };
const images = [png(paints.reds), png(paints.stripes)];

async function answersOf(opening: Promise<Engine>): Promise<readonly string[]> {
  const engine = await opening;
  onTestFinished(() => engine.close());
  const answers: string[] = [];
  for (const [index, image] of images.entries()) {
    const media = { type: "media", field: "image", content: fileOf(image) } as const;
    const content = [media, { type: "text", text: "What is it?" }] as const;
    const { text } = await generate(engine, [{ role: "user", content }], {
      id: `image-${index}`,
      sampling: { temperature: 0 },
      stopping: { maxTokens: 12 },
    });
    answers.push(text);
  }
  return answers;
}

describeOnVulkan("images on a GPU", () => {
  it.each(["gpu", "cpu"] as const)(
    "give the same answers as on the CPU, with the projector on the %s",
    async (placement) => {
      const common = { slots: 2, speculation: "off" } as const;
      const onCpu = await answersOf(
        openEngineProcess({
          ...common,
          modelPath,
          projector: { ...limits, path, placement: "cpu" },
        }),
      );
      const projector = { ...limits, path, placement };
      const onGpu = await answersOf(openEngine(modelPath, { ...common, gpu: "vulkan", projector }));
      expect(onGpu).toEqual(onCpu);
      expect(new Set(onGpu).size).toBe(images.length);
    },
  );
});
