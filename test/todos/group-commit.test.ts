import { describe, expect, test } from "vitest";
import { GroupCommit } from "../../src/todos/group-commit.js";
import { HeldWrites, microtasksDone } from "./held-writes.js";

function heldLog(): { commits: GroupCommit<string[]>; writes: HeldWrites<string[]> } {
  const writes = new HeldWrites<string[]>((state) => [...state]);
  const commits = new GroupCommit<string[]>({
    initial: [],
    draftOf: (state) => [...state],
    isChanged: (draft, original) => draft.length !== original.length,
    persist: writes.persist,
  });
  return { commits, writes };
}

const append = (entry: string) => (draft: string[]) => draft.push(entry);
const refuse = (reason: string) => () => {
  throw new Error(reason);
};

describe("GroupCommit", () => {
  test("resolves a change with its result only when it has been persisted", async () => {
    const { commits, writes } = heldLog();
    let told = false;
    const change = commits.submit(append("a")).finally(() => {
      told = true;
    });
    await microtasksDone();
    expect(told).toBe(false);
    await writes.pass();
    expect(told).toBe(true);
    expect(await change).toBe(1);
  });

  test("never shows a change that is not persisted yet", async () => {
    const { commits, writes } = heldLog();
    const first = commits.submit(append("a"));
    expect(commits.committed).toEqual([]);
    await writes.pass();
    await first;
    expect(commits.committed).toEqual(["a"]);
  });

  test("writes what waited together, in the order of submission", async () => {
    const { commits, writes } = heldLog();
    const all = ["a", "b", "c", "d"].map((entry) => commits.submit(append(entry)));
    expect(writes.states).toEqual([["a"]]);
    await writes.pass();
    expect(writes.states).toEqual([["a"], ["a", "b", "c", "d"]]);
    await writes.pass();
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
    expect(writes.inFlight).toBe(false);
  });

  test("a failed write rejects exactly the changes it carried and leaves no trace of them", async () => {
    const { commits, writes } = heldLog();
    const disk = new Error("disk full");
    const changes = ["a", "b", "c"].map((entry) => commits.submit(append(entry)));
    const outcomes = Promise.allSettled(changes);
    await writes.pass();
    const later = commits.submit(append("d"));
    await writes.fail(disk);
    expect(commits.committed).toEqual(["a"]);
    expect(writes.states.at(-1)).toEqual(["a", "d"]);
    await writes.pass();
    expect(await outcomes).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "rejected", reason: disk },
      { status: "rejected", reason: disk },
    ]);
    expect(await later).toBe(2);
    expect(commits.committed).toEqual(["a", "d"]);
  });

  test("a persist that throws at once counts as a failed write", async () => {
    const commits = new GroupCommit<string[]>({
      initial: [],
      draftOf: (state) => [...state],
      isChanged: () => true,
      persist: refuse("no disk"),
    });
    await expect(commits.submit(append("a"))).rejects.toThrow("no disk");
    expect(commits.committed).toEqual([]);
  });

  test("a change that refuses is told alone, and is not written", async () => {
    const { commits, writes } = heldLog();
    await expect(commits.submit(refuse("unknown"))).rejects.toThrow("unknown");
    expect(writes.states).toEqual([]);

    const all = [append("a"), refuse("unknown"), append("b")].map((change) =>
      commits.submit<unknown>(change),
    );
    const outcomes = Promise.allSettled(all);
    await writes.pass();
    await writes.pass();
    expect((await outcomes).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(commits.committed).toEqual(["a", "b"]);
  });

  test("changes that leave everything as it was are told, and not written", async () => {
    const { commits, writes } = heldLog();
    expect(await commits.submit((draft) => draft.length)).toBe(0);
    expect(writes.states).toEqual([]);
  });

  test("says how many wait for the write that is going on", async () => {
    const { commits, writes } = heldLog();
    const all = ["a", "b", "c"].map((entry) => commits.submit(append(entry)));
    expect(commits.waiting).toBe(2);
    await writes.pass();
    expect(commits.waiting).toBe(0);
    await writes.pass();
    await Promise.all(all);
  });

  test("a refusal waits for the write of its group, on which it may rest", async () => {
    const { commits, writes } = heldLog();
    const first = commits.submit(append("a"));
    const second = commits.submit(append("b"));
    const refused = commits.submit((draft) => {
      if (draft.includes("b")) throw new Error("b is there already");
    });
    const outcomes = Promise.allSettled([first, second, refused]);
    await writes.pass();
    await writes.fail(new Error("disk full"));
    const reasons = (await outcomes).map((o) =>
      o.status === "rejected" ? o.reason.message : "ok",
    );
    expect(reasons).toEqual(["ok", "disk full", "disk full"]);
  });

  test("settled() waits for what was submitted before", async () => {
    const { commits, writes } = heldLog();
    await commits.settled();
    let settled = false;
    const changes = [commits.submit(append("a")), commits.submit(append("b"))];
    const done = commits.settled().then(() => {
      settled = true;
    });
    await writes.pass();
    expect(settled).toBe(false);
    await writes.pass();
    await done;
    await Promise.all(changes);
    expect(settled).toBe(true);
  });
});
