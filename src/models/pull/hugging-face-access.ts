import type { IncomingHttpHeaders } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { readRegularFile } from "../../files/regular-files.js";
import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import type { Authorization } from "./source-client.js";

export const DEFAULT_ENDPOINT = "https://huggingface.co";

/**
 * Returns the URL of the hub, or of a mirror named by `HF_ENDPOINT`.
 * @throws {ModelError} `invalid_name`
 */
export function readEndpoint(environment: NodeJS.ProcessEnv): URL {
  const text = environment.HF_ENDPOINT || DEFAULT_ENDPOINT;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ["http:", "https:"].includes(url.protocol)) {
    url.pathname = url.pathname.replace(/\/*$/, "/");
    return url;
  }
  throw new ModelError(
    "invalid_name",
    `HF_ENDPOINT: expected an http or https URL, got ${preview(text)}`,
  );
}

/** Returns the hosts whose URLs refer to repositories of the hub. */
export function hubHostsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  return ["huggingface.co", "hf.co", readEndpoint(environment).host];
}

/**
 * Returns the user's token: `HF_TOKEN`, or the one stored by `hf auth login`.
 * @returns `undefined` if there is none
 * @throws {ModelError} `access_denied`: the text cannot be a token
 */
export function readHubToken(environment: NodeJS.ProcessEnv): string | undefined {
  const cacheHome = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), ".cache");
  const home = environment.HF_HOME || join(cacheHome, "huggingface");
  const path = environment.HF_TOKEN_PATH || join(home, "token");
  const [source, text] = environment.HF_TOKEN
    ? ["HF_TOKEN", environment.HF_TOKEN]
    : [path, readStoredToken(path)];
  const token = text.trim();
  if (token === "") return undefined;
  if (/^[\x21-\x7e]{1,1024}$/.test(token)) return token;
  throw new ModelError("access_denied", `${source}: expected a token of visible ASCII characters`);
}

/** Returns the stored token; empty if it is missing or unreadable. */
function readStoredToken(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch {
    return "";
  }
}

/** @param repo repository, for errors */
export function createHubAuthorization(token: string | undefined, repo: string): Authorization {
  return {
    createHeader: () => (token === undefined ? undefined : `Bearer ${token}`),
    renew: async () => false,
    createRefusalError: (subject, status, headers) =>
      new ModelError(
        "access_denied",
        `${subject}: ${explainRefusal(status, headers, { token, repo })}`,
      ),
  };
}

/** Explains a refusal. The hub answers 401 for missing and for private repositories alike. */
function explainRefusal(
  status: number,
  headers: IncomingHttpHeaders,
  { token, repo }: { readonly token: string | undefined; readonly repo: string },
): string {
  if (headers["x-error-code"] === "GatedRepo") {
    return token === undefined
      ? `the repository is gated: expected HF_TOKEN of a user who has accepted its terms at ${DEFAULT_ENDPOINT}/${repo}`
      : `the repository is gated: expected a token of a user who has accepted its terms at ${DEFAULT_ENDPOINT}/${repo}, got the token of another user`;
  }
  return token === undefined
    ? `there is no such repository, or it is private: expected HF_TOKEN of a user who may read it (status ${status})`
    : `there is no such repository, or this token may not read it (status ${status})`;
}
