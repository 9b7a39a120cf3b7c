import { describe, expect, test } from "vitest";
import { GroupCommit } from "../../src/files/group-commit.js";
import { HeldWrites, microtasksDone } from "../support/held-writes.js";

function heldLog(): { commits: GroupCommit<string[]>; writes: HeldWrites<string[]> } {
  const writes = new HeldWrites<string[]>((state) => [...state]);
  const commits = new GroupCommit<string[]>({
    initial: [],
    createDraft: (state) => [...state],
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
  test("resolves a change with its result only after the change is persisted", async () => {
    const { commits, writes } = heldLog();
    let isSettled = false;
    const change = commits.submit(append("a")).finally(() => {
      isSettled = true;
    });
    await microtasksDone();
    expect(isSettled).toBe(false);
    await writes.pass();
    expect(isSettled).toBe(true);
    expect(await change).toBe(1);
  });

  test("never exposes a change that is not persisted yet", async () => {
    const { commits, writes } = heldLog();
    const first = commits.submit(append("a"));
    expect(commits.committed).toEqual([]);
    await writes.pass();
    await first;
    expect(commits.committed).toEqual(["a"]);
  });

  test("writes queued changes together, in submission order", async () => {
    const { commits, writes } = heldLog();
    const all = ["a", "b", "c", "d"].map((entry) => commits.submit(append(entry)));
    expect(writes.states).toEqual([["a"]]);
    await writes.pass();
    expect(writes.states).toEqual([["a"], ["a", "b", "c", "d"]]);
    await writes.pass();
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
    expect(writes.inFlight).toBe(false);
  });

  test("on a failed write, rejects exactly the changes of its group", async () => {
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

  test("treats a synchronous exception of persist as a failed write", async () => {
    const commits = new GroupCommit<string[]>({
      initial: [],
      createDraft: (state) => [...state],
      isChanged: () => true,
      persist: refuse("no disk"),
    });
    await expect(commits.submit(append("a"))).rejects.toThrow("no disk");
    expect(commits.committed).toEqual([]);
  });

  test("rejects the group if createDraft throws, and applies later changes", async () => {
    let isBroken = true;
    const commits = new GroupCommit<string[]>({
      initial: [],
      createDraft: (state) => {
        if (isBroken) throw new Error("no draft");
        return [...state];
      },
      isChanged: () => true,
      persist: () => Promise.resolve(),
    });
    const group = [commits.submit(append("a")), commits.submit(append("b"))];
    const outcomes = await Promise.allSettled(group);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { message: "no draft" } },
      { status: "rejected", reason: { message: "no draft" } },
    ]);
    await commits.whenSettled();
    isBroken = false;
    expect(await commits.submit(append("c"))).toBe(1);
    expect(commits.committed).toEqual(["c"]);
  });

  test("rejects the group if isChanged throws, and applies later changes", async () => {
    let isBroken = true;
    const commits = new GroupCommit<string[]>({
      initial: [],
      createDraft: (state) => [...state],
      isChanged: () => {
        if (isBroken) throw new Error("no comparison");
        return true;
      },
      persist: () => Promise.resolve(),
    });
    await expect(commits.submit(append("a"))).rejects.toThrow("no comparison");
    isBroken = false;
    expect(await commits.submit(append("b"))).toBe(1);
  });

  test("rejects a change submitted from within persist", async () => {
    const writes = new HeldWrites<string[]>((state) => [...state]);
    const nested: Promise<unknown>[] = [];
    const commits = new GroupCommit<string[]>({
      initial: [],
      createDraft: (state) => [...state],
      isChanged: (draft, original) => draft.length !== original.length,
      persist: (state) => {
        const write = writes.persist(state);
        if (nested.length === 0) nested.push(commits.submit(append("nested")));
        return write;
      },
    });
    const first = commits.submit(append("a"));
    await expect(nested[0]).rejects.toThrow("expected no write in flight, got a second one");
    await writes.pass();
    expect(await first).toBe(1);
    const later = commits.submit(append("b"));
    await writes.pass();
    expect(await later).toBe(2);
    expect(writes.states).toEqual([["a"], ["a", "b"]]);
  });

  test("rejects only a change that throws, and does not write it", async () => {
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

  test("resolves changes without effect, and does not write them", async () => {
    const { commits, writes } = heldLog();
    expect(await commits.submit((draft) => draft.length)).toBe(0);
    expect(writes.states).toEqual([]);
  });

  test("reports how many changes are queued behind the write in flight", async () => {
    const { commits, writes } = heldLog();
    const all = ["a", "b", "c"].map((entry) => commits.submit(append(entry)));
    expect(commits.queueLength).toBe(2);
    await writes.pass();
    expect(commits.queueLength).toBe(0);
    await writes.pass();
    await Promise.all(all);
  });

  test("rejects a change only after the write of its group, on which the rejection may depend", async () => {
    const { commits, writes } = heldLog();
    const first = commits.submit(append("a"));
    const second = commits.submit(append("b"));
    const refused = commits.submit((draft) => {
      if (draft.includes("b")) throw new Error("b already exists");
    });
    const outcomes = Promise.allSettled([first, second, refused]);
    await writes.pass();
    await writes.fail(new Error("disk full"));
    const reasons = (await outcomes).map((o) =>
      o.status === "rejected" ? o.reason.message : "ok",
    );
    expect(reasons).toEqual(["ok", "disk full", "disk full"]);
  });

  test("waits in settled() for changes submitted earlier", async () => {
    const { commits, writes } = heldLog();
    await commits.whenSettled();
    let settled = false;
    const changes = [commits.submit(append("a")), commits.submit(append("b"))];
    const done = commits.whenSettled().then(() => {
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
