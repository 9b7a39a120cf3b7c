import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher, request } from "undici";
import { refusalOf } from "../core/errors.js";
import { preview } from "../validation/preview.js";
import { isPublicAddress } from "./public-addresses.js";

/** What is fetched, and from where. */
export interface MediaFetchLimits {
  /** `example.com`, `*.example.com` for all hosts below it, `*` for any. */
  readonly hosts: readonly string[];
  /** Of a file. */
  readonly maxBytes: number;
  /** From the beginning of a fetch to its end, in milliseconds. */
  readonly limitMs: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** A host whose name leads somewhere inside: not told to clients, who would learn what is there. */
class NotPublicError extends Error {}

/**
 * Fetches files that requests name, on behalf of clients whom nobody trusts: over https, from hosts that the operator has
 * allowed, at public addresses, however the way there leads. Nothing of the client's or of this machine goes along.
 */
export class MediaFetcher {
  readonly #limits: MediaFetchLimits;
  readonly #dispatcher: Dispatcher;

  /** @param dispatcher which has to refuse addresses that are not public, as the default does */
  constructor(limits: MediaFetchLimits, dispatcher: Dispatcher = publicAgent()) {
    this.#limits = limits;
    this.#dispatcher = dispatcher;
  }

  /**
   * @param field of the request that names the file, for errors
   * @throws {GgufdError} `invalid_request`: it cannot be had, or must not be; what the signal was aborted with
   */
  async fetch(url: string, field: string, signal: AbortSignal): Promise<Buffer> {
    const timeLimit = AbortSignal.timeout(this.#limits.limitMs);
    try {
      return await this.#follow(url, AbortSignal.any([signal, timeLimit]));
    } catch (error) {
      signal.throwIfAborted();
      throw refusalOf("invalid_request", [{ field, reason: this.#reasonOf(error, timeLimit) }], {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #follow(url: string, signal: AbortSignal): Promise<Buffer> {
    let target = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const place = allowedPlace(target, this.#limits.hosts);
      const { statusCode, headers, body } = await request(place, {
        ...{ dispatcher: this.#dispatcher, signal },
        headers: {
          "user-agent": "ggufd",
          accept: "image/*, audio/*",
          "accept-encoding": "identity",
        },
      });
      if (!REDIRECTS.includes(statusCode)) {
        if (statusCode === 200) return await readAll(body, this.#limits.maxBytes);
        discard(body);
        throw new Refusal(`expected a file, got status ${statusCode} of ${place.host}`);
      }
      discard(body);
      const { location } = headers;
      if (typeof location !== "string" || !URL.canParse(location, place.href)) {
        throw new Refusal(`expected a file, got a redirect of ${place.host} to nowhere`);
      }
      target = new URL(location, place).href;
    }
    throw new Refusal(`expected at most ${MAX_REDIRECTS} redirects, got more`);
  }

  #reasonOf(error: unknown, timeLimit: AbortSignal): string {
    if (error instanceof Refusal) return error.message;
    if (timeLimit.aborted) {
      return `expected a file within ${this.#limits.limitMs / 1000} s, got none`;
    }
    // Neither what a name leads to nor which ports answer is for clients to know.
    return "expected a file that this server can fetch, got one that it cannot";
  }
}

/** Why something is not fetched, as clients may know it. */
class Refusal extends Error {}

/**
 * @throws {Refusal} it is not allowed, wherever the name leads
 */
function allowedPlace(text: string, hosts: readonly string[]): URL {
  if (!URL.canParse(text)) throw new Refusal(`expected a URL, got ${preview(text)}`);
  const url = new URL(text);
  if (url.protocol !== "https:") {
    throw new Refusal(`expected an https or data URL, got ${preview(url.protocol)}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new Refusal("expected a URL without a user, got one with");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!hosts.some((pattern) => isHost(host, pattern))) {
    throw new Refusal(`expected a host that this server may fetch from, got ${preview(host)}`);
  }
  // No name is looked up for an address.
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new Refusal(`expected a public address, got ${host}`);
  }
  return url;
}

/** Whether a host is one of those that a pattern names. */
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

/** Connections to public addresses alone: the address that was checked is the one that is connected to. */
export function publicAgent(): Agent {
  return new Agent({ connect: { lookup: publicLookup(lookup) } });
}

type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A lookup that fails for names of which one address is not public: who has such a name may mean that one. */
export function publicLookup(lookUp: LookupAll): LookupFunction {
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
