import { describe, expect, it } from "vitest";
import {
  ask,
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

  it("are not fetched while the page is hidden", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByRole("link", { name: "Live metrics" }).click();
    await page.waitForResponse(/\/metrics/);
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByLabel("Your message").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.clock.install();
    await page.clock.runFor(60_000);
    expect(asked.filter((one) => one.includes("/metrics"))).toEqual([]);
  });
});
