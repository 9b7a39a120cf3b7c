import type { ServerResponse } from "node:http";
import { answerWithFile, type Fault, sha256Of } from "./file-answers.js";
import { type SeenRequest, StandIn, sendJson, sendStatus } from "./stand-in.js";

export interface HubOptions {
  /** Files by their paths. */
  readonly files: Readonly<Record<string, Buffer | string>>;
  readonly repo?: string;
  /** Without it, the repository is open. */
  readonly token?: string;
  readonly isGated?: boolean;
  readonly pageSize?: number;
  /** Faults of answers with files, one after the other; `undefined`: none. */
  readonly faults?: (Fault | undefined)[];
}

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** The part of the hub's interface that pulling needs, with its storage on another host. */
export class HubStandIn {
  readonly api: StandIn;
  readonly storage: StandIn;
  readonly options: Required<Omit<HubOptions, "token">> & Pick<HubOptions, "token">;
  commit = COMMIT;

  static async start(options: HubOptions): Promise<HubStandIn> {
    const complete = { repo: "user/repo", isGated: false, pageSize: 1000, faults: [], ...options };
    const hub: HubStandIn = new HubStandIn(
      complete,
      await StandIn.start((request, response) => hub.#answer(request, response)),
      await StandIn.start((request, response) => hub.#answerFromStorage(request, response)),
    );
    return hub;
  }

  private constructor(options: HubStandIn["options"], api: StandIn, storage: StandIn) {
    this.options = options;
    this.api = api;
    this.storage = storage;
  }

  /** Environment of the pulling process. */
  get environment(): NodeJS.ProcessEnv {
    return { HF_ENDPOINT: this.api.origin, HF_TOKEN_PATH: "/nowhere" };
  }

  contentOf(path: string): Buffer {
    return Buffer.from(this.options.files[path] ?? "");
  }

  #answer(request: SeenRequest, response: ServerResponse): unknown {
    const { repo, token, isGated, files } = this.options;
    const url = new URL(request.target, "http://hub");
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      const code = isGated ? "GatedRepo" : "RepoNotFound";
      return sendStatus(response, 401, { "x-error-code": code });
    }
    const path = decodeURIComponent(url.pathname);
    if (path.startsWith(`/api/models/${repo}/revision/`)) {
      const revision = path.split("/revision/")[1];
      if (revision !== "main" && revision !== this.commit) return sendStatus(response, 404);
      return sendJson(response, { sha: this.commit });
    }
    if (path === `/api/models/${repo}/tree/${this.commit}`) return this.#answerTree(url, response);
    const file = path.split(`/${repo}/resolve/${this.commit}/`)[1];
    if (file === undefined || files[file] === undefined) {
      return sendStatus(response, 404, { "x-error-code": "EntryNotFound" });
    }
    const content = this.contentOf(file);
    return sendStatus(response, 302, {
      location: `${this.storage.otherOrigin}/${encodeURIComponent(file)}?signed`,
      "x-repo-commit": this.commit,
      "x-linked-size": content.length,
      "x-linked-etag": `"${sha256Of(content)}"`,
    });
  }

  #answerTree(url: URL, response: ServerResponse): unknown {
    const { pageSize, files } = this.options;
    const start = Number(url.searchParams.get("cursor") ?? 0);
    const paths = Object.keys(files);
    const entries = paths.slice(start, start + pageSize).map((path) => {
      const content = this.contentOf(path);
      const lfs = { oid: sha256Of(content), size: content.length, pointerSize: 134 };
      return { type: "file", oid: "0".repeat(40), size: content.length, path, lfs };
    });
    const next = new URL(url.pathname, this.api.origin);
    next.searchParams.set("recursive", "true");
    next.searchParams.set("cursor", String(start + pageSize));
    const isLast = start + pageSize >= paths.length;
    return sendJson(response, entries, isLast ? {} : { link: `<${next.href}>; rel="next"` });
  }

  #answerFromStorage(request: SeenRequest, response: ServerResponse): unknown {
    const file = decodeURIComponent(new URL(request.target, "http://cdn").pathname.slice(1));
    const content = this.contentOf(file);
    const fault = this.options.faults.shift();
    return answerWithFile(request, response, { content, etag: `"${sha256Of(content)}"`, fault });
  }
}
