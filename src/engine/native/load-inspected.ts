import { GgmlType, type GgufInsights, type Llama, LlamaModel } from "node-llama-cpp";

/** How the weights of a model are loaded. */
export interface WeightOptions {
  /** Layers to offload to the GPU. */
  readonly gpuLayers: number;
  /** Of the file, whose vocabulary alone is loaded, or all of it. @default "all" */
  readonly parts?: "all" | "vocabulary";
  /** Called with the share that is loaded, 0–1. */
  readonly onLoadProgress?: (progress: number) => void;
}

/** node-llama-cpp's constructor of models, which its types hide, and what it takes, of which each field is used. */
type ModelConstructor = new (
  options: {
    readonly modelPath: string;
    readonly gpuLayers: number;
    readonly useMmap: boolean;
    readonly useDirectIo: false;
    readonly vocabOnly: boolean;
    readonly onLoadProgress: ((progress: number) => void) | undefined;
  },
  internals: {
    readonly _llama: Llama;
    readonly _fileInfo: GgufInsights["ggufFileInfo"];
    readonly _fileInsights: GgufInsights;
    readonly _flashAttentionSupported: boolean;
    /** What contexts have that are created without saying so. */
    readonly _defaultContextFlashAttentionOptionEnabled: "auto";
    readonly _defaultContextFlashAttention: "auto" | false;
    readonly _defaultContextSwaFullCache: boolean;
    readonly _defaultContextKvCacheKeyType: GgmlType;
    readonly _defaultContextKvCacheValueType: GgmlType;
    /** Of the progress that is told, for what came before the weights. */
    readonly _loadPercentageShift: number;
    readonly _loadPercentageMultiplier: number;
  },
) => LlamaModel & { readonly _model: { init(): Promise<boolean> } };

/**
 * Loads a model whose header has been read. `Llama.loadModel` would read it again, and estimate what the weights and later
 * the context take by loads without weights, though both were done before: all that is most of the time that a small model
 * takes. What was planned is not estimated again for the model's contexts either. The package's version is pinned, and `test/engine/native/load-inspected.test.ts` compares the two.
 * @param insights of the file
 * @throws {Error} llama.cpp cannot load it: why is in its log
 */
export async function loadInspected(
  llama: Llama,
  modelPath: string,
  insights: GgufInsights,
  { gpuLayers, parts = "all", onLoadProgress }: WeightOptions,
): Promise<LlamaModel> {
  const { configurationResolver, ggufFileInfo, flashAttentionSupported } = insights;
  // Memory is planned by us; the library's own checks are rougher.
  const placement = await configurationResolver.resolveModelGpuLayersV2(gpuLayers, {
    ignoreMemorySafetyChecks: true,
    useMmap: llama.supportsMmap ? "auto" : false,
  });
  const model = new (LlamaModel as unknown as ModelConstructor)(
    {
      modelPath,
      ...placement,
      useDirectIo: false,
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
 * For contexts that are created without the library's check of what is free, which is all that it estimates their memory
 * for: by another load without weights.
 */
function withoutEstimates(insights: GgufInsights): GgufInsights {
  const estimates: Pick<GgufInsights, "estimateContextResourceRequirementsV2"> = {
    estimateContextResourceRequirementsV2: async () => ({ cpuRam: 0, gpuVram: 0 }),
  };
  return Object.assign(Object.create(insights), estimates);
}
