import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { readRegularFile } from "../files/regular-files.js";
import { type Config, flagOf, type SettingName } from "./settings.js";

/** TLS certificate and private key. */
export interface Certificate {
  /** Certificate chain, in PEM. */
  readonly cert: string;
  /** Private key, in PEM. */
  readonly key: string;
  /** Expiry date, in the format of OpenSSL: `Jan  1 00:00:00 2120 GMT`. */
  readonly validTo: string;
}

/**
 * Reads the TLS certificate of the server.
 * @returns `undefined` if none is configured and the server uses http
 * @throws {StartupError} one of the two files is missing, cannot be read or is not PEM, or they do
 *   not match; the message contains no part of the key
 */
export function readCertificate({
  tlsCert,
  tlsKey,
}: Pick<Config, "tlsCert" | "tlsKey">): Certificate | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined) throw createMissingFileError("tlsKey", "tlsCert");
  if (tlsKey === undefined) throw createMissingFileError("tlsCert", "tlsKey");
  const certFile = `${flagOf("tlsCert")} ${tlsCert}`;
  const keyFile = `${flagOf("tlsKey")} ${tlsKey}`;
  const cert = readText(tlsCert, certFile);
  const key = readText(tlsKey, keyFile);
  const x509 = parse(() => new X509Certificate(cert), certFile, "a certificate");
  const privateKey = parse(
    () => createPrivateKey(key),
    keyFile,
    "a private key without a passphrase",
  );
  expectPair(x509, privateKey, { certFile, keyFile });
  // Detects faults that only OpenSSL reports, such as a key that is too short.
  parse(() => createSecureContext({ cert, key }), certFile, "a chain of certificates");
  return { cert, key, validTo: x509.validTo };
}

function createMissingFileError(presentSetting: SettingName, missing: SettingName): StartupError {
  return new StartupError(`${flagOf(presentSetting)}: requires ${flagOf(missing)}`);
}

function readText(path: string, file: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    throw new StartupError(`${file}: cannot be read: ${formatReason(error)}`, error);
  }
}

function parse<Parsed>(read: () => Parsed, file: string, what: string): Parsed {
  try {
    return read();
  } catch (error) {
    const reason = formatReason(error).replace(/^error:[\dA-F]+:/, "");
    throw new StartupError(
      `${file}: expected ${what} in PEM, OpenSSL rejects it: ${reason}`,
      error,
    );
  }
}

function expectPair(
  certificate: X509Certificate,
  key: KeyObject,
  { certFile, keyFile }: Readonly<Record<"certFile" | "keyFile", string>>,
): void {
  if (certificate.checkPrivateKey(key)) return;
  throw new StartupError(
    `${keyFile}: expected the key of ${certFile}, got the key of another certificate`,
  );
}
