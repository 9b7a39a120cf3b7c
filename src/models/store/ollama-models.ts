import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildOllamaNames,
  groupLayers,
  MAX_OLLAMA_MANIFEST_BYTES,
  type OllamaLayer,
  type OllamaManifest,
  type OllamaReference,
  ollamaManifest,
  toBlobName,
} from "./ollama-manifest.js";
import type { OllamaOrigin, StoredFile, StoredModel } from "./stored-model.js";
import { readEntries, statFile } from "./walk-folder.js";

/**
 * Lists the models of a local Ollama installation.
 * @param folder such as `~/.ollama/models`
 */
export async function listOllamaModels(folder: string): Promise<readonly StoredModel[]> {
  const references = await listReferences(join(folder, "manifests"));
  const models = await Promise.all(references.map((reference) => readModel(folder, reference)));
  return models.filter((model) => model !== undefined);
}

/** Lists the manifests of `host/namespace/model/tag` below a folder. */
async function listReferences(folder: string): Promise<readonly OllamaReference[]> {
  const listNames = async (...path: string[]) =>
    (await readEntries(join(folder, ...path)))
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("."));
  const collectFromEach = async <Item>(
    items: readonly string[],
    list: (item: string) => Promise<Item[]>,
  ) => (await Promise.all(items.map(list))).flat();
  return collectFromEach(await listNames(), async (host) =>
    collectFromEach(await listNames(host), async (namespace) =>
      collectFromEach(await listNames(host, namespace), async (model) =>
        (await listNames(host, namespace, model)).map((tag) => ({ host, namespace, model, tag })),
      ),
    ),
  );
}

/** Returns `undefined` if the weights are incomplete or not in GGUF. */
async function readModel(
  folder: string,
  reference: OllamaReference,
): Promise<StoredModel | undefined> {
  const { host, namespace, model, tag } = reference;
  const path = join(folder, "manifests", host, namespace, model, tag);
  const manifest = parseManifest(await readFile(path, "utf8").catch(() => ""));
  if (manifest === undefined) return undefined;
  const { models, projectors, adapters, texts } = groupLayers(manifest);
  const findBlob = ({ digest, size }: OllamaLayer) => findCompleteBlob(folder, digest, size);
  const [[first, ...others], [projector], adapterFiles] = await Promise.all([
    awaitPresent(models.map(findBlob)),
    awaitPresent(projectors.map(findBlob)),
    awaitPresent(adapters.map(findBlob)),
  ]);
  if (first === undefined || 1 + others.length < models.length) return undefined;
  const origin: OllamaOrigin = {
    kind: "ollama",
    name: buildOllamaNames(reference).name,
    texts: texts.map((text) => ({
      kind: text.kind,
      path: join(folder, "blobs", toBlobName(text.layer.digest)),
      sizeBytes: text.layer.size,
    })),
  };
  return {
    ...buildOllamaNames(reference),
    files: [first, ...others],
    projector,
    adapters: adapterFiles,
    place: "ollama",
    origin,
  };
}

function parseManifest(text: string): OllamaManifest | undefined {
  if (text.length > MAX_OLLAMA_MANIFEST_BYTES) return undefined;
  try {
    return ollamaManifest.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Finds a blob of the expected size. Ollama downloads to the blob's name with `-partial`; a blob of
 * another size is damaged.
 */
async function findCompleteBlob(
  folder: string,
  digest: string,
  sizeBytes: number,
): Promise<StoredFile | undefined> {
  const file = await statFile(
    join(folder, "blobs", toBlobName(digest)),
    digest.replace("sha256:", ""),
  );
  return file?.sizeBytes === sizeBytes ? file : undefined;
}

async function awaitPresent(
  files: readonly Promise<StoredFile | undefined>[],
): Promise<StoredFile[]> {
  return (await Promise.all(files)).filter((file) => file !== undefined);
}
