import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { formatReason } from "../../core/format-reason.js";
import { errorCodeOf } from "../../files/system-errors.js";
import { ModelError } from "../model-error.js";
import { parseRetryAfterMs, type RetryPolicy, TransientFailure } from "./retries.js";

/** Authorization at a source. Its header is only sent to the origin of the first request. */
export interface Authorization {
  /** Value of `Authorization`; `undefined`: none is sent. */
  createHeader(): string | undefined;
  /**
   * Handles a 401, once per request.
   * @param challenge value of `WWW-Authenticate`
   * @returns whether there is a new header to try
   */
  renew(challenge: string | undefined, signal: AbortSignal): Promise<boolean>;
  /** Creates the error for a refusal, from its status, 401 or 403, and its headers. */
  createRefusalError(subject: string, status: number, headers: IncomingHttpHeaders): ModelError;
}

export interface SourceRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization: Authorization;
  readonly signal: AbortSignal;
  /** Prefix of error messages. */
  readonly subject: string;
}

/** Answer with an unread body. The receiver must read the body to its end or destroy it. */
export interface SourceAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** Headers of all answers up to this one, in order. */
  readonly trail: readonly IncomingHttpHeaders[];
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 10;
/**
 * Statuses worth retrying: timeouts, rate limits, and errors of overloaded or restarting servers.
 */
const RETRYABLE_STATUSES: readonly number[] = [408, 425, 429, 500, 502, 503, 504];
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Codes of TLS errors, which retrying does not resolve. */
const UNTRUSTED_CODES = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether a host name refers to this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/**
 * Client for hubs and registries. Follows redirects without the token, uses the proxies of the
 * environment, and limits time and size. Unsuccessful answers become errors.
 */
export class SourceClient {
  readonly #policy: RetryPolicy;
  readonly #proxies: Proxies;
  /** Opened with the first request. */
  #connections: Promise<Connections> | undefined;

  /**
   * @param environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, also in lower case
   * @throws {ModelError} `invalid_name`: the value of a proxy is not a URL
   */
  constructor(environment: NodeJS.ProcessEnv, policy: RetryPolicy) {
    this.#policy = policy;
    this.#proxies = {
      // Set even if empty: undici would otherwise use the variables of this process.
      httpProxy: readProxy(environment, "HTTP_PROXY"),
      httpsProxy: readProxy(environment, "HTTPS_PROXY"),
      noProxy: environment.no_proxy || environment.NO_PROXY || "",
    };
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    const connections = await this.#connections;
    await Promise.all([connections?.direct.destroy(), connections?.proxied.destroy()]);
  }

  /**
   * Sends GET and follows redirects.
   * @throws {TransientFailure} the source is unreachable, slow or overloaded
   * @throws {ModelError} `access_denied`, `not_found`, `invalid_answer`, `source_unavailable`
   */
  async open(sourceRequest: SourceRequest): Promise<SourceAnswer> {
    const { authorization, signal, subject } = sourceRequest;
    const answer = await this.#follow(sourceRequest);
    // Challenges from the target of a redirect are not answered.
    if (answer.status === 401 && answer.trail.length === 1) {
      discard(answer.body);
      const challenge = answer.headers["www-authenticate"];
      const isRenewed = await authorization.renew(textOf(challenge), signal);
      if (!isRenewed) throw authorization.createRefusalError(subject, 401, answer.headers);
      return this.#expectSuccess(sourceRequest, await this.#follow(sourceRequest));
    }
    return this.#expectSuccess(sourceRequest, answer);
  }

  /**
   * Fetches a JSON document of limited size.
   * @throws the errors of {@link open}; `invalid_answer` if the document is too large or not JSON
   */
  async getJson(
    sourceRequest: SourceRequest,
    maxBytes: number,
  ): Promise<{ readonly value: unknown; readonly headers: IncomingHttpHeaders }> {
    const { subject, signal } = sourceRequest;
    const { body, headers } = await this.open(sourceRequest);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of body) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maxBytes) {
          throw new ModelError(
            "invalid_answer",
            `${subject}: expected an answer of at most ${maxBytes} bytes, got a longer one`,
          );
        }
      }
      return { value: JSON.parse(Buffer.concat(chunks).toString("utf8")), headers };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      if (!(error instanceof SyntaxError)) throw toConnectionFailure(subject, error);
      throw new ModelError(
        "invalid_answer",
        `${subject}: expected JSON, got ${headers["content-type"] ?? "something else"}`,
        error,
      );
    }
  }

  #expectSuccess({ authorization, subject }: SourceRequest, answer: SourceAnswer): SourceAnswer {
    const { status, headers, body } = answer;
    // Callers handle an unsatisfiable range themselves.
    if ((status >= 200 && status < 300) || status === 416) return answer;
    discard(body);
    if (status === 401 || status === 403)
      throw authorization.createRefusalError(subject, status, headers);
    if (RETRYABLE_STATUSES.includes(status)) {
      const waitMs = parseRetryAfterMs(textOf(headers["retry-after"]), Date.now());
      throw new TransientFailure(`the server answered ${status}`, { retryAfterMs: waitMs });
    }
    const code = status === 404 || status === 410 ? "not_found" : "invalid_answer";
    throw new ModelError(code, `${subject}: the server answered ${status}`);
  }

  async #follow({
    url,
    headers,
    authorization,
    signal,
    subject,
  }: SourceRequest): Promise<SourceAnswer> {
    const trail: IncomingHttpHeaders[] = [];
    let target = url;
    let token = authorization.createHeader();
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#send(
        target,
        { ...headers, authorization: token },
        { signal, subject },
      );
      trail.push(answer.headers);
      if (!REDIRECTS.includes(answer.statusCode)) {
        return { status: answer.statusCode, headers: answer.headers, body: answer.body, trail };
      }
      discard(answer.body);
      const next = resolveRedirect(target, textOf(answer.headers.location), subject);
      // A dropped token is not sent again, even if a redirect leads back.
      if (next.origin !== target.origin) token = undefined;
      target = next;
    }
    throw new ModelError(
      "invalid_answer",
      `${subject}: expected at most ${MAX_REDIRECTS} redirects, got a loop of them`,
    );
  }

  async #send(
    url: URL,
    headers: Readonly<Record<string, string | undefined>>,
    { signal, subject }: Pick<SourceRequest, "signal" | "subject">,
  ) {
    this.#connections ??= openConnections(this.#proxies, this.#policy.connectTimeoutMs);
    const { request, direct, proxied } = await this.#connections;
    try {
      return await request(url, {
        dispatcher: isLoopback(url.hostname) ? direct : proxied,
        headers: {
          "user-agent": "ggufd",
          // Digests and ranges refer to the unencoded file.
          "accept-encoding": "identity",
          ...withoutUndefined(headers),
        },
        signal,
        headersTimeout: this.#policy.headersTimeoutMs,
        bodyTimeout: this.#policy.stallMs,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw toConnectionFailure(`${subject}: ${url.host}`, error);
    }
  }
}

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

interface Connections {
  readonly request: typeof import("undici").request;
  readonly direct: Dispatcher;
  readonly proxied: Dispatcher;
}

/** Imports undici on demand: a daemon that downloads no model starts without its 1 MB of code. */
async function openConnections(proxies: Proxies, timeout: number): Promise<Connections> {
  // A CommonJS module: in the bundle, it has only its default export, whose type is incomplete.
  const imported = (await import("undici")) as unknown as {
    readonly default: typeof import("undici");
  };
  const { Agent, EnvHttpProxyAgent, request } = imported.default;
  const connect = { timeout };
  return {
    request,
    direct: new Agent({ connect }),
    // Plain HTTP is forwarded: many proxies permit tunnels to the https port only.
    proxied: new EnvHttpProxyAgent({ connect, proxyTunnel: false, ...proxies }),
  };
}

/**
 * Returns a proxy of the environment, with or without a scheme, as curl accepts it; empty if there
 * is none.
 */
function readProxy(environment: NodeJS.ProcessEnv, name: "HTTP_PROXY" | "HTTPS_PROXY"): string {
  const text = environment[name.toLowerCase()] || environment[name] || "";
  if (text === "") return "";
  const url = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  // The value is not shown, as it may contain a password.
  throw new ModelError("invalid_name", `${name}: expected an http or https URL`);
}

/**
 * Classifies the failure of a connection: it can be retried unless the server's certificate is not
 * trusted.
 */
export function toConnectionFailure(
  subject: string,
  error: unknown,
): TransientFailure | ModelError {
  const code = errorCodeOf(error);
  if (UNTRUSTED_CODES.test(code)) {
    return new ModelError("source_unavailable", `${subject}: ${formatReason(error)}`, error);
  }
  const reason = formatReason(error) || code || "the connection failed";
  return new TransientFailure(reason, { cause: error });
}

/** Discards a body and closes its connection. */
export function discard(body: Readable): void {
  body.on("error", () => undefined);
  body.destroy();
}

/**
 * Returns the target of a redirect.
 * @throws {ModelError} `invalid_answer`: the target is missing, or unencrypted while the origin is
 *   encrypted
 */
export function resolveRedirect(from: URL, location: string | undefined, subject: string): URL {
  const createRedirectError = (expected: string, got: string) =>
    new ModelError("invalid_answer", `${subject}: expected ${expected}, got ${got}`);
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw createRedirectError("a redirect to a URL", location ?? "one without");
  }
  const target = new URL(location, from);
  if (!["http:", "https:"].includes(target.protocol)) {
    throw createRedirectError("a redirect to http or https", target.protocol);
  }
  const isPrivate = isLoopback(from.hostname) && isLoopback(target.hostname);
  if (from.protocol === "https:" && target.protocol === "http:" && !isPrivate) {
    throw createRedirectError("a redirect that stays encrypted", `one to ${target.origin}`);
  }
  target.username = "";
  target.password = "";
  return target;
}

/** Returns the first of several headers with one name. */
function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

function withoutUndefined(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
