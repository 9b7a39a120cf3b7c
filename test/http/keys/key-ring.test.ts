import { describe, expect, it } from "vitest";
import { computeKeyHash, parseKeyLine } from "../../../src/config/keys/key-line.js";
import { KeyRing } from "../../../src/http/keys/key-ring.js";
import { refusal } from "../../support/refusal.js";

const keysOf = (...lines: readonly string[]) => lines.map((line) => parseKeyLine(line, "key"));
const usageOf = (ring: KeyRing, key: string) => {
  const usage = ring.find(key);
  if (usage === undefined) throw new Error("an unknown key");
  return usage;
};

describe("the keys of a server", () => {
  it("are found by the key, not by its name or hash", () => {
    const ring = new KeyRing(keysOf("a name=alice", "b name=bob"));
    expect(usageOf(ring, "b").key.name).toBe("bob");
    for (const unknown of ["", "A", "ab", "alice", computeKeyHash("a")])
      expect(ring.find(unknown)).toBeUndefined();
  });

  it("are found by name for work on behalf of their owners", () => {
    const ring = new KeyRing(keysOf("a name=alice", "b name=bob"));
    expect(ring.findByName("bob")).toBe(ring.find("b"));
    for (const unknown of ["", "b", "carol"]) expect(ring.findByName(unknown)).toBeUndefined();
  });

  it("take effect or become invalid immediately when they are replaced", () => {
    const ring = new KeyRing(keysOf("a", "b"));
    ring.replace(keysOf("b", "c"));
    expect(ring.find("a")).toBeUndefined();
    expect(ring.find("b")).toBeDefined();
    expect(ring.find("c")).toBeDefined();
  });

  it("that are retained keep their usage under the new limits", () => {
    const ring = new KeyRing(keysOf("a requests-per-minute=2 concurrent=1"), () => 0);
    const before = usageOf(ring, "a");
    const release = before.admit("model")?.hold();
    ring.replace(keysOf("z", "a name=alice requests-per-minute=2 concurrent=1"));
    const usage = usageOf(ring, "a");
    expect(usage.key.name).toBe("alice");
    expect(usage.headers).toMatchObject({ "x-ratelimit-remaining-requests": "1" });
    expect(refusal(() => usage.admit("model")).message).toContain("concurrent: ");
    release?.();
    usage.admit("model");
    expect(refusal(() => usage.admit("model")).message).toContain("requests-per-minute: ");
    ring.replace(keysOf("a"));
    usageOf(ring, "a").admit("model");
    expect(usageOf(ring, "a").headers).toEqual({});
  });

  it("that are added again after removal have no usage", () => {
    const ring = new KeyRing(keysOf("a requests-per-minute=1"), () => 0);
    usageOf(ring, "a").admit("server");
    ring.replace(keysOf("b"));
    ring.replace(keysOf("a requests-per-minute=1"));
    expect(() => usageOf(ring, "a").admit("server")).not.toThrow();
  });
});

describe("the owners of stored objects", () => {
  const owners = (...lines: readonly string[]) => new KeyRing(keysOf(...lines)).owners;

  it("are the keys with permission to store objects", () => {
    const { count, has } = owners("a name=a", "b name=b scopes=todos", "c name=c access=read-only");
    expect([count(), has("a"), has("b"), has("c"), has("")]).toEqual([
      1,
      true,
      false,
      false,
      false,
    ]);
  });

  it("consist of one unnamed owner if there are no keys", () => {
    const { count, has } = owners();
    expect([count(), has(""), has("a")]).toEqual([1, true, false]);
  });

  it("are updated when the keys are replaced", () => {
    const ring = new KeyRing(keysOf("a name=a"));
    ring.replace(keysOf("a name=a", "b name=b"));
    expect([ring.owners.count(), ring.owners.has("b")]).toEqual([2, true]);
  });
});
