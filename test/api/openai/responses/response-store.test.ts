import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keysToEvict } from "../../../../src/api/openai/responses/bounded-store.js";
import { newResponse } from "../../../../src/api/openai/responses/new-response.js";
import type { StoredItem } from "../../../../src/api/openai/responses/response-schema.js";
import {
  ResponseStores,
  type StoredResponse,
} from "../../../../src/api/openai/responses/response-store.js";
import { refusal } from "../../../support/refusal.js";

const limits = { entries: 3, bytes: 100, idleMs: 10 };

describe("what is evicted", () => {
  it.each([
    ["nothing within the limits", [30, 30, 40], 5, []],
    ["the oldest of too many", [1, 1, 1, 1, 1], 5, ["0", "1"]],
    ["the oldest of too large ones", [30, 30, 60], 5, ["0"]],
    ["what is idle for too long", [1, 1], 11, ["0"]],
  ])("is %s", (_name, sizes, now, evicted) => {
    const entries = sizes.map((bytes, index) => ({ key: String(index), bytes, usedAt: index }));
    const totals = { entries: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    expect(keysToEvict(entries, totals, limits, now)).toEqual(evicted);
  });

  it("leaves what is within the limits, and nothing older than what it evicts", () => {
    const sizes = fc.array(fc.nat(120), { maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.nat(20), (all, now) => {
        const entries = all.map((bytes, index) => ({ key: String(index), bytes, usedAt: index }));
        const totals = { entries: all.length, bytes: all.reduce((sum, size) => sum + size, 0) };
        const evicted = keysToEvict(entries, totals, limits, now);
        expect(evicted).toEqual(entries.slice(0, evicted.length).map(({ key }) => key));
        const kept = entries.slice(evicted.length);
        expect(kept.length).toBeLessThanOrEqual(limits.entries);
        expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limits.bytes);
        for (const { usedAt } of kept) expect(now - usedAt).toBeLessThanOrEqual(limits.idleMs);
      }),
    );
  });
});

const message = (id: string, text = id): StoredItem => ({
  type: "message",
  id,
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text }],
});

function stored(id: string, previous?: string, input = [message(`msg_${id}`)]): StoredResponse {
  const body = { ...(previous !== undefined && { previous_response_id: previous }) };
  const response = newResponse(body, { id, createdAt: 1, model: "m" });
  return { type: "response", response, earlier: [], input };
}

describe("the store of responses", () => {
  const roomy = { entries: 10, bytes: 1_000_000, idleMs: 10 };

  it("finds a conversation from its last response on", () => {
    const store = new ResponseStores().of("alice");
    for (const [id, previous] of [["a"], ["b", "a"], ["c", "b"], ["d", "a"]] as const) {
      store.add(stored(id, previous));
    }
    const ids = (id: string) => store.conversationUpTo(id).map((item) => item.id);
    expect(ids("c")).toEqual(["msg_a", "msg_b", "msg_c"]);
    expect(ids("d")).toEqual(["msg_a", "msg_d"]);
    store.deleteResponse("a");
    expect(refusal(() => ids("c"))).toMatchObject({
      code: "previous_response_not_found",
      message: expect.stringContaining("'a'"),
    });
  });

  it("drops what nobody has used for the longest time", () => {
    const store = new ResponseStores({ limits: { ...roomy, entries: 2 } }).of("alice");
    store.add(stored("a"));
    store.add(stored("b"));
    store.response("a");
    store.add(stored("c"));
    expect(refusal(() => store.response("b")).code).toBe("not_found");
    expect(store.response("a").response.id).toBe("a");
  });

  it("drops what is idle, with its items", () => {
    let now = 0;
    const store = new ResponseStores({ limits: roomy, now: () => now }).of("alice");
    store.add(stored("a"));
    now = 10;
    expect(store.response("a").response.id).toBe("a");
    now = 21;
    expect(refusal(() => store.response("a")).code).toBe("not_found");
    expect(store.item("msg_a")).toBeUndefined();
  });

  it("keeps everything else when something is too large for it", () => {
    const store = new ResponseStores({ limits: { ...roomy, bytes: 3_000 } }).of("alice");
    store.add(stored("a"));
    store.add(stored("b", undefined, [message("msg_b", "x".repeat(4_000))]));
    expect(store.response("a").response.id).toBe("a");
    expect(refusal(() => store.response("b")).code).toBe("not_found");
    expect(store.item("msg_b")).toBeUndefined();
  });

  it("keeps an item for as long as something has it, as it was first", () => {
    const store = new ResponseStores().of("alice");
    store.add(stored("a", undefined, [message("msg_1", "mine")]));
    store.add(stored("b", undefined, [message("msg_1", "another's")]));
    expect(store.item("msg_1")).toEqual(message("msg_1", "mine"));
    store.deleteResponse("a");
    expect(store.item("msg_1")).toBeDefined();
    store.deleteResponse("b");
    expect(store.item("msg_1")).toBeUndefined();
  });
});
