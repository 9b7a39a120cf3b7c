import type { AdapterSpec } from "../core/adapters.js";
import type { KeepTime } from "../core/keep-time.js";
import type { SamplingFlag } from "../core/sampling-table.js";
import { StartupError } from "../core/startup-error.js";
import type { ModelReference } from "./model-reference.js";
import type { SettingValues } from "./settings.js";

/** A model's file, and the setting that names it, which errors about the file begin with. */
export type ModelFile<Role extends string = string> = { readonly role: Role } & ModelReference;

/** A file that a model is loaded from. */
export interface SourceFile<Role extends string = string> {
  readonly role: Role;
  readonly path: string;
}

/** On which devices the parts of a model go; absent: as llama.cpp decides. */
export interface PlacementSpec {
  readonly devices: SettingValues["device"];
  readonly mainGpu: number | undefined;
  readonly splitMode: SettingValues["splitMode"];
  readonly tensorSplit: readonly number[] | undefined;
  readonly overrideTensor: SettingValues["overrideTensor"];
  readonly cpuMoe: number | "all" | undefined;
}

/** What holds of answers where their requests are silent, by llama-server's names; absent: as the model's file says. */
export type SamplingSpec = Pick<SettingValues, SamplingFlag>;

/** How positions are scaled; absent: as the model's file says. */
export interface RopeSpec {
  readonly scaling: SettingValues["ropeScaling"];
  readonly scale: number | undefined;
  readonly freqBase: number | undefined;
  readonly freqScale: number | undefined;
  readonly yarnOrigCtx: number | undefined;
  readonly yarnExtFactor: number | undefined;
  readonly yarnAttnFactor: number | undefined;
  readonly yarnBetaSlow: number | undefined;
  readonly yarnBetaFast: number | undefined;
}

/** What gives a model images and audio. */
export interface MediaSpec {
  /** A file; `auto`, where none was found beside the model, and `none`: it has text alone. */
  readonly projector: string;
  /** Whether it computes on the CPU, whatever the model does. */
  readonly onCpu: boolean;
  /** Millions of pixels of an image. */
  readonly maxMegapixels: number;
  readonly maxAudioSeconds: number;
  /** Computing time for decoding a file. */
  readonly decodeSeconds: number;
  readonly cacheMiB: number;
}

/** What is said of a model of any kind. */
interface AnyModelSpec {
  /** Its name in the API. */
  readonly alias: string;
  /** Whether it is loaded when the server starts, and not by the first request for it. */
  readonly loadsAtStart: boolean;
  /** Whether it stays loaded, whatever others need its memory. */
  readonly pinned: boolean;
  /** For how long after its last request it stays loaded. */
  readonly ttlMs: KeepTime;
  /** Values that take the place of those in its file. */
  readonly metadataOverrides: SettingValues["overrideKv"];
  readonly gpu: SettingValues["gpu"];
  readonly gpuLayers: number | "auto";
  readonly placement: PlacementSpec;
  readonly threads: number | "auto";
  readonly threadsBatch: number | "auto";
}

/** A model that generates text. */
export interface GenerationModelSpec extends AnyModelSpec {
  readonly kind: "generation";
  readonly file: ModelFile<"model">;
  /** A file that proposes tokens; `auto`: the model's own layers do, if it has any. */
  readonly draft: "auto" | "none" | SourceFile<"draft">;
  /** `undefined` here and for the context: as many as memory allows. */
  readonly slots: number | undefined;
  /** Of a slot, in tokens. */
  readonly contextSize: number | undefined;
  readonly batchSize: number;
  /** Of keys and values, but for those that have a type of their own. */
  readonly kvCacheType: SettingValues["kvCacheType"];
  readonly cacheTypeK: SettingValues["cacheTypeK"];
  readonly cacheTypeV: SettingValues["cacheTypeV"];
  readonly kvCacheLayout: SettingValues["kvCacheLayout"];
  readonly cacheRamMiB: number;
  readonly cacheDir: string | undefined;
  readonly cacheDiskMiB: number;
  readonly slotSavePath: string | undefined;
  readonly itlTargetMs: number;
  readonly speculation: SettingValues["speculation"];
  readonly deviceSampling: SettingValues["deviceSampling"];
  readonly toolFormat: SettingValues["toolFormat"];
  /** Instead of the one of its file. */
  readonly chatTemplate: string | undefined;
  /** The same, in a file. */
  readonly chatTemplateFile: string | undefined;
  /** Of conversations without a system message. */
  readonly systemPrompt: string | undefined;
  readonly sampling: SamplingSpec;
  /** Of answers to requests without a limit; `undefined`: as many as fit. */
  readonly maxTokens: number | undefined;
  readonly rope: RopeSpec;
  /** LoRA adapters, of different names. */
  readonly adapters: readonly AdapterSpec[];
  /** Whether those of them that are used by all requests are used by none that does not ask for them. */
  readonly adaptersWhenAsked: boolean;
  readonly media: MediaSpec;
  /** Of requests without one; `undefined`: a random one for each. */
  readonly seed: number | undefined;
  /** What holds instead if its file is an embedding model or a reranker, which is known once it is read. */
  readonly ifPooling: Pick<EmbeddingModelSpec, "pooling" | "maxInputTokens">;
}

/** A model that creates embeddings. */
export interface EmbeddingModelSpec extends AnyModelSpec {
  readonly kind: "embedding";
  readonly file: ModelFile<"embedding-model" | "model">;
  readonly pooling: SettingValues["embeddingPooling"];
  readonly maxInputTokens: number | undefined;
}

/** A model that ranks documents by a query. */
export interface RerankingModelSpec extends AnyModelSpec {
  readonly kind: "reranking";
  readonly file: ModelFile<"reranking-model" | "model">;
  readonly maxInputTokens: number | undefined;
}

export type PoolingModelSpec = EmbeddingModelSpec | RerankingModelSpec;

/**
 * All that is to be known of a model before its file is read: which it is, under which name, and what it is loaded
 * with. Plain data: it may cross a process boundary.
 */
export type ModelSpec = GenerationModelSpec | PoolingModelSpec;

/** A generation model whose file turned out to be for something else than generating text. */
export function asPooling(
  spec: GenerationModelSpec,
  kind: PoolingModelSpec["kind"],
): PoolingModelSpec {
  const { alias, file, loadsAtStart, pinned, ttlMs, metadataOverrides, ifPooling } = spec;
  const { gpu, gpuLayers, placement, threads, threadsBatch } = spec;
  const { pooling, maxInputTokens } = ifPooling;
  const facts = {
    ...{ alias, file, loadsAtStart, pinned, ttlMs, metadataOverrides },
    ...{ gpu, gpuLayers, placement, threads, threadsBatch, maxInputTokens },
  };
  return kind === "embedding" ? { kind, ...facts, pooling } : { kind, ...facts };
}

/** A model whose name is resolved: it is in this file. */
export function inFile<Spec extends ModelSpec>(spec: Spec, path: string): Spec {
  return { ...spec, file: { role: spec.file.role, kind: "file", path } };
}

/**
 * The file of a model.
 * @throws {StartupError} it is only named
 */
export function sourceOf<Role extends string>(file: ModelFile<Role>): SourceFile<Role> {
  if (file.kind === "file") return { role: file.role, path: file.path };
  throw new StartupError(
    `${file.role} ${file.name}: expected a model of this machine, got a name that it does not know`,
  );
}

/**
 * The files that a model is loaded from.
 * @throws {StartupError} it is only named
 */
export function filesOf(
  spec: ModelSpec,
): readonly SourceFile<ModelSpec["file"]["role"] | "draft" | "lora" | "mmproj">[] {
  const model = sourceOf<ModelSpec["file"]["role"]>(spec.file);
  if (spec.kind !== "generation") return [model];
  const { draft, adapters } = spec;
  const projector = projectorOf(spec);
  const loras = adapters.map(({ path }) => ({ role: "lora", path }) as const);
  return [
    model,
    ...(typeof draft === "string" ? [] : [draft]),
    ...(projector === undefined ? [] : [{ role: "mmproj", path: projector } as const]),
    ...loras,
  ];
}

/** The projector's file; `undefined`: the model has none. */
export function projectorOf({ media }: Pick<GenerationModelSpec, "media">): string | undefined {
  const { projector } = media;
  return projector === "auto" || projector === "none" ? undefined : projector;
}

/**
 * Compares models by the order in which they are loaded: those with the smaller choice come first, the one that
 * generates text takes what memory is left.
 */
export function byLoadingOrder(one: ModelSpec, other: ModelSpec): number {
  return Number(one.kind === "generation") - Number(other.kind === "generation");
}
