import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { readGgufName } from "../store/gguf-name.js";
import {
  buildOllamaNames,
  OLLAMA_LIBRARY,
  OLLAMA_REGISTRY,
  type OllamaReference,
} from "../store/ollama-manifest.js";
import { isPullablePath, isSafeSegment, PULLABLE_NAMES } from "../store/safe-path.js";

/** File of a repository to select: the default one, that of a quantisation, or a specific one. */
export type FileSelection =
  | { readonly by: "default" }
  | { readonly by: "tag"; readonly tag: string }
  | { readonly by: "file"; readonly file: string };

export interface HuggingFaceSource {
  readonly kind: "hugging-face";
  /** `user/repo` */
  readonly repo: string;
  /** Branch, tag or commit; `undefined`: `main`. */
  readonly revision: string | undefined;
  readonly selection: FileSelection;
}

export interface OllamaSource {
  readonly kind: "ollama";
  readonly reference: OllamaReference;
}

export interface UrlSource {
  readonly kind: "url";
  readonly url: URL;
  /** Path of the file on the host, decoded. */
  readonly path: string;
}

/** Source of a pull. */
export type PullSource = HuggingFaceSource | OllamaSource | UrlSource;

const FORMS =
  "hf:user/repo[:QUANT], hf:user/repo/file.gguf, ollama:name[:tag] or the URL of a GGUF file";

/** Names permitted by the hub: letters, digits and `_`, with single `.` and `-` between them. */
const HUB_NAME = /^\w+(?:[.-]\w+)*$/;
const MAX_HUB_NAME_CHARACTERS = 96;
const HUGGING_FACE =
  /^(?<repo>[^/:@]+\/[^/:@]+)(?:@(?<revision>[\w.-]+))?(?::(?<tag>[\w.-]+)|\/(?<file>[^:]+))?$/;
const HUB_PREFIX = /^(?:hf:|(?:https?:\/\/)?(?:hf\.co|huggingface\.co)\/)/i;
const HUB_PAGE =
  /^\/(?<repo>[^/]+\/[^/]+)(?:\/(?:resolve|blob)\/(?<revision>[^/]+)\/(?<file>.+))?\/?$/;
const OLLAMA_NAME = /^\w[\w.-]{0,79}$/;
const OLLAMA_HOST = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::\d{1,5})?$/i;

/**
 * Parses the name of a source. Names without an explicit source are rejected, not guessed.
 * @param hubHosts hosts whose URLs refer to repositories of the hub
 * @throws {ModelError} `invalid_name`
 */
export function parsePullName(name: string, hubHosts: readonly string[]): PullSource {
  if (/^ollama:/i.test(name)) return parseOllama(name);
  if (/^https?:\/\//i.test(name)) return parseUrl(name, hubHosts);
  if (HUB_PREFIX.test(name)) return parseHuggingFace(name, name.replace(HUB_PREFIX, ""));
  if (/^[^/:@]+\/[^/:@]+(?:@[^/:]+)?(?::[^/:]+)?$/.test(name)) return parseHuggingFace(name, name);
  const model = /^(?<model>\w[\w.-]*)(?::(?<tag>[\w.-]+))?$/.exec(name)?.groups;
  if (model === undefined) throw createNameError(name, FORMS);
  throw createNameError(
    name,
    `a source: ollama:${name} for Ollama's registry, or hf:user/${name} for Hugging Face`,
  );
}

/**
 * Returns a name that can be pulled, for suggestions: the given one, or that of Ollama's registry
 * if no source is given.
 * @returns `undefined` if there is none
 */
export function findPullableName(name: string): string | undefined {
  return [name, `ollama:${name}`].find((spelling) => {
    try {
      return parsePullName(spelling, []) !== undefined;
    } catch (error) {
      if (error instanceof ModelError) return false;
      throw error;
    }
  });
}

/** Returns the canonical spelling of a source, which manifests record. */
export function toCanonicalName(source: PullSource): string {
  switch (source.kind) {
    case "ollama":
      return `ollama:${buildOllamaNames(source.reference).name}`;
    case "url":
      return source.url.href;
    case "hugging-face": {
      const { repo, revision, selection } = source;
      const at = revision === undefined ? "" : `@${revision}`;
      return `hf:${repo}${at}${suffixOf(selection)}`;
    }
  }
}

function suffixOf(selection: FileSelection): string {
  switch (selection.by) {
    case "default":
      return "";
    case "tag":
      return `:${selection.tag.toUpperCase()}`;
    case "file":
      return `/${selection.file}`;
  }
}

function parseHuggingFace(name: string, repositoryPath: string): HuggingFaceSource {
  const { repo, revision, tag, file } = HUGGING_FACE.exec(repositoryPath)?.groups ?? {};
  if (repo === undefined)
    throw createNameError(name, "hf:user/repo[@revision][:QUANT] or hf:user/repo/file.gguf");
  return createHuggingFaceSource(name, { repo, revision, tag, file });
}

function createHuggingFaceSource(
  name: string,
  {
    repo,
    revision,
    tag,
    file,
  }: {
    readonly repo: string;
    readonly revision: string | undefined;
    readonly tag?: string | undefined;
    readonly file: string | undefined;
  },
): HuggingFaceSource {
  if (!repo.split("/").every(isHubName)) {
    throw createNameError(name, "names of a user and a repository, of letters, digits, _, - and .");
  }
  if (revision !== undefined && !isSafeSegment(revision))
    throw createNameError(name, "a revision after @");
  if (file !== undefined && !(isPullablePath(file) && readGgufName(file) !== undefined)) {
    throw createNameError(
      name,
      `the path of a .gguf file in the repository, its name ${PULLABLE_NAMES}`,
    );
  }
  return {
    kind: "hugging-face",
    repo,
    revision: revision === "main" ? undefined : revision,
    selection: selectionOf(tag, file),
  };
}

function selectionOf(tag: string | undefined, file: string | undefined): FileSelection {
  if (file !== undefined) return { by: "file", file };
  return tag === undefined ? { by: "default" } : { by: "tag", tag };
}

function isHubName(name: string): boolean {
  return HUB_NAME.test(name) && name.length <= MAX_HUB_NAME_CHARACTERS && isSafeSegment(name);
}

function parseOllama(name: string): OllamaSource {
  const segments = name.replace(/^ollama:/i, "").split("/");
  const lastSegment = /^(?<model>[^:]*)(?::(?<tag>[^:]*))?$/.exec(segments.pop() ?? "")?.groups;
  const [namespace = OLLAMA_LIBRARY, host = OLLAMA_REGISTRY, ...others] = segments.toReversed();
  const { model = "", tag = "latest" } = lastSegment ?? {};
  const isValid =
    others.length === 0 &&
    OLLAMA_HOST.test(host) &&
    [namespace, model, tag].every((part) => OLLAMA_NAME.test(part) && isSafeSegment(part));
  if (!isValid) throw createNameError(name, "ollama:[[host/]user/]name[:tag]");
  return { kind: "ollama", reference: { host: host.toLowerCase(), namespace, model, tag } };
}

function parseUrl(name: string, hubHosts: readonly string[]): PullSource {
  if (!URL.canParse(name)) throw createNameError(name, FORMS);
  const url = new URL(name);
  if (url.username !== "" || url.password !== "") {
    throw new ModelError(
      "invalid_name",
      `${preview(withoutCredentials(url))}: expected a URL without a user and password`,
    );
  }
  url.hash = "";
  const path = decodePath(url.pathname);
  if (path === undefined) throw createNameError(name, "a URL with a valid path");
  if (hubHosts.includes(url.host)) {
    const { repo, revision, file } = HUB_PAGE.exec(path)?.groups ?? {};
    if (repo === undefined)
      throw createNameError(name, "the URL of a repository, or of a .gguf file in one");
    return createHuggingFaceSource(name, { repo, revision, file });
  }
  const pathOnHost = path.slice(1);
  if (!isPullablePath(pathOnHost) || readGgufName(pathOnHost) === undefined) {
    throw createNameError(name, `the URL of a .gguf file, its name ${PULLABLE_NAMES}`);
  }
  return { kind: "url", url, path: pathOnHost };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function withoutCredentials(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function createNameError(name: string, expected: string): ModelError {
  return new ModelError("invalid_name", `expected ${expected}, got ${preview(name)}`);
}
