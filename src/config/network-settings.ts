import { z } from "zod";
import { integerBetween, nonEmptyText, trueOrFalse } from "../validation/fields.js";
import { addressesWithPorts, listenAddresses } from "./listen-addresses.js";
import type { Setting } from "./setting.js";
import { addressOrNetwork, hostName, origins, pathPrefix } from "./setting-fields.js";

const keys = () => z.array(nonEmptyText(), { error: "expected a list of keys" }).default([]);

/** Settings of addresses, access and request limits. */
export const networkSettings = {
  host: {
    schema: listenAddresses().default(["127.0.0.1"]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "IP address, host name or unix:PATH to listen on; repeatable (default: 127.0.0.1)",
  },
  port: {
    schema: integerBetween(0, 65_535).default(8080),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "port to listen on; 0 picks a free port",
  },
  metricsListen: {
    schema: addressesWithPorts().default([]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "[HOST:]PORT or unix:PATH that serves metrics and health without a key; repeatable",
    details:
      "Without a host, `127.0.0.1`. Plain HTTP, without `--api-prefix`; no metrics of keys ([operations](operations.md#without-a-key)).",
  },
  tlsCert: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "PEM file with the certificate chain; enables https (default: none)",
    details: "All addresses except Unix sockets then use https. Read again on SIGHUP.",
  },
  tlsKey: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "PEM file with the private key of --tls-cert (default: none)",
    details: "Without a passphrase. Read again on SIGHUP.",
  },
  apiPrefix: {
    schema: pathPrefix().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "path that all routes are served under, such as /llm (default: none)",
    details: "Also the web UI, `/health` and `/metrics`; other paths are answered with 404.",
  },
  noPage: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "disable the web UI at /",
  },
  noSlots: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "disable GET /slots; requests get 501",
  },
  allowedHost: {
    schema: z.array(hostName(), { error: "expected a list of host names" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "NAME",
    help: "additional host name accepted in Host; repeatable",
    details:
      "Without any, a server that listens only on loopback addresses and Unix sockets refuses other hosts, against DNS rebinding.",
  },
  corsOrigin: {
    schema: origins().default(["*"]),
    factOf: "server",
    form: "list",
    placeholder: "*|none|localhost|ORIGIN",
    help: "origin of web pages that may call the API; repeatable",
    details:
      "Such as `https://example.com`; `localhost`: all pages of `localhost`, `127.0.0.1` and `[::1]`. `/api/todos` is open to all origins.",
  },
  trustProxy: {
    schema: z.array(addressOrNetwork(), { error: "expected a list of addresses" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "proxy whose X-Forwarded-For is trusted: address, network or unix; repeatable",
  },
  maxConnections: {
    schema: integerBetween(1, 1_000_000).default(16_384),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "maximum number of open connections; further ones are closed",
  },
  maxConnectionsPerAddress: {
    schema: integerBetween(0, 1_000_000).default(4096),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "maximum number of open connections per client address; 0: no limit",
    details: "Further ones are answered with 429. Addresses of `--trust-proxy` are exempt.",
  },
  maxBody: {
    schema: integerBetween(1, 64).optional(),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "largest request body, in MiB (default: 4, or 32 with image or audio input)",
    details: "All bodies together are limited by `--media-ram`.",
  },
  apiKey: {
    schema: keys(),
    factOf: "server",
    form: "list",
    placeholder: "KEY",
    help: "API key required by all but the public routes; repeatable",
    details: "Health, documentation and the plain to-dos are public.",
    secret: true,
  },
  readOnlyApiKey: {
    schema: keys(),
    factOf: "server",
    form: "list",
    placeholder: "KEY",
    help: "API key that permits only GET and HEAD; repeatable",
    secret: true,
  },
  apiKeyFile: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "file of API keys, one per line, with names, scopes and limits",
    details: "Read again on SIGHUP.",
  },
  keyStore: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "file of API keys that are managed over HTTP (default: none)",
    details:
      "`ggufd keys create` creates it with its first key. Every route then requires its key.",
  },
} as const satisfies Record<string, Setting>;
