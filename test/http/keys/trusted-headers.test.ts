import { describe, expect, it, onTestFinished } from "vitest";
import { readProxyUser } from "../../../src/http/keys/trusted-headers.js";
import { refusal } from "../../support/refusal.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { buildTestApp } from "../../support/test-app.js";

const headers = { user: "x-forwarded-user", groups: "x-forwarded-groups" };
const requestOf = (remoteAddress: string | undefined, ...rawHeaders: readonly string[]) => ({
  socket: { remoteAddress },
  rawHeaders: [...rawHeaders],
});

describe("the user that a proxy names", () => {
  it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", undefined])(
    "is read from a connection of this machine: %s",
    (address) => {
      const request = requestOf(address, "X-Forwarded-User", "alice", "Host", "llm.test");
      expect(readProxyUser(request, headers)).toEqual({ user: "alice", groups: [] });
    },
  );

  it.each(["10.0.0.1", "192.168.1.1", "::2", "::ffff:10.0.0.1", "128.0.0.1", "localhost"])(
    "is not read from another machine, whatever other headers report: %s",
    (address) => {
      const request = requestOf(
        ...[address, "X-Forwarded-User", "alice", "X-Forwarded-For", "127.0.0.1"],
      );
      expect(readProxyUser(request, headers)).toBeUndefined();
    },
  );

  it.each([[[]], [["X-Forwarded-User", ""]], [["X-Forwarded-User", "  "]], [["X-User", "alice"]]])(
    "is absent: %j",
    (rawHeaders) => {
      expect(readProxyUser(requestOf("::1", ...rawHeaders), headers)).toBeUndefined();
    },
  );

  it("is refused if the header came twice, from the client and from the proxy", () => {
    const twice = ["X-Forwarded-User", "root", "x-forwarded-USER", "alice"];
    expect(refusal(() => readProxyUser(requestOf("::1", ...twice), headers))).toMatchObject({
      code: "invalid_api_key",
      message: "x-forwarded-user: expected this header once, from the proxy, got it 2 times.",
    });
    const groups = [
      "X-Forwarded-User",
      "alice",
      "X-Forwarded-Groups",
      "a",
      ...["X-Forwarded-Groups", "ops"],
    ];
    expect(() => readProxyUser(requestOf("::1", ...groups), headers)).toThrow("2 times");
  });

  it("has the groups of the other header, if it is configured", () => {
    const request = requestOf(
      ...["::1", "X-Forwarded-User", "alice", "X-Forwarded-Groups", "staff, Domain Users,,ops"],
    );
    const groups = ["staff", "Domain Users", "ops"];
    expect(readProxyUser(request, headers)).toEqual({ user: "alice", groups });
    expect(readProxyUser(request, { user: headers.user })).toEqual({ user: "alice", groups: [] });
  });
});

describe("a server behind an authenticating proxy", () => {
  const rules = ["groups=staff scopes=inference,todos", "sub=eve deny"];
  function prepare() {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
      keyLines: ["a-key name=robot scopes=inference"],
      identities: { rules, trustedHeaders: headers },
      todos: storeInMemory(),
      edge: { corsOrigin: ["none"] },
    });
    onTestFinished(() => app.close());
    return (sent: Readonly<Record<string, string>>, remoteAddress = "127.0.0.1") =>
      app.inject({ url: "/v1/key", headers: sent, remoteAddress });
  }
  const alice = { "x-forwarded-user": "alice", "x-forwarded-groups": "staff" };

  it("serves the user, and clients with keys", async () => {
    const send = prepare();
    expect((await send(alice)).json()).toMatchObject({
      name: "proxy:alice",
      scopes: ["inference", "todos"],
    });
    expect((await send({ "x-api-key": "a-key" })).json()).toMatchObject({ name: "robot" });
    // The proxy knows the user, whatever the client sends.
    expect((await send({ ...alice, "x-api-key": "a-key" })).json().name).toBe("proxy:alice");
  });

  it("refuses the header from another machine, and users without a rule", async () => {
    const send = prepare();
    expect((await send(alice, "10.0.0.1")).statusCode).toBe(401);
    expect((await send({})).statusCode).toBe(401);
    expect((await send({ "x-forwarded-user": "eve" })).statusCode).toBe(403);
    expect((await send({ "x-forwarded-user": "bob" })).statusCode).toBe(403);
  });

  it("refuses pages of other origins, which the proxy would let through with its cookie", async () => {
    const send = prepare();
    expect((await send({ ...alice, origin: "https://attacker.test" })).statusCode).toBe(403);
    expect((await send({ ...alice, origin: "http://localhost" })).statusCode).toBe(200);
  });
});
