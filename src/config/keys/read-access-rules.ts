import type { AccessRule } from "../../core/access-rules.js";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { readRegularFile } from "../../files/regular-files.js";
import { type Config, flagOf } from "../settings.js";
import { defaultPermissions, parseAttributes } from "./key-line.js";

/** `*`, `CLAIM=VALUE` or `CLAIM="a value with spaces"`, and the rest of the line. */
const RULE = /^(?:\*|(?<claim>[^\s="]+)=(?<value>"(?:[^"\\]|\\.)*"|[^\s"]+))(?:\s+(?<rest>\S.*))?$/;

const DENY = "deny";

/**
 * Reads the file of access rules, one per line; empty lines and lines starting with # are ignored.
 * @returns no rules if the configuration names no file
 * @throws {StartupError} the file cannot be read, has no rule or an invalid line
 */
export function readAccessRules({ accessRules: path }: Config): readonly AccessRule[] {
  if (path === undefined) return [];
  const file = `${flagOf("accessRules")} ${path}`;
  const rules = readText(path, file)
    .split("\n")
    .flatMap((line, index) => {
      const text = line.trim();
      if (text === "" || text.startsWith("#")) return [];
      return [parseAccessRule(text, `${file}: line ${index + 1}`)];
    });
  if (rules.length === 0) throw new StartupError(`${file}: contains no rule`);
  return rules;
}

/**
 * Parses a rule: the claim and its value, or `*`, followed by `deny` or by attributes as in the key
 * file, without a name.
 * @param line without surrounding white space
 * @param location file and line, for messages
 * @throws {StartupError}
 */
export function parseAccessRule(line: string, location: string): AccessRule {
  const groups = RULE.exec(line)?.groups;
  if (groups === undefined) {
    throw new StartupError(
      `${location}: expected CLAIM=VALUE or * first, with double quotes around a value with spaces`,
    );
  }
  const { claim, value = "", rest } = groups;
  const condition = claim !== undefined && {
    condition: { claim, value: readValue(value, `${location}: ${claim}`) },
  };
  if (rest === DENY) return { ...condition, outcome: { type: "deny" } };
  const { name, ...attributes } = parseAttributes(rest?.split(/\s+/) ?? [], location);
  if (name !== undefined) {
    throw new StartupError(
      `${location}: name: expected no name: users are named by ${flagOf("oidcNameClaim")} or ${flagOf("trustedHeader")}`,
    );
  }
  if (attributes.scopes === undefined) {
    throw new StartupError(`${location}: expected ${DENY}, or scopes=LIST`);
  }
  const { scopes } = attributes;
  const grant = { ...defaultPermissions, ...attributes, scopes };
  return { ...condition, outcome: { type: "grant", grant } };
}

function readValue(written: string, location: string): string {
  if (!written.startsWith('"')) return written;
  try {
    return JSON.parse(written);
  } catch {
    throw new StartupError(`${location}: expected a string as in JSON, got ${written}`);
  }
}

function readText(path: string, file: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    throw new StartupError(`${file}: cannot be read: ${formatReason(error)}`, error);
  }
}
