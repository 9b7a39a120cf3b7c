import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findChromium, startChromium } from "../support/chromium.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";

describe("the documentation page in a browser", () => {
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
    // Vitest's timeout applies instead.
    page.setDefaultTimeout(0);
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
    expect(operations).toContain("Create a chat completion");
    expect(operations).toContain("List to-do items");
  });

  it("sends a request to the server, and shows the response", async () => {
    const operation = page.locator(".opblock", { hasText: "List to-do items" });
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const answer = operation.locator(".live-responses-table .response").first();
    await answer.waitFor();
    expect(await answer.locator(".response-col_status").textContent()).toMatch(/^200/);
    expect(await answer.textContent()).toContain('"next_cursor": null');
  });

  it("opens the operation of a link with a fragment", async () => {
    const operation = page.locator(".opblock.is-open", { hasText: "Create a chat completion" });
    await page.goto(`${server.url}/docs#/Inference/createChatCompletion`);
    await page.reload();
    await operation.waitFor();
    expect(await operation.count()).toBe(1);
  });

  it("shows the bodies and responses of an open operation", async () => {
    await page.goto(`${server.url}/docs#/Inference/createChatCompletion`);
    await page.reload();
    const operation = page.locator(".opblock.is-open");
    const statuses = operation.locator(".responses-table .response .response-col_status");
    await statuses.first().waitFor();
    expect(await statuses.allTextContents()).toEqual(expect.arrayContaining(["200", "400", "503"]));
    const body = await operation.locator(".opblock-section-request-body").innerHTML();
    expect(body).toContain("messages");
    const response = operation.locator(".responses-table .response").first();
    expect(await response.textContent()).toContain("chat.completion");
    await response.getByText("Schema").click();
    await response.getByText("ChatCompletion").first().waitFor();
  });

  it("shows the schemas", async () => {
    await page.locator(".models h4, section.models button").first().click();
    const schema = page.locator(".models .json-schema-2020-12", {
      hasText: "ChatCompletionRequest",
    });
    await schema.first().locator("button").first().click();
    await schema.first().getByText("messages", { exact: true }).first().waitFor();
  });

  it("sends the entered key", async () => {
    await page.getByRole("button", { name: "Authorize" }).first().click();
    const dialog = page.locator(".dialog-ux");
    await dialog.locator("input").first().fill("key-1");
    await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.goto(`${server.url}/docs#/To-dos/listTodos`);
    const operation = page.locator(".opblock", { hasText: "List to-do items" });
    await operation.locator(".opblock-summary-control").click();
    const sent = page.waitForRequest((request) => request.url().includes("/v1/todos"));
    await operation.getByRole("button", { name: "Execute" }).click();
    expect((await sent).headers().authorization).toBe("Bearer key-1");
  });

  it("makes no requests to other origins, and logs no errors or warnings", () => {
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
