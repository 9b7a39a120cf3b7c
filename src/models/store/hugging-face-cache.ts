import { readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { unlessMissing } from "../../files/system-errors.js";
import { toStoredFiles } from "./folder-models.js";
import { readGgufName } from "./gguf-name.js";
import { groupFiles } from "./group-files.js";
import type { HuggingFaceOrigin, NamedFiles, StoredModel } from "./stored-model.js";
import { type FoundFile, readEntries, walkGgufFiles } from "./walk-folder.js";

const REPOSITORY = /^models--(?<user>.+?)--(?<repo>.+)$/;
const SHA256 = /^[\da-f]{64}$/;
/** Maximum depth: repositories have folders for quantisations, and hardly ever deeper ones. */
const MAX_DEPTH = 4;

/**
 * Lists the models in the cache shared by `huggingface_hub`, llama.cpp and others. Each file is
 * taken from the revision of `refs/main` if it is there, otherwise from any revision.
 * https://huggingface.co/docs/hub/local-cache
 * @param folder the cache, such as `~/.cache/huggingface/hub`
 */
export async function listHuggingFaceModels(folder: string): Promise<readonly StoredModel[]> {
  const repositories = await Promise.all(
    (await readEntries(folder)).map(async ({ name }) => {
      const { user, repo } = REPOSITORY.exec(name)?.groups ?? {};
      return user === undefined || repo === undefined
        ? []
        : listRepositoryModels(join(folder, name), `${user}/${repo}`);
    }),
  );
  return repositories.flat();
}

async function listRepositoryModels(folder: string, repo: string): Promise<StoredModel[]> {
  const main = await unlessMissing(readFile(join(folder, "refs", "main"), "utf8"));
  const revisions = (await readEntries(join(folder, "snapshots"))).map(({ name }) => name);
  const sortedRevisions = revisions.toSorted(
    (a, b) => Number(b === main?.trim()) - Number(a === main?.trim()),
  );
  const models: StoredModel[] = [];
  const seen = new Set<string>();
  for (const revision of sortedRevisions) {
    const found = await walkGgufFiles(join(folder, "snapshots", revision), { maxDepth: MAX_DEPTH });
    const groups = groupFiles("repository", await Promise.all(found.map(withDigest)));
    for (const group of groups) {
      const origin = { kind: "hugging-face", repo, revision, file: group.files[0].path } as const;
      if (seen.has(origin.file)) continue;
      seen.add(origin.file);
      const names = buildHuggingFaceNames(origin);
      models.push({
        ...names,
        ...toStoredFiles(group),
        adapters: [],
        place: "hugging-face",
        origin,
      });
    }
  }
  return models;
}

/** Names a model of a repository as llama-server does: `user/repo:Q4_K_M`. */
export function buildHuggingFaceNames({
  repo,
  file,
}: Pick<HuggingFaceOrigin, "repo" | "file">): Pick<NamedFiles, "name" | "aliases"> {
  const { tag, prefix = file } = readGgufName(file) ?? {};
  const path = `${repo}/${file}`;
  const name = tag === undefined ? path : `${repo}:${tag}`;
  const aliases = [`hf:${name}`, path, `hf:${path}`, repo, `hf:${repo}`, basename(prefix)];
  return { name, aliases: aliases.filter((alias) => alias !== name) };
}

/**
 * Adds the digest of a file. Snapshots are links to blobs, and large blobs are named after their
 * SHA-256.
 */
async function withDigest({ path, file }: FoundFile): Promise<FoundFile> {
  const blob = basename(await readlink(file.path).catch(() => ""));
  return { path, file: SHA256.test(blob) ? { ...file, sha256: blob } : file };
}
