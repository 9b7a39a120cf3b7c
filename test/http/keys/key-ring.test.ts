import { describe, expect, it, onTestFinished, vi } from "vitest";
import { computeKeyHash, parseKeyLine } from "../../../src/config/keys/key-line.js";
import type { ManagedKey } from "../../../src/core/api-keys.js";
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

const NOW = Date.parse("2026-01-01T00:00:00.000Z");

/** Key of the key store. @param line as of the key file */
const stored = (line: string, facts: Partial<ManagedKey> = {}): ManagedKey => ({
  key: parseKeyLine(line, "key"),
  state: "enabled",
  former: [],
  ...facts,
});

describe("the keys of the key store", () => {
  /** A ring at a time that the test may change. */
  function ringOf(...keys: readonly ManagedKey[]) {
    vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const ring = new KeyRing(keysOf("file name=file"), () => 0);
    ring.replaceStored(keys);
    return { ring };
  }

  it("are found together with those of the configuration", () => {
    const { ring } = ringOf(stored("a name=alice"));
    expect(usageOf(ring, "a").key.name).toBe("alice");
    expect(usageOf(ring, "file").key.name).toBe("file");
    expect(ring.usages.map(({ key }) => key.name)).toEqual(["file", "alice"]);
    ring.replace(keysOf("other name=other"));
    expect(ring.find("file")).toBeUndefined();
    expect(usageOf(ring, "a").key.name).toBe("alice");
  });

  it.each([
    ["is disabled", { state: "disabled" } as const],
    ["expired at 2026-01-01T00:00:00.000Z", { expiresAt: NOW }],
  ])("are refused with the reason if the value matches exactly: %s", (reason, facts) => {
    const { ring } = ringOf(stored("a name=alice", facts));
    const { code, message } = refusal(() => ring.find("a"));
    expect([code, message]).toEqual(["invalid_api_key", `The API key alice ${reason}.`]);
    for (const other of ["A", "alice", computeKeyHash("a")]) {
      expect(ring.find(other)).toBeUndefined();
    }
    expect(refusal(() => ring.findByName("alice")?.expectUsable()).code).toBe("invalid_api_key");
  });

  it("are accepted until they expire", () => {
    const { ring } = ringOf(stored("a name=alice", { expiresAt: NOW + 1 }));
    expect(ring.find("a")).toBeDefined();
    vi.setSystemTime(NOW + 1);
    expect(() => ring.find("a")).toThrow("expired");
  });

  it("are accepted with their former values until these end, with the same limits", () => {
    const former = [{ sha256: computeKeyHash("old"), until: NOW + 1 }];
    const { ring } = ringOf(stored("new name=alice requests-per-minute=1", { former }));
    usageOf(ring, "old").admit("server");
    expect(refusal(() => usageOf(ring, "new").admit("server")).code).toBe("rate_limit_exceeded");
    vi.setSystemTime(NOW + 1);
    expect(refusal(() => ring.find("old")).message).toBe(
      "The API key alice has a new value: use that one.",
    );
    expect(ring.find("new")).toBeDefined();
  });

  it("keep their usage when they are rotated", () => {
    const { ring } = ringOf(stored("a name=alice requests-per-minute=1"));
    usageOf(ring, "a").admit("server");
    ring.replaceStored([stored("b name=alice requests-per-minute=1")]);
    expect(() => usageOf(ring, "b").admit("server")).toThrow("requests-per-minute");
  });

  it("record the last use", () => {
    const { ring } = ringOf(stored("a name=alice requests-per-minute=1"));
    expect(usageOf(ring, "a").lastUsedAt).toBeUndefined();
    usageOf(ring, "a").admit("server");
    vi.setSystemTime(NOW + 1000);
    expect(() => usageOf(ring, "a").admit("server")).toThrow("requests-per-minute");
    expect(usageOf(ring, "a").lastUsedAt).toBe(NOW);
  });

  it("own stored data, also while they are disabled", () => {
    const { ring } = ringOf(stored("a name=alice", { state: "disabled" }));
    expect([ring.owners.count(), ring.owners.has("alice")]).toEqual([2, true]);
  });

  it("never leave the server open", () => {
    const ring = new KeyRing([]);
    expect(ring.isOpen).toBe(true);
    ring.replaceStored([]);
    expect([ring.isOpen, ring.owners.has("")]).toEqual([false, false]);
    expect(ring.find("a")).toBeUndefined();
  });
});
