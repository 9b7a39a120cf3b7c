import { describe, expect, test } from "vitest";
import { DraftLength } from "../../../src/engine/speculation/draft-length.js";

describe("the length of a draft", () => {
  test("doubles as long as all is right, up to sixteen", () => {
    const length = new DraftLength();
    const seen = [length.current(0)];
    for (let round = 0; round < 4; round++) {
      length.learn({ proposed: length.current(0), accepted: length.current(0) });
      seen.push(length.current(0));
    }
    expect(seen).toEqual([2, 4, 8, 16, 16]);
  });

  test("shrinks to what was right", () => {
    const length = new DraftLength();
    for (let round = 0; round < 3; round++) length.learn({ proposed: 8, accepted: 8 });
    length.learn({ proposed: 16, accepted: 5 });
    expect(length.current(0)).toBe(5);
    length.learn({ proposed: 5, accepted: 1 });
    expect(length.current(0)).toBe(2);
  });

  test("pauses when nothing was right, longer each time, until something is", () => {
    const length = new DraftLength();
    const pause = () => {
      let tokens = 0;
      for (; length.current(0) === 0; tokens++) length.skip();
      return tokens;
    };
    const wrong = { proposed: 2, accepted: 0 };
    const pauses = Array.from({ length: 8 }, () => {
      length.learn(wrong);
      return pause();
    });
    expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 256, 256]);
    length.learn({ proposed: 2, accepted: 1 });
    length.learn(wrong);
    expect(pause()).toBe(4);
  });
});
