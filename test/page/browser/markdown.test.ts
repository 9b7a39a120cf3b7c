import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";

const TEXT = [
  "3. three\n4. four",
  "| left | right |\n| :- | -: |\n| a | b |",
  "$$\n\\sum_{i=1}^n \\left( i \\right)\n$$",
  "$x$ is inline.",
  "A\\\nB",
].join("\n\n");

describe.skipIf(!hasBrowser)("Markdown in a browser", () => {
  useBrowser();

  it("preserves list numbers, column alignment and the layout of formulas", async () => {
    const { url } = await scriptedServer(() => ({ parts: [TEXT] }));
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Go");
    await endedAnswers(page);
    const answer = page.locator(".answer");
    await answer.locator("math").first().waitFor();
    expect(await answer.locator("ol").getAttribute("start")).toBe("3");
    expect(
      await answer
        .locator("th, td")
        .evaluateAll((cells) =>
          cells.map((cell) => getComputedStyle(cell).textAlign.replace("-webkit-", "")),
        ),
    ).toEqual(["left", "right", "left", "right"]);
    const [block, inline] = await answer
      .locator("math")
      .evaluateAll((formulas) => formulas.map((formula) => getComputedStyle(formula).display));
    expect([block, inline]).toEqual(["block math", "math"]);
    expect(await answer.locator("mo[form=prefix][stretchy=true]").textContent()).toBe("(");
    expectQuiet(opened);
  });
});
