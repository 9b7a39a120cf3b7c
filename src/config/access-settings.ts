import { z } from "zod";
import { nonEmptyText } from "../validation/fields.js";
import type { Setting } from "./setting.js";
import { anyPath } from "./setting-fields.js";

/** Schema of an issuer: an https URL without query and fragment; http only on this machine. */
function issuerUrl() {
  const error = "expected an https URL without a query, such as https://login.example.com";
  return z.string({ error }).refine(isIssuer, { error });
}

/** OpenID Connect Discovery 1.0, section 3. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLocal);
  return isSafe && search === "" && hash === "" && username === "";
}

/** Headers with another meaning to HTTP or to ggufd. */
const OTHER_HEADERS = ["authorization", "x-api-key", "host", "origin", "cookie", "connection"];

/** Schema of the name of a header; in lower case, as Node.js has them. */
function headerName() {
  const error = "expected the name of a header, such as X-Forwarded-User";
  return z
    .string({ error })
    .regex(/^[A-Za-z\d!#$%&'*+.^_`|~-]+$/, { error })
    .transform((name) => name.toLowerCase())
    .refine((name) => !OTHER_HEADERS.includes(name), { error });
}

/** Settings of clients that present no API key: tokens of an identity provider, and proxies. */
export const accessSettings = {
  accessRules: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    withPath: anyPath,
    form: "text",
    placeholder: "PATH",
    help: "file that maps claims and groups to scopes and limits",
    details:
      "Required by `--oidc-issuer` and `--trusted-header`. Read again on SIGHUP. The format is in [keys.md](keys.md#access-rules).",
  },
  oidcIssuer: {
    schema: issuerUrl().optional(),
    factOf: "server",
    form: "text",
    placeholder: "URL",
    help: "OpenID provider whose tokens are accepted (default: none)",
    details:
      "Its keys are fetched from `URL/.well-known/openid-configuration` and kept up to date.",
  },
  oidcAudience: {
    schema: z.array(nonEmptyText(), { error: "expected a list of audiences" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "NAME",
    help: "audience that a token must name; repeatable (default: --oidc-client-id)",
    details: "`--oidc-client-id` is always accepted as well.",
  },
  oidcClientId: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "ID",
    help: "client of the provider; enables sign-in in the web UI (default: none)",
  },
  oidcClientSecret: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "SECRET",
    help: "secret of that client; public clients have none (default: none)",
    details:
      "Other users of the machine can read command lines: prefer `GGUFD_OIDC_CLIENT_SECRET`.",
    secret: true,
  },
  oidcScope: {
    schema: nonEmptyText().default("openid profile email"),
    factOf: "server",
    form: "text",
    placeholder: "SCOPES",
    help: "scopes that sign-in in the web UI requests, separated by spaces",
    details: "With `offline_access`, most providers issue a refresh token.",
  },
  oidcNameClaim: {
    schema: nonEmptyText().default("sub"),
    factOf: "server",
    form: "text",
    placeholder: "CLAIM",
    help: "claim that names the user in logs, limits and stored data",
    details:
      "`sub` never changes and is never reused. With another claim, such as `email`, users with equal values share their data.",
  },
  trustedHeader: {
    schema: headerName().optional(),
    factOf: "server",
    form: "text",
    placeholder: "NAME",
    help: "header in which an authenticating proxy names the user (default: none)",
    details:
      "Such as `X-Forwarded-User`. Every program on the machine can send it, so the server then listens on loopback addresses and Unix sockets only, and needs `--cors-origin`.",
  },
  trustedGroupsHeader: {
    schema: headerName().optional(),
    factOf: "server",
    form: "text",
    placeholder: "NAME",
    help: "header in which that proxy lists the user's groups (default: none)",
    details: "Separated by commas; the claim `groups` of access rules.",
  },
} as const satisfies Record<string, Setting>;
