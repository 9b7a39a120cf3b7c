import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { requestLimits } from "../../src/http/request-checks.js";

const page = new URL("../../docs/SECURITY.md", import.meta.url);
const claims = (/^## Claims\n(.*?)^## /ms.exec(readFileSync(page, "utf8"))?.[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (Claim|---)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, claim = "", limit = "", tests = ""]) => ({ claim, limit, tests }));

describe("the claims of docs/SECURITY.md", () => {
  it("are parsed from a table", () => {
    expect(claims.length).toBeGreaterThan(20);
  });

  it.each(claims)("have an existing test: $claim", ({ tests }) => {
    const paths = [...tests.matchAll(/\]\((\S+\.test\.ts)\)/g)].map(([, path = ""]) => path);
    expect(paths).not.toEqual([]);
    for (const path of paths) {
      expect(existsSync(fileURLToPath(new URL(path, page))), path).toBe(true);
    }
  });

  it.each([
    ["Long targets", `${requestLimits.urlBytes.toLocaleString("en")} bytes`],
    ["Many or large headers", `${requestLimits.headerFields} fields`],
    ["Many or large headers", `${requestLimits.headBytes.toLocaleString("en")} bytes`],
    ["Slow requests", `headers ${requestLimits.headersTimeoutMs / 1000} s`],
    ["Slow requests", `all ${requestLimits.requestTimeoutMs / 1000} s`],
    ["Idle connections", `${requestLimits.keepAliveTimeoutMs / 1000} s`],
  ])("of %s state the limit of the code: %s", (beginning, number) => {
    const limits = claims.filter(({ claim }) => claim.startsWith(beginning));
    expect(limits.map(({ limit }) => limit).join()).toContain(number);
  });
});
