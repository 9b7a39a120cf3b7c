import { posix } from "node:path";
import { buildPartNames, readGgufName } from "../store/gguf-name.js";
import { anonymousAuthorization } from "./authorization.js";
import type { PullPlan } from "./pull-plan.js";
import type { UrlSource } from "./pull-source.js";

/**
 * Plans the pull of a URL, with all parts of a split model. Their sizes are unknown until the
 * download.
 */
export function planUrl({ url, path }: UrlSource): PullPlan {
  const folder = `url/${url.host.replaceAll(/[:[\]]/g, "_")}`;
  const [first = path, ...others] = buildPartNames(path);
  const name = posix.basename(readGgufName(path)?.prefix ?? path);
  return {
    name,
    aliases: [`${name}.gguf`, buildFileUrl(url, first).href],
    manifestKey: `${folder}/${first}`,
    files: [first, ...others].map((part) => ({
      role: "model",
      path: `${folder}/${part}`,
      sizeBytes: undefined,
      sha256: undefined,
      url: buildFileUrl(url, part),
      authorization: anonymousAuthorization,
    })),
    origin: { kind: "url", url: buildFileUrl(url, first).href },
  };
}

/** Returns the URL of a part. The URL of the given part itself is kept as written. */
function buildFileUrl(url: URL, path: string): URL {
  const partUrl = new URL(url);
  if (decodeURIComponent(url.pathname) === `/${path}`) return partUrl;
  partUrl.pathname = path.split("/").map(encodeURIComponent).join("/");
  return partUrl;
}
