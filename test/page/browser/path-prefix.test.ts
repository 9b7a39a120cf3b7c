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

describe.skipIf(!hasBrowser)("the page of a server under a path prefix", () => {
  useBrowser();

  it("loads its files, highlights code and calls the API under the prefix", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["```js\nconst a = 1;\n```"] }), {
      pathPrefix: "/a/llm",
    });
    const opened = await openPage(`${url}/a/llm`);
    const { page } = opened;
    await ask(page, "Code, please.");
    expect(await endedAnswers(page)).toEqual([expect.stringContaining("const a = 1;")]);
    await page.locator(".markdown code span").first().waitFor();
    expect(await page.getByRole("link", { name: "API" }).getAttribute("href")).toBe("./docs");
    expectQuiet(opened);
  });
});
