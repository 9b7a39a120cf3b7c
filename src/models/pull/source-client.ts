import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from "undici";
import { reasonOf } from "../../core/reason-of.js";
import { errorCodeOf } from "../../files/system-errors.js";
import { ModelError } from "../model-error.js";
import { PassingFailure, type RetryPolicy, retryAfterMs } from "./retries.js";

/** Who may read at a source. A header that it gives goes to no other origin than the first request's. */
export interface Authorization {
  /** Value of `Authorization`; `undefined`: none is sent. */
  header(): string | undefined;
  /**
   * Answers a 401, once for each request.
   * @param challenge `WWW-Authenticate`
   * @returns whether there is another header now, to be tried
   */
  renew(challenge: string | undefined, signal: AbortSignal): Promise<boolean>;
  /** The error for a source that refuses, by its status, 401 or 403, and its headers. */
  refusal(subject: string, status: number, headers: IncomingHttpHeaders): ModelError;
}

export interface SourceRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization: Authorization;
  readonly signal: AbortSignal;
  /** What errors begin with. */
  readonly subject: string;
}

/** An answer whose body has not been read. Whoever gets it reads the body to its end or destroys it. */
export interface SourceAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** Headers of the answers that have led here, in order, this one's last. */
  readonly trail: readonly IncomingHttpHeaders[];
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 10;
/** Too early, too many requests, and what proxies and servers say that are overloaded or restart. */
const PASSING: readonly number[] = [408, 425, 429, 500, 502, 503, 504];
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** TLS does not begin to work by being tried again. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether a host is this machine by its name. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/**
 * Requests to hubs and registries: redirects without the token, proxies of the environment, limits on time and size.
 * An answer that is not a success becomes an error here.
 */
export class SourceClient {
  readonly #policy: RetryPolicy;
  readonly #direct: Dispatcher;
  readonly #proxied: Dispatcher;

  /**
   * @param environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, or these in lower case
   * @throws {ModelError} `invalid_name`: a proxy is no URL
   */
  constructor(environment: NodeJS.ProcessEnv, policy: RetryPolicy) {
    this.#policy = policy;
    const options = { connect: { timeout: policy.connectTimeoutMs } };
    this.#direct = new Agent(options);
    this.#proxied = new EnvHttpProxyAgent({
      ...options,
      // What is not encrypted is forwarded: many proxies make tunnels to the port of https alone.
      proxyTunnel: false,
      // Not left out: undici would take the variables of this process.
      httpProxy: proxyOf(environment, "HTTP_PROXY"),
      httpsProxy: proxyOf(environment, "HTTPS_PROXY"),
      noProxy: environment.no_proxy || environment.NO_PROXY || "",
    });
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#direct.destroy(), this.#proxied.destroy()]);
  }

  /**
   * A request with GET, and the redirects that it leads to.
   * @throws {PassingFailure} the source cannot be reached, is slow, or says that it is overloaded
   * @throws {ModelError} `access_denied`, `not_found`, `invalid_answer`, `source_unavailable`
   */
  async open(sourceRequest: SourceRequest): Promise<SourceAnswer> {
    const { authorization, signal, subject } = sourceRequest;
    const answer = await this.#follow(sourceRequest);
    // A challenge of another host than the one that was asked is not answered.
    if (answer.status === 401 && answer.trail.length === 1) {
      discard(answer.body);
      const challenge = answer.headers["www-authenticate"];
      const isRenewed = await authorization.renew(textOf(challenge), signal);
      if (!isRenewed) throw authorization.refusal(subject, 401, answer.headers);
      return this.#expectSuccess(sourceRequest, await this.#follow(sourceRequest));
    }
    return this.#expectSuccess(sourceRequest, answer);
  }

  /**
   * A JSON document of limited size.
   * @throws the errors of {@link open}; `invalid_answer` for one that is too large or no JSON
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
      if (!(error instanceof SyntaxError)) throw connectionFailure(subject, error);
      throw new ModelError(
        "invalid_answer",
        `${subject}: expected JSON, got ${headers["content-type"] ?? "something else"}`,
        error,
      );
    }
  }

  #expectSuccess({ authorization, subject }: SourceRequest, answer: SourceAnswer): SourceAnswer {
    const { status, headers, body } = answer;
    // What a range that is not there means is known to who asked for it.
    if ((status >= 200 && status < 300) || status === 416) return answer;
    discard(body);
    if (status === 401 || status === 403) throw authorization.refusal(subject, status, headers);
    if (PASSING.includes(status)) {
      const waitMs = retryAfterMs(textOf(headers["retry-after"]), Date.now());
      throw new PassingFailure(`the server answers ${status}`, { retryAfterMs: waitMs });
    }
    const code = status === 404 || status === 410 ? "not_found" : "invalid_answer";
    throw new ModelError(code, `${subject}: the server answers ${status}`);
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
    let token = authorization.header();
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
      const next = redirectTarget(target, textOf(answer.headers.location), subject);
      // A token that was left behind is not sent again, even if a redirect leads back.
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
    try {
      return await request(url, {
        dispatcher: isLoopback(url.hostname) ? this.#direct : this.#proxied,
        headers: {
          "user-agent": "ggufd",
          // Digests and ranges are of the file itself.
          "accept-encoding": "identity",
          ...withoutUndefined(headers),
        },
        signal,
        headersTimeout: this.#policy.headersTimeoutMs,
        bodyTimeout: this.#policy.stallMs,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailure(`${subject}: ${url.host}`, error);
    }
  }
}

/** A proxy of the environment, also without a scheme, as curl takes it; empty: none. */
function proxyOf(environment: NodeJS.ProcessEnv, name: "HTTP_PROXY" | "HTTPS_PROXY"): string {
  const text = environment[name.toLowerCase()] || environment[name] || "";
  if (text === "") return "";
  const url = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  // Not shown: it may have a password.
  throw new ModelError(
    "invalid_name",
    `${name}: expected an http or https URL, got something else`,
  );
}

/** The failure of a connection, which passes unless the other side cannot prove who it is. */
export function connectionFailure(subject: string, error: unknown): PassingFailure | ModelError {
  const code = errorCodeOf(error);
  if (UNTRUSTED.test(code)) {
    return new ModelError("source_unavailable", `${subject}: ${reasonOf(error)}`, error);
  }
  const reason = reasonOf(error) || code || "the connection failed";
  return new PassingFailure(reason, { cause: error });
}

/** Gives up a body, whose connection is closed with it. */
export function discard(body: Readable): void {
  body.on("error", () => undefined);
  body.destroy();
}

/**
 * Where a redirect leads.
 * @throws {ModelError} `invalid_answer`: nowhere, or out of encryption
 */
export function redirectTarget(from: URL, location: string | undefined, subject: string): URL {
  const refusal = (expected: string, got: string) =>
    new ModelError("invalid_answer", `${subject}: expected ${expected}, got ${got}`);
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refusal("a redirect to a URL", location ?? "one without");
  }
  const target = new URL(location, from);
  if (!["http:", "https:"].includes(target.protocol)) {
    throw refusal("a redirect to http or https", target.protocol);
  }
  const isPrivate = isLoopback(from.hostname) && isLoopback(target.hostname);
  if (from.protocol === "https:" && target.protocol === "http:" && !isPrivate) {
    throw refusal("a redirect that stays encrypted", `one to ${target.origin}`);
  }
  target.username = "";
  target.password = "";
  return target;
}

/** The first of several headers of one name. */
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
