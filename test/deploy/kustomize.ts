import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

/** An object of Kubernetes' API. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [member: string]: unknown;
}

interface Kustomization {
  readonly kind: "Kustomization" | "Component";
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly {
    readonly name: string;
    readonly files: readonly string[];
  }[];
  readonly images?: readonly Image[];
  readonly labels?: readonly { readonly pairs: Readonly<Record<string, string>> }[];
  readonly patches?: readonly { readonly path: string }[];
}

interface Image {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
}

/**
 * Result of `kubectl kustomize` for a folder, as far as `deploy/kubernetes` needs it: without
 * labels, and without the hashes in the names of generated config maps.
 */
export function render(folder: string): Resource[] {
  const kustomization = readKustomization(folder);
  const { resources = [], components = [], configMapGenerator = [] } = kustomization;
  const { patches = [], images = [] } = kustomization;
  const named = [...resources, ...components].flatMap((path) =>
    path.endsWith(".yaml") ? readResources(join(folder, path)) : render(join(folder, path)),
  );
  const generated = configMapGenerator.map(({ name, files }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")])),
  }));
  const changes = patches.flatMap(({ path }) => readResources(join(folder, path)));
  return [...named, ...generated].map((resource) => {
    const patched = changes
      .filter((change) => isSame(change, resource))
      .reduce((before, change) => merged(before, change) as Resource, resource);
    return withImages(patched, images) as Resource;
  });
}

function readKustomization(folder: string): Kustomization {
  return parse(readFileSync(join(folder, "kustomization.yaml"), "utf8")) as Kustomization;
}

function readResources(path: string): Resource[] {
  return parseAllDocuments(readFileSync(path, "utf8")).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join("; ")}`);
    return document.toJS() as Resource;
  });
}

const isSame = (one: Resource, other: Resource) =>
  one.kind === other.kind && one.metadata.name === other.metadata.name;

/** A strategic merge: objects by member, lists of named objects by name, everything else replaced. */
function merged(before: unknown, change: unknown): unknown {
  if (isNamedList(before) && isNamedList(change)) {
    const names = new Set([...before, ...change].map(({ name }) => name));
    return [...names].map((name) => {
      const [old, next] = [before, change].map((list) => list.find((entry) => entry.name === name));
      return old === undefined ? next : next === undefined ? old : merged(old, next);
    });
  }
  if (!isObject(before) || !isObject(change)) return change;
  const entries = Object.entries(change).map(([name, value]) => [
    name,
    name in before ? merged(before[name], value) : value,
  ]);
  return { ...before, ...Object.fromEntries(entries) };
}

function withImages(value: unknown, images: readonly Image[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => withImages(entry, images));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const image = name === "image" ? images.find((known) => known.name === member) : undefined;
      return [name, image ? `${image.newName}:${image.newTag}` : withImages(member, images)];
    }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNamedList(value: unknown): value is { readonly name: string }[] {
  return Array.isArray(value) && value.every((entry) => isObject(entry) && "name" in entry);
}
