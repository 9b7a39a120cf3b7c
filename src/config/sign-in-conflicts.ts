import { StartupError } from "../core/startup-error.js";
import type { accessSettings } from "./access-settings.js";
import { describeSettingOrigin } from "./layers.js";
import { type Config, flagOf, type Origin, type SettingName } from "./settings.js";

type SignInConfig = Pick<Config, keyof typeof accessSettings | "corsOrigin">;

/** Settings that have no effect, or none that is safe, without one of others. */
const REQUIREMENTS: readonly (readonly [
  setting: keyof SignInConfig,
  required: readonly (keyof SignInConfig)[],
])[] = [
  ["oidcIssuer", ["accessRules"]],
  ["oidcIssuer", ["oidcAudience", "oidcClientId"]],
  ["oidcAudience", ["oidcIssuer"]],
  ["oidcClientId", ["oidcIssuer"]],
  ["oidcClientSecret", ["oidcClientId"]],
  ["trustedHeader", ["accessRules"]],
  ["trustedGroupsHeader", ["trustedHeader"]],
  ["accessRules", ["oidcIssuer", "trustedHeader"]],
];

/**
 * Rejects incomplete settings of sign-in. A trusted header requires a list of origins: the proxy's
 * cookie accompanies requests from any web page, which `*` would let through.
 * @throws {StartupError} naming the setting, and the missing one
 */
export function rejectSignInConflict(
  config: SignInConfig,
  origins: Readonly<Record<SettingName, Origin>>,
): void {
  for (const [setting, required] of REQUIREMENTS) {
    if (!isGiven(config[setting]) || required.some((one) => isGiven(config[one]))) continue;
    const flags = required.map(flagOf).join(" or ");
    throw new StartupError(
      `${describeSettingOrigin(setting, origins[setting])}: requires ${flags}`,
    );
  }
  if (config.trustedHeader === undefined || !config.corsOrigin.includes("*")) return;
  throw new StartupError(
    `${describeSettingOrigin("trustedHeader", origins.trustedHeader)}: requires ${flagOf("corsOrigin")} with the origin of the web UI, or none: with *, any web page could send requests as its visitor`,
  );
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
