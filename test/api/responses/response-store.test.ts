import { describe, expect, it } from "vitest";
import { createResponse } from "../../../src/api/responses/create-response.js";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { ResponseStores, type StoredResponse } from "../../../src/api/responses/response-store.js";
import { refusal } from "../../support/refusal.js";

const message = (id: string, text = id): StoredItem => ({
  type: "message",
  id,
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text }],
});

function stored(id: string, previous?: string, input = [message(`msg_${id}`)]): StoredResponse {
  const body = { ...(previous !== undefined && { previous_response_id: previous }) };
  const response = createResponse(body, { id, createdAt: 1, model: "m" });
  return { response, earlier: [], input };
}

describe("ResponseStore", () => {
  const roomy = { entries: 10, items: 1_000, bytes: 1_000_000, idleMs: 10 };

  it("returns the conversation that leads to a response", () => {
    const store = new ResponseStores().of("alice");
    for (const [id, previous] of [["a"], ["b", "a"], ["c", "b"], ["d", "a"]] as const) {
      store.add(stored(id, previous));
    }
    const ids = (id: string) => store.collectConversationUpTo(id).map((item) => item.id);
    expect(ids("c")).toEqual(["msg_a", "msg_b", "msg_c"]);
    expect(ids("d")).toEqual(["msg_a", "msg_d"]);
    store.deleteResponse("a");
    expect(refusal(() => ids("c"))).toMatchObject({
      code: "previous_response_not_found",
      message: expect.stringContaining("'a'"),
    });
  });

  it("evicts the least recently used response", () => {
    const store = new ResponseStores({ limits: { ...roomy, entries: 2 } }).of("alice");
    store.add(stored("a"));
    store.add(stored("b"));
    store.getResponse("a");
    store.add(stored("c"));
    expect(refusal(() => store.getResponse("b")).code).toBe("not_found");
    expect(store.getResponse("a").response.id).toBe("a");
  });

  it("evicts only responses of the same owner", () => {
    const owners = { count: () => 2, has: () => true };
    const stores = new ResponseStores({ limits: { ...roomy, entries: 4 }, owners });
    stores.of("alice").add(stored("a"));
    for (const id of ["1", "2", "3", "4", "5"]) stores.of("bob").add(stored(id));
    expect(stores.of("alice").getResponse("a").response.id).toBe("a");
    expect(stores.of("bob").getResponse("4").response.id).toBe("4");
    expect(refusal(() => stores.of("bob").getResponse("3")).code).toBe("not_found");
    expect(stores.of("bob").findItem("msg_3")).toBeUndefined();
  });

  it("rejects an item larger than the owner's quota before generation", () => {
    const owners = { count: () => 2, has: () => true };
    const store = new ResponseStores({ limits: { ...roomy, bytes: 2_000 }, owners }).of("alice");
    store.expectRoomFor([message("m", "x".repeat(500))]);
    expect(refusal(() => store.expectRoomFor([message("m", "x".repeat(1_000))]))).toMatchObject({
      code: "storage_quota_exceeded",
      message: expect.stringContaining("1000 bytes and 500 items, the quota of the key 'alice'"),
    });
  });

  it("evicts idle responses with their items", () => {
    let now = 0;
    const store = new ResponseStores({ limits: roomy, now: () => now }).of("alice");
    store.add(stored("a"));
    now = 10;
    expect(store.getResponse("a").response.id).toBe("a");
    now = 21;
    expect(refusal(() => store.getResponse("a")).code).toBe("not_found");
    expect(store.findItem("msg_a")).toBeUndefined();
  });

  it("does not evict other responses for one that is too large to store", () => {
    const store = new ResponseStores({ limits: { ...roomy, bytes: 3_000 } }).of("alice");
    store.add(stored("a"));
    store.add(stored("b", undefined, [message("msg_b", "x".repeat(4_000))]));
    expect(store.getResponse("a").response.id).toBe("a");
    expect(refusal(() => store.getResponse("b")).code).toBe("not_found");
    expect(store.findItem("msg_b")).toBeUndefined();
  });

  it("keeps the first version of an item while a response references it", () => {
    const store = new ResponseStores().of("alice");
    store.add(stored("a", undefined, [message("msg_1", "mine")]));
    store.add(stored("b", undefined, [message("msg_1", "another's")]));
    expect(store.findItem("msg_1")).toEqual(message("msg_1", "mine"));
    store.deleteResponse("a");
    expect(store.findItem("msg_1")).toBeDefined();
    store.deleteResponse("b");
    expect(store.findItem("msg_1")).toBeUndefined();
  });
});
