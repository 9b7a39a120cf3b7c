import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { paints, png, wav } from "../support/media-files.js";
import { audioPart, chatAnswer, imagePart, userSays } from "../support/media-requests.js";
import { modelWithProjector, tinyModel } from "../support/random-models.js";
import { run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { serving } from "./engine-of.js";

const { model, projector } = modelWithProjector("pixtral-projector-tiny");

/** Writes a file to a folder that is removed after the test. */
function written(content: Buffer): string {
  const path = join(temporaryFolder(), "mmproj.gguf");
  writeFileSync(path, content);
  return path;
}

const REFUSED: readonly (readonly [string, model: string, mmproj: () => string, reason: RegExp])[] =
  [
    ["that is missing", model, () => "/nowhere/mmproj.gguf", /no such file/i],
    ["that is a model", model, () => tinyModel(), /expected a projector \(mmproj\), got a model/],
    [
      "for a model of another width",
      tinyModel("q8_0", "1m"),
      () => projector,
      /cannot be loaded: .*n_embd|mismatch|width/,
    ],
    [
      "that is cut off",
      model,
      () => written(readFileSync(projector).subarray(0, 1e5)),
      /tensor|end/,
    ],
    ["that is a text", model, () => written(Buffer.from("This is no projector.")), /GGUF/],
  ];

describe("a projector", { timeout: SEVERAL_STARTS }, () => {
  it.each(REFUSED)("%s is rejected with a one-line error", async (_, path, mmproj, reason) => {
    const file = mmproj();
    const { code, stdout, stderr } = await run([...serving(path), "--mmproj", file]);
    expect(stderr).toMatch(/^ggufd: [^\n]+\n$/);
    expect(stderr).toContain(file);
    expect(stderr).toMatch(reason);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  it("adds vision or audio to a model, with and without --engine inline", async () => {
    const hearing = modelWithProjector("whisper-projector-tiny");
    const cases = [
      { model, projector, part: imagePart(png(paints.reds)), more: ["--engine", "inline"] },
      { ...hearing, part: audioPart(wav({ hertz: 440, seconds: 0.1 })), more: [] },
    ];
    for (const { model, projector, part, more } of cases) {
      const { url } = await start([...serving(model), "--mmproj", projector, ...more]);
      const { tokens } = await chatAnswer(url, { messages: [userSays(part)], max_tokens: 3 });
      expect(tokens).toHaveLength(3);
    }
  });
});
