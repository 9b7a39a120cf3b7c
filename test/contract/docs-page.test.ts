import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findChromium, startChromium } from "../support/chromium.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";

describe("the documentation page, in a browser", () => {
  const executable = findChromium();
  let server: RunningApp;
  let browser: Browser | undefined;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    if (executable === undefined) return;

    server = await runApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
      todos: storeInMemory(),
    });
    browser = await startChromium(executable);
    page = await browser.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${server.url}/docs`);
    await page.locator(".opblock").first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  beforeEach((context) => {
    if (executable !== undefined) return;
    const missing = "expected Chromium at CHROMIUM_PATH or /usr/bin/chromium, got nothing";
    if (process.env.CI) throw new Error(missing);
    context.skip(missing);
  });

  it("lists the operations of the server, inference first", async () => {
    expect(await page.title()).toBe("ggufd: HTTP interface");
    const groups = await page.locator(".opblock-tag").allTextContents();
    expect(groups[0]).toContain("Inference");
    const operations = await page.locator(".opblock-summary-description").allTextContents();
    expect(operations).toContain("Answer a conversation");
    expect(operations).toContain("List to-do items, page by page");
  });

  it("sends a request to the server, and shows the response", async () => {
    const operation = page.locator(".opblock", { hasText: "List to-do items, page by page" });
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const answer = operation.locator(".live-responses-table .response").first();
    await answer.waitFor();
    expect(await answer.locator(".response-col_status").textContent()).toMatch(/^200/);
    expect(await answer.textContent()).toContain('"next_cursor": null');
  });

  it("opens the operation of a deep link", async () => {
    const operation = page.locator(".opblock.is-open", { hasText: "Answer a conversation" });
    await page.goto(`${server.url}/docs#/Inference/createChatCompletion`);
    await page.reload();
    await operation.waitFor();
    expect(await operation.count()).toBe(1);
  });

  it("contacts no other origin, and logs no errors or warnings", () => {
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
