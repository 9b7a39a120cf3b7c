import { z } from "zod";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";
import type { HubQuantization, HubQuery, HubRepository, HubSearch } from "../../core/hub-search.js";
import { sumBy } from "../../core/sum-by.js";
import { ModelError } from "../model-error.js";
import { hasTag, readGgufName } from "../store/gguf-name.js";
import { groupFiles } from "../store/group-files.js";
import { isPullablePath } from "../store/safe-path.js";
import { createHubAuthorization, readEndpoint, readHubToken } from "./hugging-face-access.js";
import type { Inquiry } from "./pull-plan.js";
import { parsePullName } from "./pull-source.js";
import { TransientFailure } from "./retries.js";

/** Time limit of a search. Descriptions that are not complete by then are left out. */
const SEARCH_LIMIT_MS = 10_000;
/** Maximum size of a list of repositories; an entry has about 1 KB. */
const MAX_LIST_BYTES = 1024 * 1024;
/** Maximum size of the description of a repository; one with a thousand files has 400 KB. */
const MAX_DESCRIPTION_BYTES = 4 * 1024 * 1024;
/** Maximum number of models of a repository that are reported. */
const MAX_QUANTIZATIONS = 100;
/** Number of repositories that are described at the same time. */
const CONCURRENT_REQUESTS = 4;
/** Maximum length of a name that can be pulled by a request. */
const MAX_PULL_NAME_CHARACTERS = 512;

const shortText = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !hasHiddenCharacters(text))
  .optional()
  .catch(undefined);
const count = z.int().nonnegative().optional().catch(undefined);

const repositoryList = z.array(z.object({ id: z.string().catch("") }).catch({ id: "" }));

const repositoryFile = z.object({ rfilename: z.string(), size: z.int().nonnegative() });

const description = z.object({
  downloads: count,
  likes: count,
  /** `false`, `"auto"` or `"manual"`. */
  gated: z.union([z.boolean(), z.string()]).optional().catch(undefined),
  pipeline_tag: shortText,
  cardData: z.object({ license: shortText, license_name: shortText }).nullish().catch(undefined),
  tags: z.array(z.unknown()).optional().catch(undefined),
  gguf: z
    .object({ total: count, architecture: shortText, context_length: count })
    .nullish()
    .catch(undefined),
  siblings: z.array(z.unknown()),
});
type Description = z.infer<typeof description>;

type FoundRepositories = Pick<HubSearch, "hub" | "repositories">;

/**
 * Searches the hub, or its mirror, for repositories with GGUF files, and describes each of them.
 * https://huggingface.co/docs/hub/api
 * @throws {ModelError} `source_unavailable`, `invalid_answer`, `access_denied`
 * @throws the signal's reason
 */
export async function searchHub(
  { text, limit }: HubQuery,
  environment: NodeJS.ProcessEnv,
  { client, signal }: Inquiry,
  limitMs = SEARCH_LIMIT_MS,
): Promise<FoundRepositories> {
  const hub = readEndpoint(environment);
  const token = readHubToken(environment);
  const limitedSignal = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const get = async (url: URL, repo: string, maxBytes: number) => {
    const authorization = createHubAuthorization(token, repo);
    const request = { url, authorization, signal: limitedSignal, subject: hub.host };
    return (await client.getJson(request, maxBytes)).value;
  };
  const describe = async (name: string): Promise<HubRepository | undefined> => {
    try {
      const url = new URL(`api/models/${name}?blobs=true`, hub);
      const answer = await get(url, name, MAX_DESCRIPTION_BYTES);
      return toRepository(name, description.parse(answer));
    } catch {
      signal.throwIfAborted();
      return toRepository(name, undefined);
    }
  };
  try {
    const answer = await get(buildListUrl(hub, text, limit), "", MAX_LIST_BYTES);
    const list = repositoryList.safeParse(answer);
    if (!list.success) {
      throw new ModelError("invalid_answer", `${hub.host}: expected a list of repositories`);
    }
    const names = list.data.map(({ id }) => id).filter(isRepositoryName);
    const found = await mapConcurrently(names.slice(0, limit), describe);
    return { hub: hub.origin, repositories: found.filter((one) => one !== undefined) };
  } catch (error) {
    signal.throwIfAborted();
    throw toSearchError(hub.host, error, limitedSignal.aborted ? limitMs : undefined);
  }
}

function buildListUrl(hub: URL, text: string, limit: number): URL {
  const url = new URL("api/models", hub);
  url.search = new URLSearchParams({
    search: text,
    filter: "gguf",
    sort: "downloads",
    direction: "-1",
    limit: String(limit),
  }).toString();
  return url;
}

/** @param limitMs time limit that has passed; `undefined`: another failure */
function toSearchError(host: string, error: unknown, limitMs: number | undefined): unknown {
  if (limitMs !== undefined) {
    const message = `${host}: expected an answer within ${limitMs / 1000} s, got none`;
    return new ModelError("source_unavailable", message, error);
  }
  if (!(error instanceof TransientFailure)) return error;
  return new ModelError("source_unavailable", `${host}: ${error.message}`, error);
}

/** @param name from the hub, which may be anything */
function isRepositoryName(name: string): boolean {
  return findSource(`hf:${name}`)?.selection.by === "default";
}

function findSource(pullName: string) {
  if (pullName.length > MAX_PULL_NAME_CHARACTERS) return undefined;
  try {
    const source = parsePullName(pullName, []);
    return source.kind === "hugging-face" && source.revision === undefined ? source : undefined;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

/**
 * @param described `undefined`: the hub did not describe the repository
 * @returns `undefined` if the repository has no model that can be pulled
 */
function toRepository(name: string, described: Description | undefined): HubRepository | undefined {
  const quantizations = described && listQuantizations(name, described.siblings);
  if (quantizations?.length === 0) return undefined;
  const { gguf, gated } = described ?? {};
  return {
    name,
    downloads: described?.downloads ?? 0,
    likes: described?.likes ?? 0,
    license: described && findLicense(described),
    isGated: gated !== undefined && gated !== false,
    task: described?.pipeline_tag,
    architecture: gguf?.architecture,
    parameters: gguf?.total,
    trainContextSize: gguf?.context_length,
    quantizations,
  };
}

/** Returns the license; the name of one that the hub does not know, from the model card. */
function findLicense({ cardData, tags = [] }: Description): string | undefined {
  const { license, license_name: name } = cardData ?? {};
  const tag = tags.find((one): one is string => typeof one === "string" && /^license:./.test(one));
  const known = license ?? shortText.parse(tag?.slice("license:".length));
  return known === "other" ? (name ?? known) : known;
}

/** Lists the models of a repository, smallest first. */
function listQuantizations(repo: string, siblings: readonly unknown[]): HubQuantization[] {
  const files = siblings.flatMap((sibling) => {
    const { data } = repositoryFile.safeParse(sibling);
    const isUsable = data !== undefined && isPullablePath(data.rfilename);
    return isUsable ? [{ path: data.rfilename, sizeBytes: data.size }] : [];
  });
  const groups = groupFiles("repository", files);
  const paths = groups.map((group) => group.files[0].path);
  return groups
    .flatMap(({ files: parts, projector }) => {
      const [{ path }] = parts;
      const tag = readGgufName(path)?.tag;
      const isUnique =
        tag !== undefined && paths.filter((other) => hasTag(other, tag)).length === 1;
      const pullName = isUnique ? `hf:${repo}:${tag}` : `hf:${repo}/${path}`;
      if (findSource(pullName) === undefined) return [];
      return {
        pullName,
        label: isUnique ? tag : path.replace(/\.gguf$/i, ""),
        sizeBytes: sumBy([...parts, ...(projector ? [projector] : [])], (file) => file.sizeBytes),
        hasProjector: projector !== undefined,
      };
    })
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes)
    .slice(0, MAX_QUANTIZATIONS);
}

/** Maps values in their order, a few at a time. */
async function mapConcurrently<Value, Result>(
  values: readonly Value[],
  map: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...values.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, value] = next;
      results[index] = await map(value);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work));
  return results;
}
