import { describe, expect, it } from "vitest";
import {
  decimalFlag,
  integerFlag,
  readFlags,
  switchFlag,
} from "../../../models/command-line/flags.js";
import { InputError } from "../../../models/command-line/input-error.js";

const shape = {
  minutes: decimalFlag(0.5, 100).default(2),
  seed: integerFlag(0, 9).optional(),
  resume: switchFlag(),
};

describe("the flags of a script", () => {
  it("have defaults or are optional", () => {
    expect(readFlags([], shape)).toEqual({ minutes: 2, resume: false });
  });

  it("are decimal numbers, integers or switches, in any order", () => {
    const all = { minutes: 1.5, seed: 3, resume: true };
    expect(readFlags(["--resume", "--minutes", "1.5", "--seed=3"], shape)).toEqual(all);
    expect(readFlags(["--minutes=1.5", "--seed", "3", "--resume"], shape)).toEqual(all);
  });

  it.each([
    [["--minutes", "soon"], '--minutes: expected a number from 0.5 to 100, got "soon"'],
    [["--minutes", "1e1"], '--minutes: expected a number from 0.5 to 100, got "1e1"'],
    [["--minutes", "100.1"], "--minutes: expected a number from 0.5 to 100, got"],
    [["--seed", "1.5"], '--seed: expected an integer from 0 to 9, got "1.5"'],
    [["--seed", "--resume"], "--seed: expected a value, got --resume"],
    [["--resume=yes"], '--resume: expected no value, got "yes"'],
    [["--resume", "yes"], '"yes": expected one of --minutes, --seed, --resume before it'],
  ])("%j are rejected: %s", (args, reason) => {
    expect(() => readFlags(args, shape)).toThrow(InputError);
    expect(() => readFlags(args, shape)).toThrow(reason);
  });
});
