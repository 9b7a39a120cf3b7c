import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  answers,
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

const background = (page: Page) =>
  page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);

describe.skipIf(!hasBrowser)("the theme", () => {
  useBrowser();

  it("is the system's, light or dark, and kept", async () => {
    const { url } = await scriptedServer();
    const opened = await openPage(url, { colorScheme: "light" });
    const { page } = opened;
    const light = await background(page);
    await page.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    const dark = await background(page);
    expect(dark).not.toBe(light);
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    expect(await background(page)).toBe(dark);
    await page.getByRole("button", { name: "Theme: dark" }).click();
    expect(await background(page)).toBe(light);
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.getByRole("button", { name: "Theme: system" }).waitFor();
    expect(await background(page)).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background(page)).toBe(dark);
    expectQuiet(opened);
  });

  it("is applied before the first paint", async () => {
    const { url } = await scriptedServer();
    const { page, context } = await openPage(url, { colorScheme: "light" });
    await page.evaluate(() => localStorage.setItem("ggufd.theme", "dark"));
    // The page's own script never arrives.
    await context.route(/\/page\/index-.*\.js$/, () => undefined);
    await page.goto(`${url}/?again`, { waitUntil: "commit" });
    await page.locator("noscript").waitFor({ state: "attached" });
    await expect.poll(() => background(page)).not.toBe("rgb(255, 255, 255)");
    expect(await page.locator("#page > *").count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser)("a printed conversation", () => {
  useBrowser();

  it("has all turns and no controls, in light colours, with the addresses of links", async () => {
    const long = `${"A line.\n\n".repeat(80)}A [link](https://example.com/a).`;
    const { url } = await scriptedServer(answers({ parts: [long] }, { parts: ["The end."] }));
    const { page } = await openPage(url, { colorScheme: "dark" });
    await ask(page, "First");
    await endedAnswers(page, 1);
    await ask(page, "Second");
    await endedAnswers(page, 2);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await background(page)).toBe("rgb(255, 255, 255)");
    const shown = page.locator("button, textarea, select, nav, header");
    for (const control of await shown.all()) expect(await control.isVisible()).toBe(false);
    const heights = await page.evaluate(() => {
      const thread = document.querySelector(".thread");
      return [thread?.clientHeight, thread?.scrollHeight, document.documentElement.scrollHeight];
    });
    expect(heights[0]).toBe(heights[1]);
    expect(heights[2]).toBeGreaterThanOrEqual(heights[1] ?? 0);
    const address = await page
      .getByRole("link", { name: "link" })
      .evaluate((link) => getComputedStyle(link, "::after").content);
    expect(address).toContain("https://example.com/a");
    const pdf = await page.pdf();
    expect(pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
  });
});
