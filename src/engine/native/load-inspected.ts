import { GgmlType, type GgufInsights, type Llama, LlamaModel } from "node-llama-cpp";
import type { FileReading } from "./placement.js";

/** Options for loading a model's weights. */
export interface WeightOptions {
  /** Number of layers to offload to the GPU. */
  readonly gpuLayers: number;
  /** The part of the file to load. @default "all" */
  readonly parts?: "all" | "vocabulary";
  /** How the file is read. */
  readonly reading?: FileReading;
  /** Called with the loaded share, 0–1. */
  readonly onLoadProgress?: (progress: number) => void;
}

/** node-llama-cpp's constructor of models, which its types hide, with the fields that it reads. */
type ModelConstructor = new (
  options: {
    readonly modelPath: string;
    readonly gpuLayers: number;
    readonly useMmap: boolean;
    readonly useDirectIo: boolean;
    readonly useMlock: boolean;
    readonly checkTensors: boolean;
    readonly vocabOnly: boolean;
    readonly onLoadProgress: ((progress: number) => void) | undefined;
  },
  internals: {
    readonly _llama: Llama;
    readonly _fileInfo: GgufInsights["ggufFileInfo"];
    readonly _fileInsights: GgufInsights;
    readonly _flashAttentionSupported: boolean;
    /** Defaults of contexts that are created without these options. */
    readonly _defaultContextFlashAttentionOptionEnabled: "auto";
    readonly _defaultContextFlashAttention: "auto" | false;
    readonly _defaultContextSwaFullCache: boolean;
    readonly _defaultContextKvCacheKeyType: GgmlType;
    readonly _defaultContextKvCacheValueType: GgmlType;
    /** Share of the reported progress for work done before loading the weights. */
    readonly _loadPercentageShift: number;
    readonly _loadPercentageMultiplier: number;
  },
) => LlamaModel & { readonly _model: { init(): Promise<boolean> } };

/** Values of node-llama-cpp's `useMmap`. */
const MMAP = { auto: "auto", mmap: true, none: false, dio: false } as const;

/**
 * Loads a model whose header has been read. `Llama.loadModel` would read the header again, and
 * estimate the memory of the weights and later of the context with loads without weights, although
 * both are known; that is most of the load time of a small model. The model's contexts do not
 * estimate memory again either. The package's version is pinned, and
 * `test/engine/native/load-inspected.test.ts` compares the two.
 * @param insights insights of the file
 * @throws {Error} llama.cpp cannot load the model; the reason is in its log
 */
export async function loadInspected(
  llama: Llama,
  modelPath: string,
  insights: GgufInsights,
  { gpuLayers, parts = "all", reading = {}, onLoadProgress }: WeightOptions,
): Promise<LlamaModel> {
  const { configurationResolver, ggufFileInfo, flashAttentionSupported } = insights;
  const { lock = false, loadMode = "auto", checkTensors = false } = reading;
  // ggufd plans memory itself; the library's own checks are rougher.
  const placement = await configurationResolver.resolveModelGpuLayersV2(gpuLayers, {
    ignoreMemorySafetyChecks: true,
    useMmap: llama.supportsMmap ? MMAP[loadMode] : false,
  });
  const model = new (LlamaModel as unknown as ModelConstructor)(
    {
      modelPath,
      ...placement,
      useDirectIo: loadMode === "dio",
      useMlock: lock,
      checkTensors,
      onLoadProgress,
      vocabOnly: parts === "vocabulary",
    },
    {
      _llama: llama,
      _fileInfo: ggufFileInfo,
      _fileInsights: withoutEstimates(insights),
      _flashAttentionSupported: flashAttentionSupported,
      _defaultContextFlashAttentionOptionEnabled: "auto",
      _defaultContextFlashAttention: flashAttentionSupported ? "auto" : false,
      _defaultContextSwaFullCache: false,
      _defaultContextKvCacheKeyType: GgmlType.F16,
      _defaultContextKvCacheValueType: GgmlType.F16,
      _loadPercentageShift: 0,
      _loadPercentageMultiplier: 1,
    },
  );
  if (!(await model._model.init())) throw new Error("Failed to load model");
  return model;
}

/**
 * Replaces the estimate of a context's memory by zeros, because estimating loads the model again
 * without weights. Only the library's check of free memory uses the estimate, and contexts are
 * created without that check.
 */
function withoutEstimates(insights: GgufInsights): GgufInsights {
  const estimates: Pick<GgufInsights, "estimateContextResourceRequirementsV2"> = {
    estimateContextResourceRequirementsV2: async () => ({ cpuRam: 0, gpuVram: 0 }),
  };
  return Object.assign(Object.create(insights), estimates);
}
