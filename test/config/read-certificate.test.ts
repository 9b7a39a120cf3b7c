import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { readCertificate } from "../../src/config/read-certificate.js";
import { firstCertificate, secondCertificate } from "../support/certificates.js";
import { configFolder } from "../support/config-file.js";

const { certPath, keyPath, cert, key } = firstCertificate;

const { fileWith } = configFolder();

describe("the TLS certificate", () => {
  it("is absent by default", () => {
    expect(readCertificate({ tlsCert: undefined, tlsKey: undefined })).toBeUndefined();
  });

  it("is read with its private key", () => {
    expect(readCertificate({ tlsCert: certPath, tlsKey: keyPath })).toEqual({
      cert,
      key,
      validTo: "Jan  1 00:00:00 2120 GMT",
    });
  });

  it("may be followed by intermediate certificates and the key in the same file", () => {
    const path = fileWith("a.pem", `${cert}${secondCertificate.cert}${key}`);
    expect(readCertificate({ tlsCert: path, tlsKey: path })?.validTo).toContain("2120");
  });

  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const encrypted = privateKey
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" })
    .toString();

  test.each<[string, () => readonly [cert?: string, key?: string], string]>([
    ["without its key", () => [certPath], "--tls-cert: requires --tls-key"],
    ["that is only a key", () => [undefined, keyPath], "--tls-key: requires --tls-cert"],
    ["that is missing", () => ["/nowhere", keyPath], "--tls-cert /nowhere: cannot be read: ENOENT"],
    [
      "whose key is missing",
      () => [certPath, "/nowhere"],
      "--tls-key /nowhere: cannot be read: ENOENT",
    ],
    [
      "that is not a certificate",
      () => [fileWith("a.pem", "hello"), keyPath],
      "expected a certificate in PEM, OpenSSL rejects it: ",
    ],
    [
      "followed by a broken certificate",
      () => [fileWith("a.pem", `${cert}${cert.replace(/(?<=\n).{8}/, "????????")}`), keyPath],
      "expected a chain of certificates in PEM, OpenSSL rejects it: ",
    ],
    [
      "whose key is not a key",
      () => [certPath, certPath],
      "expected a private key without a passphrase in PEM, OpenSSL rejects it: ",
    ],
    [
      "whose key has a passphrase",
      () => [certPath, fileWith("a.pem", encrypted)],
      "expected a private key without a passphrase in PEM, OpenSSL rejects it: ",
    ],
    [
      "with the key of another certificate",
      () => [certPath, secondCertificate.keyPath],
      `--tls-key ${secondCertificate.keyPath}: expected the key of --tls-cert ${certPath}, got the key of another certificate`,
    ],
  ])("%s is rejected", (_, files, message) => {
    const [tlsCert, tlsKey] = files();
    expect(() => readCertificate({ tlsCert, tlsKey })).toThrow(message);
  });
});
