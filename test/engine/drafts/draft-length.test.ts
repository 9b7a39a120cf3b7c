import { describe, expect, test } from "vitest";
import { DraftLength } from "../../../src/engine/drafts/draft-length.js";

describe("the length of a draft", () => {
  test("doubles while drafts are accepted completely, up to 16 tokens", () => {
    const length = new DraftLength();
    const lengths = [length.chooseLength(0)];
    for (let round = 0; round < 4; round++) {
      length.learn({ proposed: length.chooseLength(0), accepted: length.chooseLength(0) });
      lengths.push(length.chooseLength(0));
    }
    expect(lengths).toEqual([2, 4, 8, 16, 16]);
  });

  test("shrinks to the number of accepted tokens", () => {
    const length = new DraftLength();
    for (let round = 0; round < 3; round++) length.learn({ proposed: 8, accepted: 8 });
    length.learn({ proposed: 16, accepted: 5 });
    expect(length.chooseLength(0)).toBe(5);
    length.learn({ proposed: 5, accepted: 1 });
    expect(length.chooseLength(0)).toBe(2);
  });

  test("is 0 during a backoff, which doubles until a token is accepted", () => {
    const length = new DraftLength();
    const backoffTokens = () => {
      let tokens = 0;
      for (; length.chooseLength(0) === 0; tokens++) length.skip();
      return tokens;
    };
    const rejected = { proposed: 2, accepted: 0 };
    const backoffs = Array.from({ length: 8 }, () => {
      length.learn(rejected);
      return backoffTokens();
    });
    expect(backoffs).toEqual([4, 8, 16, 32, 64, 128, 256, 256]);
    length.learn({ proposed: 2, accepted: 1 });
    length.learn(rejected);
    expect(backoffTokens()).toBe(4);
  });
});
