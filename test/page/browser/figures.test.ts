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

describe.skipIf(!hasBrowser)("live metrics on the page", () => {
  useBrowser();

  it("show the server's activity, and resume after an interruption", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Hi"], ending: "never" }));
    const opened = await openPage(url);
    const { page, context } = opened;
    await ask(page, "Go on");
    await page.locator(".answer", { hasText: "Hi" }).waitFor();
    await page.getByRole("link", { name: "Live metrics" }).click();
    const row = page.getByRole("row", { name: /^scripted/ });
    await row.waitFor();
    expect(await row.innerText()).toContain("1 of 2");
    await context.setOffline(true);
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await context.setOffline(false);
    await page.getByRole("alert").waitFor({ state: "detached" });
    expectQuiet(opened);
  });

  it("draw requests as bars on slots, and charts with scales and a time axis", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Hi"], ending: "never" }));
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Go on");
    await page.locator(".answer", { hasText: "Hi" }).waitFor();
    await page.getByRole("link", { name: "Live metrics" }).click();
    const slots = page.getByRole("list", { name: "Slots" }).getByRole("listitem");
    await slots.getByText(/^5 prompt tokens, 1 generated$/).waitFor();
    expect(await slots.allInnerTexts()).toEqual([
      expect.stringMatching(/^Slot 0\s+5 prompt tokens, 1 generated$/),
      expect.stringMatching(/^Slot 1\s+idle$/),
    ]);
    const bar = slots.first().locator("rect.generation.running");
    const widthOf = async () => Number(await bar.getAttribute("width"));
    const before = await widthOf();
    await expect.poll(widthOf, { timeout: 10_000 }).toBeGreaterThan(before);
    expect(await slots.nth(1).locator("rect").count()).toBe(0);
    const chart = page.getByRole("figure").filter({ hasText: "Requests in the queue" });
    expect(await chart.locator(".y-axis").innerText()).toBe("2\n1\n0");
    expect((await chart.locator(".x-axis").innerText()).split("\n")).toEqual([
      ...["2 min ago", "1 min", "now"],
    ]);
    expectQuiet(opened);
  });

  it("fill the screen for displays on a wall", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByRole("link", { name: "Live metrics" }).click();
    const load = page.locator(".load-summary dd").first();
    await load.waitFor();
    const sizeOf = () =>
      load.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    const before = await sizeOf();
    await page.getByRole("button", { name: "Full screen" }).click();
    await page.getByRole("button", { name: "Exit full screen" }).waitFor();
    expect(await sizeOf()).toBeGreaterThan(1.5 * before);
    await page.getByRole("button", { name: "Exit full screen" }).click();
    await page.getByRole("button", { name: "Full screen", exact: true }).waitFor();
  });

  it("are not fetched while the page is hidden", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    // Unlike a new chat, a conversation does not read the model's speed.
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.getByRole("link", { name: "Live metrics" }).click();
    await page.waitForResponse(/\/metrics/);
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await endedAnswers(page);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.clock.install();
    await page.clock.runFor(60_000);
    expect(asked.filter((one) => one.includes("/metrics"))).toEqual([]);
  });
});
