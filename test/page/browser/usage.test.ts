import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { someUsage } from "../../support/some-usage.js";
import type { TestAppOptions } from "../../support/test-app.js";
import { storeUsageInMemory } from "../../support/usage-in-memory.js";

/** Opens the page of a server with usage of two keys. */
async function openUsageView(options: TestAppOptions = { usage: someStore() }) {
  const { url } = await scriptedServer(() => ({ parts: ["Hello"] }), options);
  return { url, ...(await openPage(url)) };
}

function someStore() {
  const store = storeUsageInMemory();
  store.add(someUsage({ promptTokens: 1200, cachedTokens: 300, completionTokens: 34 }));
  store.add(someUsage({ key: "bob", model: "other", class: "batch", promptTokens: 7 }));
  return store;
}

async function showUsage(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
}

/** Cells of the table of groups. */
async function rowsOf(page: Page, caption: string): Promise<readonly string[][]> {
  const rows = page.getByRole("table", { name: caption }).locator("tbody tr");
  await rows.first().waitFor();
  const texts = (await rows.all()).map((row) => row.locator("th, td").allTextContents());
  return Promise.all(texts);
}

describe.skipIf(!hasBrowser)("usage on the page", () => {
  useBrowser();

  it("is shown as charts over time, and as a table by model, key, route and class", async () => {
    const opened = await openUsageView();
    const { page } = opened;
    await showUsage(page);
    expect(await rowsOf(page, "Usage by Model")).toEqual([
      ["mini", "1", "1,200", "300", "34", "0", "0 s", "0 s"],
      ["other", "1", "7", "0", "3", "0", "0 s", "0 s"],
    ]);
    await page.getByRole("img", { name: "Tokens: 1,244 in total, at most 1,244" }).waitFor();
    await page.getByRole("img", { name: "Requests: 2 in total, at most 2" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    for (const [choice, names] of [
      ["API key", ["alice", "bob"]],
      ["Route", ["/v1/chat/completions"]],
      ["Class", ["Interactive", "Batches"]],
    ] as const) {
      await page.getByRole("radio", { name: choice, exact: true }).check();
      const rows = await rowsOf(page, `Usage by ${choice}`);
      expect(rows.map(([name]) => name)).toEqual(names);
    }
    for (const interval of ["24 hours", "12 months"]) {
      await page.getByRole("radio", { name: interval }).check();
      await rowsOf(page, "Usage by Class");
    }
    await page.getByText("Numbers of the charts").click();
    expect(await rowsOf(page, "Usage over time")).toHaveLength(1);
    expectQuiet(opened);
  });

  it("is saved as CSV", async () => {
    const { page } = await openUsageView();
    await showUsage(page);
    const started = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = await started;
    expect(file.suggestedFilename()).toBe("usage-month-by-model.csv");
    const [heading, first] = (await readFile(await file.path(), "utf8")).split("\r\n");
    expect(heading).toMatch(/^start_time,end_time,model,num_model_requests,/);
    expect(first).toMatch(/,mini,1,1200,300,34,/);
  });

  it("is that of the user's key, without a choice of keys", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Hello"] }), {
      usage: someStore(),
      keyLines: ["alice-key name=alice scopes=inference"],
    });
    const { page } = await openPage(url);
    await page.getByLabel("API key").fill("alice-key");
    await page.keyboard.press("Enter");
    await showUsage(page);
    expect((await rowsOf(page, "Usage by Model")).map(([name]) => name)).toEqual(["mini"]);
    expect(await page.getByRole("radio", { name: "API key" }).count()).toBe(0);
  });

  it("says why the server keeps none, and when there was none", async () => {
    const { page } = await openUsageView({});
    await showUsage(page);
    await page.getByText("This server keeps no usage: --usage is none.").waitFor();
    const empty = await openUsageView({ usage: storeUsageInMemory() });
    await showUsage(empty.page);
    await empty.page.getByText("No requests in this interval.").waitFor();
    expect(await violationsOf(empty.page)).toEqual([]);
  });
});
