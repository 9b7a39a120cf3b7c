import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  type OpenPage,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";

/** Opens a page on which a model has answered with a text. */
async function openAnswer(text: string, question = "Go"): Promise<OpenPage> {
  const { url } = await scriptedServer(() => ({ parts: [text] }));
  const opened = await openPage(url);
  await ask(opened.page, question);
  await endedAnswers(opened.page);
  await opened.page.locator(".answer .markdown:not(.unparsed)").waitFor();
  return opened;
}

function directionsOf(page: Page, selector: string): Promise<readonly string[]> {
  return page
    .locator(selector)
    .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).direction));
}

describe.skipIf(!hasBrowser)("Markdown in a browser", () => {
  useBrowser();

  it("preserves list numbers, column alignment and the layout of formulas", async () => {
    const opened = await openAnswer(
      [
        "3. three\n4. four",
        "| left | right |\n| :- | -: |\n| a | b |",
        "$$\n\\sum_{i=1}^n \\left( i \\right)\n$$",
        "$x$ is inline.",
        "A\\\nB",
      ].join("\n\n"),
    );
    const answer = opened.page.locator(".answer");
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

  it("has no space above the first and below the last block", async () => {
    const { page } = await openAnswer("One\n\nTwo");
    const margins = await page.locator(".answer .markdown > *").evaluateAll((blocks) =>
      blocks.map((block) => {
        const { marginTop, marginBottom } = getComputedStyle(block);
        return [Number.parseFloat(marginTop) > 0, Number.parseFloat(marginBottom) > 0];
      }),
    );
    expect(margins).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it("shows boxes, cancelled and coloured parts of formulas", async () => {
    const opened = await openAnswer(
      "$$\\boxed{x} + \\cancel{y} + \\color{red}z$$\n\n\\begin{align*} a &= b \\\\ cc &= d \\end{align*}",
    );
    const answer = opened.page.locator(".answer");
    const box = answer.locator(".formula-box");
    await box.waitFor();
    expect(await box.evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe("solid");
    const line = await answer.locator(".tml-cancel").boundingBox();
    expect(line?.width).toBeGreaterThan(3);
    expect(
      await answer
        .locator("[mathcolor]")
        .first()
        .evaluate((element) => getComputedStyle(element).color),
    ).toBe("rgb(255, 0, 0)");
    const [first, second] = await answer
      .locator("mtd.tml-right > *")
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)));
    expect(first).toBe(second);
    expectQuiet(opened);
  });

  it("colours and copies code in lists and quotes", async () => {
    const opened = await openAnswer(
      "1. One:\n\n   ```js\n   let a = 1;\n   ```\n\n> ```\n> b\n> ```",
    );
    const { page, context } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".answer li .hljs-keyword", { hasText: "let" }).waitFor();
    await page.locator(".answer li").getByRole("button", { name: "Copy code" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("let a = 1;");
    expect(await page.locator(".answer blockquote figure pre").innerText()).toBe("b");
    expectQuiet(opened);
  });

  it("scrolls wide tables and keeps words whole", async () => {
    const header = `| ${Array.from({ length: 12 }, (_, index) => `Column${index}`).join(" | ")} |`;
    const row = header.replaceAll(/Column/g, "1,234,567.0");
    const { page } = await openAnswer(`${header}\n|${" - |".repeat(12)}\n${row}`);
    const table = page.getByRole("group", { name: "Table" });
    const [inner, outer, height] = await table.evaluate((element) => [
      element.scrollWidth,
      element.clientWidth,
      element.querySelector("td")?.clientHeight ?? 0,
    ]);
    expect(inner).toBeGreaterThan(outer ?? 0);
    expect(height).toBeLessThan(50);
    await table.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => table.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  });

  it("leads to footnotes of the message and back", async () => {
    const opened = await openAnswer("A[^1] and B[^2]\n\n[^1]: First\n[^2]: Second");
    const { page } = opened;
    await ask(page, "Again");
    await endedAnswers(page, 2);
    const ids = await page
      .locator(".footnotes li")
      .evaluateAll((notes) => notes.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
    const { hash } = new URL(page.url());
    const answer = page.locator(".answer").last();
    const reference = answer.getByRole("link", { name: "[2]" });
    await reference.click();
    const note = answer.locator(".footnotes li", { hasText: "Second" });
    await expect
      .poll(() => note.evaluate((element) => element === document.activeElement))
      .toBe(true);
    await answer.getByRole("button", { name: "Back to reference 2" }).click();
    expect(await reference.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(new URL(page.url()).hash).toBe(hash);
    expectQuiet(opened);
  });

  it("takes the direction of each block from its text", async () => {
    const { page } = await openAnswer(
      "مرحبا world\n\nHello\n\n1. `npm` يثبت\n\n   ```sh\n   npm install\n   ```\n\n| اللغة |\n| - |\n| Python |\n\n> שלום",
      "שאלה",
    );
    expect(await directionsOf(page, ".answer .markdown > *")).toEqual([
      ...["rtl", "ltr", "rtl", "rtl", "rtl"],
    ]);
    expect(await directionsOf(page, ".answer pre")).toEqual(["ltr"]);
    expect(await directionsOf(page, ".question .block")).toEqual(["rtl"]);
    const field = page.getByLabel("Your message");
    await field.fill("سؤال");
    expect(await directionsOf(page, ".composer textarea")).toEqual(["rtl"]);
    await field.fill("question");
    expect(await directionsOf(page, ".composer textarea")).toEqual(["ltr"]);
  });

  it("is shown as plain text while its renderer cannot be loaded", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["**bold**\n\n- a"] }));
    const { page } = await openPage(url);
    await page.route("**/rendered-markdown-*.js", (route) => route.abort());
    await page.reload();
    await ask(page, "Go");
    await endedAnswers(page);
    expect(await page.locator(".answer .markdown").innerText()).toBe("**bold**\n\n- a");
  });
});
