import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { storeInMemory } from "../../support/store-in-memory.js";

const keyLines = [
  "full-key name=ann",
  "chat-key name=bob scopes=inference",
  "todo-key name=cay scopes=todos",
  "batch-key name=eve scopes=batches,inference",
  "reading-key name=dan access=read-only",
];

const server = () => scriptedServer(undefined, { keyLines, todos: storeInMemory() });

/** Opens the page, and gives it a key. */
async function openWith(key: string, url: string) {
  const opened = await openPage(url);
  await opened.page.getByLabel("API key").fill(key);
  await opened.page.keyboard.press("Enter");
  return opened;
}

describe.skipIf(!hasBrowser)("the page of a server that requires API keys", () => {
  useBrowser();

  it("prompts for a key once per tab, and does not store it permanently", async () => {
    const { url } = await server();
    const { page, context } = await openWith("full-key", url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.reload();
    await endedAnswers(page);
    const stored = await page.evaluate(() => [localStorage.length, document.cookie]);
    expect(stored).toEqual([0, ""]);
    const other = await context.newPage();
    await other.goto(url);
    await other.getByLabel("API key").waitFor();
    expect(await other.locator(".thread").count()).toBe(0);
  });

  it("explains why a key was rejected, and accepts a valid one", async () => {
    const { url } = await server();
    const { page } = await openWith("wrong", url);
    await page.getByRole("alert").getByText("Invalid API key.").waitFor();
    await page.getByLabel("API key").fill("full-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Your message").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
  });

  it.each([
    ["full-key", ["Chat", "To-dos", "Batches", "Usage", "Live metrics", "Models", "Keys"]],
    ["chat-key", ["Chat", "Usage", "Models"]],
    ["todo-key", ["To-dos", "Usage", "Models"]],
    ["batch-key", ["Chat", "Batches", "Usage", "Models"]],
  ])("shows the views that a key permits: %s", async (key, views) => {
    const { url } = await server();
    const { page } = await openWith(key, url);
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(views);
    expect(await page.locator('[aria-current="page"]').innerText()).toBe(views[0]);
  });

  it("hides editing controls from read-only keys", async () => {
    const { url } = await server();
    const { page: writer } = await openWith("full-key", url);
    await ask(writer, "Hi");
    await endedAnswers(writer);
    const { page } = await openWith("reading-key", url);
    await page.getByText("How can I help?").waitFor();
    expect(await page.getByLabel("Your message").count()).toBe(0);
    await page.getByRole("link", { name: "To-dos" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.getByRole("button", { name: /add/i }).count()).toBe(0);
  });

  it("hides the conversations of other keys", async () => {
    const { url } = await server();
    const { page: first } = await openWith("full-key", url);
    await ask(first, "A secret");
    await endedAnswers(first);
    const address = first.url();
    const { page } = await openWith("chat-key", url);
    await page.getByLabel("Your message").waitFor();
    expect(await page.locator(".entry").count()).toBe(0);
    await page.goto(address);
    await page.getByRole("alert").getByText("not found").waitFor();
  });
});
