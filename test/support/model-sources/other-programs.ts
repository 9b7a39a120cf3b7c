import { createHash } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ModelPlaces } from "../../../src/models/store/model-folders.js";
import { temporaryFolder } from "../temporary-folder.js";

/** Folders of a machine on which nothing is installed, all below one. */
export async function emptyMachine(): Promise<ModelPlaces & { readonly root: string }> {
  const root = await temporaryFolder();
  return {
    root,
    own: join(root, "ggufd"),
    huggingFaceCaches: [join(root, "hub")],
    ollama: [join(root, "ollama")],
    lmStudio: [join(root, "lmstudio")],
  };
}

/** Writes a file and its folders. @returns its path */
export async function put(path: string, content: string | Uint8Array = path): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

export const sha256Of = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

/** Puts a file into Hugging Face's cache as its clients do: a blob, and a link to it. */
export async function putInCache(
  cache: string,
  {
    repo,
    revision,
    file,
  }: { readonly repo: string; readonly revision: string; readonly file: string },
  content: string = file,
): Promise<string> {
  const folder = join(cache, `models--${repo.replace("/", "--")}`);
  const blob = await put(join(folder, "blobs", sha256Of(content)), content);
  const link = join(folder, "snapshots", revision, file);
  await mkdir(dirname(link), { recursive: true });
  await symlink(relative(dirname(link), blob), link);
  return link;
}

/** A layer of an Ollama model: its kind, `model` or `template`, and its content. */
export type Layer = readonly [kind: string, content: string | Uint8Array];

/** Installs a model as Ollama does. @param path of the manifest: `registry.ollama.ai/library/llama3/latest` */
export async function putInOllama(
  folder: string,
  path: string,
  layers: readonly Layer[],
): Promise<void> {
  for (const [, content] of layers) {
    await put(join(folder, "blobs", `sha256-${sha256Of(content)}`), content);
  }
  await put(join(folder, "manifests", path), JSON.stringify(manifestOf(layers)));
}

export function manifestOf(layers: readonly Layer[]) {
  return {
    schemaVersion: 2,
    mediaType: "application/vnd.docker.distribution.manifest.v2+json",
    config: { mediaType: "application/vnd.docker.container.image.v1+json", digest: "", size: 0 },
    layers: layers.map(([kind, content]) => ({
      mediaType: `application/vnd.ollama.image.${kind}`,
      digest: `sha256:${sha256Of(content)}`,
      size: Buffer.byteLength(content),
    })),
  };
}
