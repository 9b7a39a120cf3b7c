/**
 * Completes package-lock.json with the platform packages that npm left out because the registry it
 * was written with does not carry them: `npm ci` refuses a lock without them, on every platform.
 * Run after `npm install`: `node .ci/complete-lock.mjs`.
 */
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));

const systems = {
  android: "android",
  darwin: "darwin",
  mac: "darwin",
  linux: "linux",
  win: "win32",
  win32: "win32",
};
const processors = ["arm64", "x64", "ia32", "ppc64", "s390x", "riscv64"];

/** What a package's name says about where it runs, e.g. `core-linux-arm-gnueabihf`. */
function platformOf(name) {
  const words = name.split("/").at(-1).split("-");
  const os = words.map((word) => systems[word]).find(Boolean);
  const cpu =
    words.find((word) => processors.includes(word)) ?? (words.includes("arm") ? "arm" : undefined);
  if (os === undefined || cpu === undefined) throw new Error(`${name}: cannot tell its platform`);
  const libc = words.includes("musl") ? ["musl"] : undefined;
  return { os: [os], cpu: [cpu], ...(libc && { libc }) };
}

const added = [];
for (const [, { optionalDependencies = {}, dev, devOptional }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined) continue;
    if (!/^\d+\.\d+\.\d+$/.test(version))
      throw new Error(`${name}: expected an exact version, got ${version}`);
    lock.packages[key] = {
      version,
      ...platformOf(name),
      ...(dev && { dev }),
      ...(devOptional && { devOptional }),
      optional: true,
    };
    added.push(`${name}@${version}`);
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} added\n${added.join("\n")}\n`);
