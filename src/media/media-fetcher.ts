import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher, request } from "undici";
import { createRefusal } from "../core/errors.js";
import { preview } from "../validation/preview.js";
import { isPublicAddress } from "./public-addresses.js";

/** Limits on what is fetched, and from which hosts. */
export interface MediaFetchLimits {
  /** `example.com`, `*.example.com` for all its subdomains, `*` for any host. */
  readonly hosts: readonly string[];
  /** Maximum size of a file. */
  readonly maxBytes: number;
  /** Maximum duration of a fetch, in milliseconds. */
  readonly limitMs: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * A host name resolves to an address that is not public. Not reported to clients, who could use it
 * to explore the internal network.
 */
class NotPublicError extends Error {}

/**
 * Fetches files that requests refer to, on behalf of untrusted clients: over https only, from hosts
 * that the operator has allowed, at public addresses, including all redirects. Sends no data of the
 * client or of this machine.
 */
export class MediaFetcher {
  readonly #limits: MediaFetchLimits;
  readonly #dispatcher: Dispatcher;

  /** @param dispatcher must reject addresses that are not public, as the default does */
  constructor(limits: MediaFetchLimits, dispatcher: Dispatcher = createPublicAgent()) {
    this.#limits = limits;
    this.#dispatcher = dispatcher;
  }

  /**
   * Fetches a file.
   * @param field request field with the URL, for errors
   * @throws {GgufdError} `invalid_request` if the file cannot or must not be fetched; the signal's
   *   reason when it is aborted
   */
  async fetch(url: string, field: string, signal: AbortSignal): Promise<Buffer> {
    const timeLimit = AbortSignal.timeout(this.#limits.limitMs);
    try {
      return await this.#follow(url, AbortSignal.any([signal, timeLimit]));
    } catch (error) {
      signal.throwIfAborted();
      throw createRefusal(
        "invalid_request",
        [{ field, reason: this.#describeFailure(error, timeLimit) }],
        {
          cause: error,
        },
      );
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #follow(url: string, signal: AbortSignal): Promise<Buffer> {
    let target = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const fileUrl = parseAllowedUrl(target, this.#limits.hosts);
      const { statusCode, headers, body } = await request(fileUrl, {
        dispatcher: this.#dispatcher,
        signal,
        headers: {
          "user-agent": "ggufd",
          accept: "image/*, audio/*",
          "accept-encoding": "identity",
        },
      });
      if (!REDIRECTS.includes(statusCode)) {
        if (statusCode === 200) return await readAll(body, this.#limits.maxBytes);
        discard(body);
        throw new Refusal(`expected a file, got status ${statusCode} of ${fileUrl.host}`);
      }
      discard(body);
      const { location } = headers;
      if (typeof location !== "string" || !URL.canParse(location, fileUrl.href)) {
        throw new Refusal(`expected a file, got a redirect of ${fileUrl.host} to nowhere`);
      }
      target = new URL(location, fileUrl).href;
    }
    throw new Refusal(`expected at most ${MAX_REDIRECTS} redirects, got more`);
  }

  #describeFailure(error: unknown, timeLimit: AbortSignal): string {
    if (error instanceof Refusal) return error.message;
    if (timeLimit.aborted) {
      return `expected a file within ${this.#limits.limitMs / 1000} s, got none`;
    }
    // Clients must not learn what a name resolves to or which ports answer.
    return "expected a file that this server can fetch, got one that it cannot";
  }
}

/** Reason why something is not fetched, which clients may see. */
class Refusal extends Error {}

/**
 * Parses and checks a URL before its host name is resolved.
 * @throws {Refusal} if the URL must not be fetched, whatever its host name resolves to
 */
function parseAllowedUrl(text: string, hosts: readonly string[]): URL {
  if (!URL.canParse(text)) throw new Refusal(`expected a URL, got ${preview(text)}`);
  const url = new URL(text);
  if (url.protocol !== "https:") {
    throw new Refusal(`expected an https or data URL, got ${preview(url.protocol)}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new Refusal("expected a URL without a user and password, got one with credentials");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!hosts.some((pattern) => isHost(host, pattern))) {
    throw new Refusal(`expected a host that this server may fetch from, got ${preview(host)}`);
  }
  // An IP address is not resolved, so the lookup of the agent does not check it.
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new Refusal(`expected a public address, got ${host}`);
  }
  return url;
}

/** Whether a host matches a pattern. */
function isHost(host: string, pattern: string): boolean {
  if (pattern === "*") return true;
  const name = pattern.toLowerCase();
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}

async function readAll(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) {
      throw new Refusal(`expected a file of at most ${maxBytes} bytes, got a larger one`);
    }
  }
  return Buffer.concat(chunks);
}

function discard(body: Readable): void {
  body.on("error", () => undefined);
  body.destroy();
}

/**
 * Creates an agent that connects to public addresses only; the address that was checked is the one
 * connected to.
 */
export function createPublicAgent(): Agent {
  return new Agent({ connect: { lookup: createPublicLookup(lookup) } });
}

type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Creates a lookup that fails for host names with any address that is not public: the owner of such
 * a name may aim for that address.
 */
export function createPublicLookup(lookUp: LookupAll): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, []);
      else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(new NotPublicError(`${hostname} has an address that is not public`), []);
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
