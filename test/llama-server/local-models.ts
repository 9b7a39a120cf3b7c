import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import sharp from "sharp";
import type { GgufContent } from "../../models/gguf/content.js";

import { writeGguf } from "../../models/gguf/writer.js";
import { randomModelContent } from "../../models/random/generate.js";
import { randomLoraContent } from "../../models/random/lora.js";
import { randomProjectorContent } from "../../models/random/projector.js";
import type { ProjectorName } from "../../models/random/projector-shapes.js";
import type { ShapeName } from "../../models/random/shapes.js";
import { infillTokens } from "../support/random-models.js";

const TYPE = "f32";

function model(shape: ShapeName, seed = 1): GgufContent {
  return randomModelContent({ shape, type: TYPE, seed });
}

function projector(shape: ProjectorName): GgufContent {
  return randomProjectorContent({ shape, type: TYPE, seed: 1 });
}

/** A model with the tokens of fill-in-the-middle prompts, which are text in this vocabulary. */
function infillModel(): GgufContent {
  const { metadata, tensors } = model("tiny");
  return { metadata: new Map([...metadata, ...infillTokens]), tensors };
}

/** Random models in place of those of the tests' presets, by repository and file. */
const repositories: Readonly<Record<string, Readonly<Record<string, () => GgufContent>>>> = {
  "ggml-org/test-model-stories260K": { "stories260K-f32.gguf": () => model("tiny") },
  "ggml-org/test-model-stories260K-infill": { "stories260K-infill-f32.gguf": infillModel },
  "ggml-org/models": {
    "tinyllamas/stories260K.gguf": () => model("tiny"),
    "bert-bge-small/ggml-model-f16.gguf": () => model("embed-tiny"),
    "jina-reranker-v1-tiny-en/ggml-model-f16.gguf": () => model("rerank-tiny"),
  },
  "ggml-org/stories15M_MOE": { "stories15M_MOE-F16.gguf": () => model("moe-tiny") },
  "ggml-org/tinygemma3-GGUF": {
    "tinygemma3-Q8_0.gguf": () => model("gemma3-vision-tiny"),
    "mmproj-tinygemma3.gguf": () => projector("gemma3-projector-tiny"),
  },
};

const HUB = "https://huggingface.co";

/** Files that the tests themselves download, by URL. */
const downloads: Readonly<Record<string, (path: string) => unknown>> = {
  [`${HUB}/ggml-org/stories15M_MOE/resolve/main/moe_shakespeare15M.gguf`]: (path) =>
    writeGguf(path, randomLoraContent({ shape: "moe-tiny", rank: 2, seed: 2 })),
  [`${HUB}/ggml-org/tiny-llamas/resolve/main/stories15M-q4_0.gguf`]: (path) =>
    writeGguf(path, model("tiny", 2)),
  [`${HUB}/ggml-org/tinygemma3-GGUF/resolve/main/test/11_truck.png`]: (path) =>
    writeImage(path, "teal"),
  [`${HUB}/ggml-org/tinygemma3-GGUF/resolve/main/test/91_cat.png`]: (path) =>
    writeImage(path, "orange"),
};

async function writeImage(path: string, background: string): Promise<void> {
  await sharp({ create: { width: 32, height: 32, channels: 3, background } })
    .png()
    .toFile(path);
}

/** Local files in place of downloads of llama-server and its tests. */
export interface LocalModels {
  /** Folder in the format of Hugging Face's cache. */
  readonly huggingFaceCache: string;
  /** Paths by URL. */
  readonly downloads: Readonly<Record<string, string>>;
}

/** Writes the models, an adapter and the images into a folder: 5 MB in less than a second. */
export async function writeLocalModels(folder: string): Promise<LocalModels> {
  const huggingFaceCache = join(folder, "hub");
  const revision = "0".repeat(40);
  for (const [repository, files] of Object.entries(repositories)) {
    const cached = join(huggingFaceCache, `models--${repository.replace("/", "--")}`);
    await mkdir(join(cached, "refs"), { recursive: true });
    writeFileSync(join(cached, "refs", "main"), revision);
    for (const [file, content] of Object.entries(files)) {
      writeGguf(join(cached, "snapshots", revision, file), content());
    }
  }
  const paths: Record<string, string> = {};
  for (const [url, write] of Object.entries(downloads)) {
    const path = join(folder, "downloads", new URL(url).pathname);
    await mkdir(dirname(path), { recursive: true });
    await write(path);
    paths[url] = path;
  }
  return { huggingFaceCache, downloads: paths };
}
