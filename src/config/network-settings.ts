import { z } from "zod";
import { integerBetween, nonEmptyText, trueOrFalse } from "../validation/fields.js";
import { listenAddresses } from "./listen-addresses.js";
import type { Setting } from "./setting.js";
import { addressOrNetwork, hostName, origins } from "./setting-fields.js";

const keys = () => z.array(nonEmptyText(), { error: "expected a list of keys" }).default([]);

/** Who reaches the server, and what they may send. */
export const networkSettings = {
  host: {
    schema: listenAddresses().default(["127.0.0.1"]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "address to listen on: an IP address, a host name, or unix:PATH for a Unix socket; repeatable (default: 127.0.0.1)",
  },
  port: {
    schema: integerBetween(0, 65_535).default(8080),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "port to listen on; 0 picks a free port",
  },
  tlsCert: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "PEM file of the certificate, with those that lead to its authority behind it: https at all addresses but Unix sockets; read again on SIGHUP (default: none, http)",
  },
  tlsKey: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "PEM file of the private key of --tls-cert, without a passphrase; read again on SIGHUP (default: none)",
  },
  noPage: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "browsers get no page at /, but what other clients get",
  },
  allowedHost: {
    schema: z.array(hostName(), { error: "expected a list of host names" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "NAME",
    help: "host that requests may name in Host, beside this machine's; repeatable. Without any, other hosts are refused where every --host is a loopback address or a Unix socket, against DNS rebinding",
  },
  corsOrigin: {
    schema: origins().default(["*"]),
    factOf: "server",
    form: "list",
    placeholder: "*|none|ORIGIN",
    help: "origin of web pages that may use the server, e.g. https://example.com; repeatable; /api/todos is open to all",
  },
  trustProxy: {
    schema: z.array(addressOrNetwork(), { error: "expected a list of addresses" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "proxy, network of proxies as 10.0.0.0/8, or unix for those at a Unix socket, whose X-Forwarded-For names the client; repeatable",
  },
  maxConnections: {
    schema: integerBetween(1, 1_000_000).default(16_384),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "open connections; those beyond are closed",
  },
  maxConnectionsPerAddress: {
    schema: integerBetween(0, 1_000_000).default(4096),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "open connections of one client address, those of --trust-proxy excepted; those beyond are answered 429; 0 is any number",
  },
  maxBody: {
    schema: integerBetween(1, 64).optional(),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "largest request body, in MiB; all together are limited by --media-ram (default: 4, or 32 where a model may take images or audio)",
  },
  apiKey: {
    schema: keys(),
    factOf: "server",
    form: "list",
    placeholder: "KEY",
    help: "API key required for all routes but health, documentation and the plain to-dos; repeatable",
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
    help: "file of API keys, one per line, with names, scopes and limits; read again on SIGHUP",
  },
} as const satisfies Record<string, Setting>;
