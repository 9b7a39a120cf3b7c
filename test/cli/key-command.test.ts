import { expect, test } from "vitest";
import { makeKeyLine } from "../../src/cli/key-command.js";
import { computeKeyHash, parseKeyLine } from "../../src/config/keys/key-line.js";

const unread = () => Promise.reject(new Error("standard input was read"));
const reading = (input: string) => () => Promise.resolve(input);

test("a new key is printed once, with a key file line that contains its hash and attributes", async () => {
  const attributes = { name: "alice", scopes: "inference,todos", weight: "2" };
  const made = await makeKeyLine({ origin: "new", attributes }, unread);
  const [, key = ""] = /^The key, which is not shown again: (\S+)\n$/.exec(made.notice ?? "") ?? [];
  expect(key).toMatch(/^ggufd_[\w-]{43}$/);
  expect(made.line).toBe(
    `sha256:${computeKeyHash(key)} name=alice scopes=inference,todos weight=2\n`,
  );
  expect(parseKeyLine(made.line.trim(), "line")).toMatchObject({
    ...attributes,
    scopes: ["inference", "todos"],
    weight: 2,
  });
});

test("generated keys are unique", async () => {
  const one = await makeKeyLine({ origin: "new", attributes: {} }, unread);
  const other = await makeKeyLine({ origin: "new", attributes: {} }, unread);
  expect(one.line).not.toBe(other.line);
});

test.each(["given", "given\n", "  given\r\n"])(
  "--hash prints the key file line of an existing key: %j",
  async (input) => {
    const made = await makeKeyLine(
      { origin: "given", attributes: { name: "bob" } },
      reading(input),
    );
    expect(made).toEqual({
      line: `sha256:${computeKeyHash("given")} name=bob\n`,
      notice: undefined,
    });
  },
);

test.each([
  ["", "nothing"],
  [" \n", "nothing"],
  ["hush\nhush\n", "something else"],
  ["hush name=bob", "something else"],
  [`sha256:${computeKeyHash("hush")}`, "something else"],
])("--hash rejects standard input other than one key: %j", async (input, got) => {
  const attempt = makeKeyLine({ origin: "given", attributes: {} }, reading(input));
  await expect(attempt).rejects.toThrow(
    `--hash: expected one key without spaces on standard input, got ${got}`,
  );
});

test.each([
  ["hush\0", "expected visible ASCII characters, got U+0000 as character 5"],
  ["h".repeat(2000), "expected 1 to 1024 characters, got 2000"],
])("--hash rejects a key that clients cannot send: %#", async (input, reason) => {
  const attempt = makeKeyLine({ origin: "given", attributes: {} }, reading(input));
  await expect(attempt).rejects.toThrow(`--hash: the key on standard input: ${reason}`);
});

test("invalid attributes are rejected before standard input is read", async () => {
  const attempt = makeKeyLine({ origin: "given", attributes: { name: "a b" } }, unread);
  await expect(attempt).rejects.toThrow(
    '--name: expected 1 to 64 letters, digits, -, _, . or @, a letter or digit first, got "a b"',
  );
});
