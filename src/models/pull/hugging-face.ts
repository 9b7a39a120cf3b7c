import { z } from "zod";
import { describeIssues } from "../../validation/describe-issues.js";
import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { readGgufName } from "../store/gguf-name.js";
import { buildHuggingFaceNames } from "../store/hugging-face-cache.js";
import { isPullablePath, PULLABLE_NAMES } from "../store/safe-path.js";
import { createHubAuthorization, readEndpoint, readHubToken } from "./hugging-face-access.js";
import { chooseFiles } from "./hugging-face-choice.js";
import type { Inquiry, PlannedFile, PullPlan } from "./pull-plan.js";
import type { HuggingFaceSource } from "./pull-source.js";
import type { Authorization } from "./source-client.js";

/**
 * Maximum size of a page. A page of a thousand files has 300 KB; with the last commit of each file,
 * 500 KB.
 */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Maximum number of pages; repositories of models have hundreds of files. */
const MAX_PAGES = 50;

const revisionInfo = z.object({
  sha: z.string().regex(/^[\da-f]{40,64}$/, { error: "expected a commit" }),
});

const treeEntry = z.object({
  type: z.string(),
  path: z.string(),
  size: z.int().min(0),
  /** Present for files in Git LFS; `oid` is the SHA-256 of the content. */
  lfs: z.object({ oid: z.string().regex(/^[\da-f]{64}$/), size: z.int().min(0) }).optional(),
});
type TreeEntry = z.infer<typeof treeEntry>;

/**
 * Plans the pull of a name from a repository, pinned to the newest commit, whose id is part of the
 * file URLs. https://huggingface.co/docs/hub/api
 * @throws {ModelError}
 */
export async function planHuggingFace(
  { repo, revision, selection }: HuggingFaceSource,
  environment: NodeJS.ProcessEnv,
  inquiry: Inquiry,
): Promise<PullPlan> {
  const endpoint = readEndpoint(environment);
  const authorization = createHubAuthorization(readHubToken(environment), repo);
  const hub = new HubRepository({ endpoint, repo, authorization, inquiry });
  const commit = await hub.fetchCommit(revision ?? "main");
  const ggufEntries = (await hub.listFiles(commit)).filter(
    ({ type, path }) => type === "file" && readGgufName(path) !== undefined,
  );
  const files = ggufEntries.filter(({ path }) => isPullablePath(path));
  if (files.length === 0 && ggufEntries[0] !== undefined) {
    const expected = `${repo}: expected paths below a folder, with names of ${PULLABLE_NAMES}`;
    throw new ModelError("invalid_answer", `${expected}, got ${preview(ggufEntries[0].path)}`);
  }
  const { parts, projector } = chooseFiles(repo, files, selection);
  const pinnedRepo = revision === undefined ? repo : `${repo}@${revision}`;
  const createPlannedFile =
    (role: "model" | "projector") =>
    (entry: TreeEntry): PlannedFile => ({
      role,
      path: `hf/${pinnedRepo}/${entry.path}`,
      sizeBytes: entry.lfs?.size ?? entry.size,
      sha256: entry.lfs?.oid,
      url: hub.urlOf(commit, entry.path),
      authorization,
    });
  const file = parts[0].path;
  return {
    ...buildHuggingFaceNames({ repo: pinnedRepo, file }),
    manifestKey: `hf/${pinnedRepo}/${file}`,
    files: [
      ...parts.map(createPlannedFile("model")),
      ...(projector === undefined ? [] : [projector].map(createPlannedFile("projector"))),
    ],
    origin: { kind: "hugging-face", repo, revision: commit, file },
  };
}

interface HubOptions {
  readonly endpoint: URL;
  readonly repo: string;
  readonly authorization: Authorization;
  readonly inquiry: Inquiry;
}

/** Client of the hub's API for one repository. */
class HubRepository {
  readonly #options: HubOptions;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  async fetchCommit(revision: string): Promise<string> {
    const { repo, endpoint } = this.#options;
    const url = new URL(`api/models/${repo}/revision/${encodeURIComponent(revision)}`, endpoint);
    try {
      return this.#parse(revisionInfo, (await this.#getJson(url)).value).sha;
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== "not_found") throw error;
      const expected = `${repo}: expected a repository with a revision ${revision}`;
      throw new ModelError("not_found", `${expected}, got none (${error.message})`, error);
    }
  }

  /** Lists all files of a commit, page by page. */
  async listFiles(commit: string): Promise<readonly TreeEntry[]> {
    const { repo, endpoint } = this.#options;
    const entries: TreeEntry[] = [];
    let next: URL | undefined = new URL(
      `api/models/${repo}/tree/${commit}?recursive=true`,
      endpoint,
    );
    for (let pages = 0; next !== undefined; pages += 1) {
      if (pages === MAX_PAGES)
        throw this.#createAnswerError(`at most ${MAX_PAGES} pages of files, got more`);
      const { value, link }: { value: unknown; link: string | undefined } =
        await this.#getJson(next);
      entries.push(...this.#parse(z.array(treeEntry), value));
      next = this.#findNextPage(next, link);
    }
    return entries;
  }

  urlOf(commit: string, path: string): URL {
    const { repo, endpoint } = this.#options;
    const encodedPath = path.split("/").map(encodeURIComponent).join("/");
    return new URL(`${repo}/resolve/${commit}/${encodedPath}`, endpoint);
  }

  async #getJson(url: URL): Promise<{ value: unknown; link: string | undefined }> {
    const { repo, authorization, inquiry } = this.#options;
    const { client, signal } = inquiry;
    const request = { url, authorization, signal, subject: repo };
    const { value, headers } = await client.getJson(request, MAX_PAGE_BYTES);
    return { value, link: typeof headers.link === "string" ? headers.link : undefined };
  }

  /**
   * Returns the next page (RFC 8288). A page on another host is rejected, since the token is for
   * the hub only.
   */
  #findNextPage(page: URL, link: string | undefined): URL | undefined {
    const target = /<(?<target>[^>]*)>\s*;[^,]*rel="?next"?/.exec(link ?? "")?.groups?.target;
    if (target === undefined) return undefined;
    const next = URL.canParse(target, page.href) ? new URL(target, page) : undefined;
    if (next?.origin === page.origin) return next;
    throw this.#createAnswerError(
      `the next page of files at ${page.origin}, got ${next?.origin ?? "no URL"}`,
    );
  }

  #parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const [detail] = describeIssues(result.error, value);
    throw this.#createAnswerError(`${detail?.field || "an answer"}: ${detail?.reason}`);
  }

  #createAnswerError(expected: string): ModelError {
    return new ModelError("invalid_answer", `${this.#options.repo}: expected ${expected}`);
  }
}
