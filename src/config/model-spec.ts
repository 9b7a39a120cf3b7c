import type { ModelKind } from "../core/model-directory.js";
import { StartupError } from "../core/startup-error.js";
import type { ModelReference } from "./model-reference.js";
import type { Setting } from "./setting.js";
import {
  type ModelSettingName,
  type ModelValues,
  modelSettingNames,
  type SettingValues,
  settings,
} from "./settings.js";

/** File of a model, with the setting that names it; errors about the file begin with this role. */
export type ModelFile<Role extends string = string> = { readonly role: Role } & ModelReference;

/** File that a model is loaded from. */
export interface SourceFile<Role extends string = string> {
  readonly role: Role;
  readonly path: string;
}

/** Name of the model field that a setting fills: {@link Setting.at}. */
type FieldOf<Name extends ModelSettingName> = Name extends ModelSettingName
  ? (typeof settings)[Name] extends { readonly at: infer Path extends string }
    ? Path
    : Name
  : never;

/** Settings of models of a kind that become fields without further computation. */
type FactName<Kind extends ModelKind> = {
  readonly [Name in ModelSettingName]: Kind extends (typeof settings)[Name]["factOf"][number]
    ? FieldOf<Name> extends keyof Identity | "draft"
      ? never
      : Name
    : never;
}[ModelSettingName];

type NameAt<Path extends string, Names extends ModelSettingName> = {
  readonly [Name in Names]: FieldOf<Name> extends Path ? Name : never;
}[Names];

type Head<Path extends string> = Path extends `${infer First}.${string}` ? First : Path;

type Leaf<Group extends string, Path extends string> = Path extends `${Group}.${infer Last}`
  ? Last
  : never;

/** Fields filled from settings; some are grouped: `placement.mainGpu`. */
type Fields<Names extends ModelSettingName> = {
  readonly [Field in Head<FieldOf<Names>>]: [Leaf<Field, FieldOf<Names>>] extends [never]
    ? SettingValues[NameAt<Field, Names>]
    : {
        readonly [Last in Leaf<Field, FieldOf<Names>>]: SettingValues[NameAt<
          `${Field}.${Last}`,
          Names
        >];
      };
};

/** Name, file and load time of a model. */
export interface Identity<Role extends string = "model"> {
  /** Name in the API. */
  readonly alias: string;
  /** Other names that requests may use. @default none */
  readonly aliases?: readonly string[];
  readonly file: ModelFile<Role>;
  /** Whether the model is loaded at server start instead of on the first request for it. */
  readonly loadsAtStart: boolean;
}

/** Model that generates text. The setting tables (`*-settings.ts`) describe its fields. */
export interface GenerationModelSpec extends Identity, Fields<FactName<"generation">> {
  readonly kind: "generation";
  /** Draft model; `auto`: the model's own layers for multi-token prediction, if it has any. */
  readonly draft: "auto" | "none" | SourceFile<"draft">;
  /** Fields that apply if the file turns out to contain an embedding model or a reranker. */
  readonly ifPooling: Fields<PoolingFactName>;
}

/** Settings of pooling models that generation models lack. */
type PoolingFactName = Exclude<FactName<"embedding" | "reranking">, FactName<"generation">>;

/** Model that creates embeddings. */
export interface EmbeddingModelSpec
  extends Identity<"embedding-model" | "model">,
    Fields<FactName<"embedding">> {
  readonly kind: "embedding";
}

/** Model that ranks documents by a query. */
export interface RerankingModelSpec
  extends Identity<"reranking-model" | "model">,
    Fields<FactName<"reranking">> {
  readonly kind: "reranking";
}

export type PoolingModelSpec = EmbeddingModelSpec | RerankingModelSpec;

/**
 * Description of a model before its file is read: its identity and its settings. Plain data: it may
 * cross a process boundary.
 */
export type ModelSpec = GenerationModelSpec | PoolingModelSpec;

/** Returns the settings of models of a kind. */
export function namesOf(kind: ModelKind): readonly ModelSettingName[] {
  return modelSettingNames.filter((name) => {
    const { factOf }: Setting = settings[name];
    return factOf.includes(kind);
  });
}

/** Path of the model field that a setting fills. */
export function fieldOf(name: ModelSettingName): string {
  const { at = name }: Setting = settings[name];
  return at;
}

/** Fields of {@link Identity}, each computed from several settings. */
const identityFields = ["alias", "file", "loadsAtStart"];

/** Settings of pooling models that generation models lack. */
export const poolingNames = [...new Set([...namesOf("embedding"), ...namesOf("reranking")])].filter(
  (name) => !namesOf("generation").includes(name) && !identityFields.includes(fieldOf(name)),
);

/** Builds model fields from settings, grouped by their paths. */
export function fieldsFrom(values: ModelValues, names: readonly ModelSettingName[]): object {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const [field = name, last] = fieldOf(name).split(".");
    fields[field] =
      last === undefined ? values[name] : { ...Object(fields[field]), [last]: values[name] };
  }
  return fields;
}

/**
 * Converts a generation model whose file turned out to contain an embedding model or a reranker.
 */
export function asPooling(
  spec: GenerationModelSpec,
  kind: PoolingModelSpec["kind"],
): PoolingModelSpec {
  const allFields = { ...spec, ...spec.ifPooling };
  const fields = namesOf(kind).map((name) => fieldOf(name).split(".", 1)[0]);
  const keptFields = Object.entries(allFields).filter(([field]) => fields.includes(field));
  return { ...Object.fromEntries(keptFields), kind } as PoolingModelSpec;
}

/** Sets the file of a model whose name has been resolved. */
export function withFile<Spec extends ModelSpec>(spec: Spec, path: string): Spec {
  return { ...spec, file: { role: spec.file.role, kind: "file", path } };
}

/**
 * Returns the file of a model.
 * @throws {StartupError} the model's name has not been resolved to a file
 */
export function sourceOf<Role extends string>(file: ModelFile<Role>): SourceFile<Role> {
  if (file.kind === "file") return { role: file.role, path: file.path };
  throw new StartupError(
    `${file.role} ${file.name}: not found on this machine; download it with ggufd pull`,
  );
}

/**
 * Returns the files that a model is loaded from.
 * @throws {StartupError} the model's name has not been resolved to a file
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

/** Path of the projector; `undefined` if none is set. */
export function projectorOf({ media }: Pick<GenerationModelSpec, "media">): string | undefined {
  const { projector } = media;
  return projector === "auto" || projector === "none" ? undefined : projector;
}

/**
 * Compares models by load order: embedding and reranking models come first, and generation models
 * take the memory that is left.
 */
export function compareLoadOrder(one: ModelSpec, other: ModelSpec): number {
  return Number(one.kind === "generation") - Number(other.kind === "generation");
}
