import { describe, expect, it } from "vitest";
import type { ConversationObject } from "../../../src/api/responses/response-schema.js";
import {
  buildBranchMetadata,
  findAlternatives,
  rootOf,
  selectLatestBranches,
} from "../../../src/page/chat/branches.js";

let clock = 0;

function conversation(id: string, metadata: Readonly<Record<string, string>> = {}) {
  clock += 1;
  return {
    id,
    object: "conversation",
    created_at: clock,
    updated_at: clock,
    active_response_id: null,
    metadata,
  } as ConversationObject;
}

const branchOf = (id: string, from: ConversationObject, after: string) =>
  conversation(id, buildBranchMetadata(from, after));

describe("branches of a conversation", () => {
  const root = conversation("a", { title: "A talk" });

  it("keep its title, and record the original conversation as their root", () => {
    const first = branchOf("b", root, "i2");
    const second = branchOf("c", first, "j4");
    expect(first.metadata).toEqual({ title: "A talk", root: "a", parent: "a", fork: "i2" });
    expect(rootOf(second)).toBe("a");
  });

  it("are listed as versions after the last common item", () => {
    const family = [root, branchOf("b", root, "i2"), branchOf("c", root, "i4")];
    expect(findAlternatives("i2", "a", family)).toEqual({ ids: ["a", "b"], shown: 0 });
    expect(findAlternatives("i2", "b", family)).toEqual({ ids: ["a", "b"], shown: 1 });
    expect(findAlternatives("i4", "c", family)).toEqual({ ids: ["a", "c"], shown: 1 });
    expect(findAlternatives("i3", "a", family)).toBeUndefined();
  });

  it("created from another branch at the same item are versions of both", () => {
    const b = branchOf("b", root, "i2");
    const c = branchOf("c", b, "i2");
    const family = [c, root, b];
    for (const [shown, id] of ["a", "b", "c"].entries()) {
      expect(findAlternatives("i2", id, family)).toEqual({ ids: ["a", "b", "c"], shown });
    }
  });

  it("created further down a branch show that branch as the selected version", () => {
    const b = branchOf("b", root, "i2");
    const d = branchOf("d", b, "j6");
    const family = [root, b, d];
    expect(findAlternatives("i2", "d", family)).toEqual({ ids: ["a", "b"], shown: 1 });
    expect(findAlternatives("j6", "d", family)).toEqual({ ids: ["b", "d"], shown: 1 });
  });

  it("can start at the first message", () => {
    const b = branchOf("b", root, "");
    expect(findAlternatives("", "b", [root, b])).toEqual({ ids: ["a", "b"], shown: 1 });
  });

  it("remain versions of each other after the original conversation is deleted", () => {
    const family = [branchOf("b", root, "i2"), branchOf("c", root, "i2")];
    expect(findAlternatives("i2", "c", family)).toEqual({ ids: ["b", "c"], shown: 1 });
    expect(findAlternatives("i2", "b", family.slice(0, 1))).toBeUndefined();
  });

  it("that form a cycle, created by another client, do not cause an endless loop", () => {
    const x = conversation("x", { parent: "y", fork: "i", root: "x" });
    const y = conversation("y", { parent: "x", fork: "i", root: "x" });
    expect(findAlternatives("i", "x", [x, y])).toEqual({ ids: ["x", "y"], shown: 0 });
  });
});

describe("the list of conversations", () => {
  it("has one entry per group of branches, sorted by the latest change", () => {
    const a = conversation("a");
    const other = conversation("o");
    const b = branchOf("b", a, "i2");
    expect(selectLatestBranches([a, other, b]).map(({ id }) => id)).toEqual(["b", "o"]);
  });
});
