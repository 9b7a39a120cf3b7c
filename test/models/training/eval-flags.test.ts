import { describe, expect, it } from "vitest";
import { readFlags } from "../../../models/command-line/flags.js";
import { InputError } from "../../../models/command-line/input-error.js";
import { evaluationFlags, serverFlags } from "../../../models/training/eval/flags.js";

const names = "--base-url, --model, --per-skill, --clients, --json, --failures";

describe("the evaluation flags", () => {
  it("default to starting a server with the shipped model", () => {
    expect(readFlags([], evaluationFlags)).toEqual({
      model: "ggufd-mini",
      "per-skill": 100,
      clients: 8,
      failures: 0,
    });
  });

  it("accept values after a space or an equals sign, and a base URL with a trailing slash", () => {
    const args = ["--base-url", "http://127.0.0.1:8080/v1/", "--per-skill=5", "--json", "out.json"];
    expect(readFlags(args, evaluationFlags)).toMatchObject({
      "base-url": "http://127.0.0.1:8080/v1",
      "per-skill": 5,
      json: "out.json",
    });
  });

  it.each([
    [["--per-skill", "many"], '--per-skill: expected an integer from 1 to 100000, got "many"'],
    [["--per-skill", "0"], '--per-skill: expected an integer from 1 to 100000, got "0"'],
    [["--per-skill", "1.5"], '--per-skill: expected an integer from 1 to 100000, got "1.5"'],
    [["--clients", "257"], '--clients: expected an integer from 1 to 256, got "257"'],
    [["--failures=-1"], '--failures: expected an integer from 0 to 100000, got "-1"'],
    [["--failures"], "--failures: expected a value, got nothing"],
    [["--json", "--failures", "3"], "--json: expected a value, got --failures"],
    [["--model", ""], '--model: expected a non-empty string, got ""'],
    [
      ["--base-url", "localhost:8080"],
      '--base-url: expected an address such as http://127.0.0.1:8080/v1, got "localhost:8080"',
    ],
    [["--colour", "red"], `--colour: expected one of ${names}, got an unknown flag`],
    [["-x"], `--x: expected one of ${names}, got an unknown flag`],
    [["5"], `"5": expected one of ${names} before it`],
  ])("refuse %j: %s", (args, reason) => {
    const read = () => readFlags(args, evaluationFlags);
    expect(read).toThrow(new InputError(reason));
  });

  it("of one script are unknown to the other", () => {
    expect(() => readFlags(["--clients", "3"], serverFlags)).toThrow(
      "--clients: expected one of --base-url, --model, got an unknown flag",
    );
  });
});
