/** Fields of the flags that say who may reach the server, and through which names and proxies. */
import { isIP } from "node:net";
import { z } from "zod";

/** A host name or an address, without a scheme and without a port. */
export function hostName() {
  const error = "expected a host name or address without a port, e.g. llm.example.com";
  return z
    .string({ error })
    .refine((host) => HOST_NAME.test(host) || isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0, {
      error,
    });
}

/** An address or a network in CIDR notation. */
export function addressOrNetwork() {
  const error = "expected an address or a network, e.g. 10.0.0.10 or 10.0.0.0/8";
  return z.string({ error }).refine(isAddressOrNetwork, { error });
}

/** Origins of pages: `*` for all of them, `none`, or a list. */
export function origins() {
  const error = "expected *, none or origins such as https://example.com";
  return z
    .array(z.string({ error }).refine(isOrigin, { error }), { error })
    .min(1, { error })
    .refine((list) => list.length === 1 || !list.some(isKeyword), {
      error: "expected * and none to stand alone",
    });
}

/** The origins that an {@link origins} list allows. */
export function allowedOriginsOf(list: readonly string[]): "any" | readonly string[] {
  return list.includes("*") ? "any" : list.filter((entry) => entry !== "none");
}

const HOST_NAME = /^(?!-)[\w-]+(\.[\w-]+)*\.?$/;

/** A scheme and a host, as browsers write them: lower case, without a path and without the default port. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/;

function isOrigin(text: string): boolean {
  if (isKeyword(text)) return true;
  if (!ORIGIN.test(text) || !URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // Those of apps, such as app://obsidian.md, are opaque to URL.
  return origin === "null" || origin === text;
}

function isKeyword(text: string): boolean {
  return text === "*" || text === "none";
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return length >= 1 && length <= (version === 4 ? 32 : 128);
}
