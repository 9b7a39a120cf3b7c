import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A certificate that signs itself, for localhost and its addresses, until the year 2120. */
export interface TestCertificate {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
}

export const firstCertificate = certificateNamed("first");
export const secondCertificate = certificateNamed("second");

function certificateNamed(name: string): TestCertificate {
  const [certPath, keyPath] = [`${name}.pem`, `${name}-key.pem`].map((file) =>
    fileURLToPath(new URL(`certificates/${file}`, import.meta.url)),
  ) as [string, string];
  return {
    certPath,
    keyPath,
    cert: readFileSync(certPath, "utf8"),
    key: readFileSync(keyPath, "utf8"),
  };
}
