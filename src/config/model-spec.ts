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

/** A model's file, and the setting that names it, which errors about the file begin with. */
export type ModelFile<Role extends string = string> = { readonly role: Role } & ModelReference;

/** A file that a model is loaded from. */
export interface SourceFile<Role extends string = string> {
  readonly role: Role;
  readonly path: string;
}

/** The name of a field of a model that a setting fills: {@link Setting.at}. */
type FieldOf<Name extends ModelSettingName> = Name extends ModelSettingName
  ? (typeof settings)[Name] extends { readonly at: infer Path extends string }
    ? Path
    : Name
  : never;

/** The settings that are facts of models of a kind and need no computation to become fields. */
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

/** Fields filled from settings, of which some are in groups: `placement.mainGpu`. */
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

/** The identity of a model: its name, its file and when it is loaded. */
export interface Identity<Role extends string = "model"> {
  /** Its name in the API. */
  readonly alias: string;
  readonly file: ModelFile<Role>;
  /** Whether it is loaded when the server starts, rather than by the first request for it. */
  readonly loadsAtStart: boolean;
}

/** A model that generates text. The rows of its settings (`*-settings.ts`) describe its fields. */
export interface GenerationModelSpec extends Identity, Fields<FactName<"generation">> {
  readonly kind: "generation";
  /** A draft model; `auto`: the model's own layers for multi-token prediction, if it has any. */
  readonly draft: "auto" | "none" | SourceFile<"draft">;
  /** Fields that apply if its file turns out to be an embedding model or a reranker. */
  readonly ifPooling: Fields<PoolingFactName>;
}

/** The settings of pooling models that generation models lack. */
type PoolingFactName = Exclude<FactName<"embedding" | "reranking">, FactName<"generation">>;

/** A model that creates embeddings. */
export interface EmbeddingModelSpec
  extends Identity<"embedding-model" | "model">,
    Fields<FactName<"embedding">> {
  readonly kind: "embedding";
}

/** A model that ranks documents by a query. */
export interface RerankingModelSpec
  extends Identity<"reranking-model" | "model">,
    Fields<FactName<"reranking">> {
  readonly kind: "reranking";
}

export type PoolingModelSpec = EmbeddingModelSpec | RerankingModelSpec;

/**
 * Everything known of a model before its file is read: its identity, and what it is loaded with. Plain data: it may
 * cross a process boundary.
 */
export type ModelSpec = GenerationModelSpec | PoolingModelSpec;

/** The settings that are facts of models of a kind. */
export function namesOf(kind: ModelKind): readonly ModelSettingName[] {
  return modelSettingNames.filter((name) => {
    const { factOf }: Setting = settings[name];
    return factOf.includes(kind);
  });
}

/** The path of the field that a setting fills. */
export function fieldOf(name: ModelSettingName): string {
  const { at = name }: Setting = settings[name];
  return at;
}

/** Fields of {@link Identity}: each is computed from more than one setting. */
const identityFields = ["alias", "file", "loadsAtStart"];

/** The settings that pooling models have and generation models lack. */
export const poolingNames = [...new Set([...namesOf("embedding"), ...namesOf("reranking")])].filter(
  (name) => !namesOf("generation").includes(name) && !identityFields.includes(fieldOf(name)),
);

/** The values of settings as fields of a model, grouped by the paths of the fields. */
export function fieldsFrom(values: ModelValues, names: readonly ModelSettingName[]): object {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const [field = name, last] = fieldOf(name).split(".");
    fields[field] =
      last === undefined ? values[name] : { ...Object(fields[field]), [last]: values[name] };
  }
  return fields;
}

/** A generation model whose file turned out to be an embedding model or a reranker. */
export function asPooling(
  spec: GenerationModelSpec,
  kind: PoolingModelSpec["kind"],
): PoolingModelSpec {
  const all = { ...spec, ...spec.ifPooling };
  const fields = namesOf(kind).map((name) => fieldOf(name).split(".", 1)[0]);
  const kept = Object.entries(all).filter(([field]) => fields.includes(field));
  return { ...Object.fromEntries(kept), kind } as PoolingModelSpec;
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
    `${file.role} ${file.name}: not found on this machine; download it with ggufd pull`,
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
