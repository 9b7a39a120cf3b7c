import { once } from "node:events";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { firstCertificate, secondCertificate } from "../support/certificates.js";
import { eventually } from "../support/eventually.js";
import { run, start, temporaryFolder } from "./daemon.js";

/** Name in the certificate that a server presents. */
async function shownName(port: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

it("a daemon serves TLS and a Unix socket, reloads its certificate on SIGHUP, and removes the socket", async () => {
  const folder = temporaryFolder();
  const [cert, key, path] = ["cert.pem", "key.pem", "a.sock"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  copyFileSync(firstCertificate.certPath, cert);
  copyFileSync(firstCertificate.keyPath, key);
  const daemon = await start([
    ...["--no-model", "--host", `127.0.0.1,unix:${path}`],
    ...["--tls-cert", cert, "--tls-key", key],
  ]);
  expect(daemon.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(daemon.output.stdout).toMatch(new RegExp(`^ {12}unix:${path}$`, "m"));
  const port = Number(new URL(daemon.url).port);

  const [overTls, atSocket, untrusted] = await Promise.all([
    run(["ps", "--url", daemon.url], { NODE_EXTRA_CA_CERTS: cert }),
    run(["ps", "--json"], { GGUFD_HOST: `127.0.0.1,unix:${path}`, GGUFD_TLS_CERT: cert }),
    run(["ps", "--url", daemon.url]),
  ]);
  expect(overTls).toMatchObject({ code: 0, stderr: "" });
  expect(atSocket).toMatchObject({ code: 0, stderr: "" });
  expect(untrusted).toMatchObject({ code: 1, stderr: expect.stringContaining("self-signed") });

  copyFileSync(secondCertificate.certPath, cert);
  copyFileSync(secondCertificate.keyPath, key);
  daemon.process.kill("SIGHUP");
  await eventually(async () => expect(await shownName(port)).toBe("ggufd test second"));

  daemon.process.kill("SIGTERM");
  expect(await daemon.exited).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(path)).toBe(false);
});

it.each([
  [["--tls-cert", "/nowhere.pem"], "--tls-cert: requires --tls-key"],
  [
    ["--tls-cert", firstCertificate.certPath, "--tls-key", "/nowhere.pem"],
    "--tls-key /nowhere.pem: cannot be read: ENOENT",
  ],
  [["--host", "unix:/nowhere/a.sock"], "--host unix:/nowhere/a.sock: expected the folder /nowhere"],
])("a daemon with %j does not start", async (args, line) => {
  const { code, stderr } = await run(["--no-model", ...args]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^ggufd: [^\n]+\n$/);
  expect(stderr).toContain(line);
});
