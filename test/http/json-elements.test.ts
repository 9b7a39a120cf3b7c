import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readElements } from "../../src/http/json-elements.js";

async function read(text: string, { chunkBytes = 1, maxElementBytes = 100, maxBytes = 1000 } = {}) {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const elements = readElements(Readable.from(chunks), {
    member: "requests",
    maxElementBytes,
    maxBytes,
  });
  const texts: string[] = [];
  for (;;) {
    const { done, value } = await elements.next();
    if (done) return { texts: texts.map((one) => one.trim()), rest: value };
    texts.push((value as Buffer).toString());
  }
}

describe.each([1, 7, 1000])("in chunks of %i bytes", (chunkBytes) => {
  it.each([
    ['{"requests":[{"a":1},{"b":[1,2]}]}', ['{"a":1}', '{"b":[1,2]}'], { requests: [] }],
    ['{"requests":[]}', [], { requests: [] }],
    ['{ "requests" : [ ] }', [], { requests: [] }],
    [
      '{"x":{"requests":[1,2]},"requests":["é"]}',
      ['"é"'],
      { x: { requests: [1, 2] }, requests: [] },
    ],
    [
      '{"x":[[1],2],"requests":[[1,[2]],3],"y":1}',
      ["[1,[2]]", "3"],
      { x: [[1], 2], requests: [], y: 1 },
    ],
    ['{"requests":["]","\\"],[",","]}', ['"]"', '"\\"],["', '","'], { requests: [] }],
    ['{"requests":[1,]}', ["1", ""], { requests: [] }],
    ['{"requests":3}', [], { requests: 3 }],
    ['{"x":"é","requests":[1]}', ["1"], { x: "é", requests: [] }],
    ['{"x":"\\"requests\\":","y":[1]}', [], { x: '"requests":', y: [1] }],
    ["[1,2]", [], [1, 2]],
  ])("reads the elements of %s", async (text, texts, rest) => {
    expect(await read(text, { chunkBytes })).toEqual({ texts, rest });
  });

  it.each([
    ["", "body: expected JSON"],
    ['{"requests":[1', "body: expected JSON"],
    [`{"requests":["${"x".repeat(101)}"]}`, "requests.0: expected at most 100 bytes, got more."],
    [`{"requests":[1],"x":"${"x".repeat(1000)}"}`, "body: expected at most 1000 bytes, got more."],
  ])("refuses %j", async (text, message) => {
    await expect(read(text, { chunkBytes })).rejects.toThrow(message);
  });
});
