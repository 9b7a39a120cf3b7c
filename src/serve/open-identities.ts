import type { Logger } from "pino";
import { readAccessRules } from "../config/keys/read-access-rules.js";
import { parseListenAddress } from "../config/listen-addresses.js";
import { type Config, flagOf } from "../config/settings.js";
import { formatReason } from "../core/format-reason.js";
import type { Login, VerifyToken } from "../core/identity.js";
import { StartupError } from "../core/startup-error.js";
import { isLocalOnly } from "../http/accepted-hosts.js";
import { Identities } from "../http/keys/identities.js";
import type { KeyRing } from "../http/keys/key-ring.js";
import type { TrustedHeaders } from "../http/keys/trusted-headers.js";

/** Clients that present no key of the server. */
export interface ServedIdentities {
  /** Absent: users cannot sign in from the web UI. */
  readonly login?: Login | undefined;
  /** Absent: no proxy authenticates users. */
  readonly trustedHeaders?: TrustedHeaders | undefined;
  /** Reads the access rules again. If they are invalid, the old ones stay in use. */
  reload(): void;
}

/**
 * Accepts tokens of the configured identity provider, and users of a proxy, as clients.
 * @throws {StartupError} for invalid rules, and for a trusted header that other machines could send
 */
export async function openIdentities(
  config: Config,
  keys: KeyRing,
  logger: Logger,
): Promise<ServedIdentities> {
  expectLocalProxy(config);
  const rules = readAccessRules(config);
  if (rules.length === 0) return { reload: () => undefined };
  const provider = await openProvider(config, logger);
  const identities = new Identities({
    rules,
    verify: provider?.verify,
    createUsage: (permissions) => keys.createUsage(permissions),
  });
  keys.acceptIdentities(identities);
  const { trustedHeader: user, trustedGroupsHeader: groups } = config;
  return {
    login: provider?.login,
    trustedHeaders: user === undefined ? undefined : { user, groups },
    reload() {
      try {
        const newRules = readAccessRules(config);
        identities.replaceRules(newRules);
        logger.info({ rules: newRules.length }, "the access rules were read again");
      } catch (error) {
        if (!(error instanceof StartupError)) throw error;
        logger.error(
          { reason: formatReason(error) },
          "the access rules are invalid; the previous ones remain in use",
        );
      }
    },
  };
}

interface OpenProvider {
  readonly verify: VerifyToken;
  readonly login: Login | undefined;
}

async function openProvider(config: Config, logger: Logger): Promise<OpenProvider | undefined> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcAudience, oidcNameClaim } = config;
  if (issuer === undefined) return undefined;
  // Loaded only if needed, for a fast start.
  const { OidcProvider } = await import("../identity/oidc-provider.js");
  const provider = new OidcProvider({
    issuer,
    audiences: clientId === undefined ? oidcAudience : [...oidcAudience, clientId],
    nameClaim: oidcNameClaim,
    ...(clientId !== undefined && {
      client: { clientId, clientSecret: config.oidcClientSecret, scope: config.oidcScope },
    }),
    warn: (reason) => logger.warn({ issuer, reason }, "the identity provider cannot be used"),
  });
  // The first token need not wait, and a wrong issuer is in the log at once.
  void provider.prepare();
  return provider;
}

/** @throws {StartupError} */
function expectLocalProxy({ trustedHeader, host }: Pick<Config, "trustedHeader" | "host">): void {
  if (trustedHeader === undefined || isLocalOnly(host.map(parseListenAddress))) return;
  throw new StartupError(
    `${flagOf("trustedHeader")}: requires a ${flagOf("host")} that only this machine can reach, a loopback address or a Unix socket, got ${host.join()}: other machines could send the header themselves`,
  );
}
