import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
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

const POLLING = { timeout: 20_000 };

/** Stores a conversation on a server, as another client does. */
async function store(url: string, body: object): Promise<string> {
  const response = await fetch(`${url}/v1/conversations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { id: string }).id;
}

async function storedTitles(url: string): Promise<readonly (string | undefined)[]> {
  const response = await fetch(`${url}/v1/conversations?limit=100`);
  const { data } = (await response.json()) as { data: { metadata: { title?: string } }[] };
  return data.map(({ metadata }) => metadata.title);
}

const said = (text: string) => ({ role: "user", content: text });

const titled = (title: string, ...texts: readonly string[]) => ({
  metadata: { title },
  items: texts.map(said),
});

const daysAgo = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400;

const titles = (page: Page) => page.locator(".entry > a").allInnerTexts();

/** Opens the menu of a conversation, and returns one of its entries. */
async function menuEntry(page: Page, title: string, name: string): Promise<Locator> {
  await page.getByRole("button", { name: `More actions for ${title}` }).click();
  return page.getByRole("menuitem", { name });
}

const focusedLabel = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  });

describe.skipIf(!hasBrowser)("the list of conversations on the page", () => {
  useBrowser();

  it("groups conversations by date, with pinned ones first", async () => {
    const { url } = await scriptedServer();
    await store(url, { ...titled("Old"), updated_at: daysAgo(3) });
    await store(url, { ...titled("Older"), updated_at: daysAgo(20) });
    await store(url, titled("New"));
    const opened = await openPage(url);
    const { page } = opened;
    const groupTitles = page.locator(".group-title");
    await groupTitles.nth(2).waitFor();
    expect(await groupTitles.allInnerTexts()).toEqual([
      "Today",
      "Previous 7 days",
      "Previous 30 days",
    ]);
    await (await menuEntry(page, "Older", "Pin")).click();
    await page.getByRole("heading", { name: "Pinned" }).waitFor();
    expect(await titles(page)).toEqual(["Older", "New", "Old"]);
    await expect.poll(() => focusedLabel(page), POLLING).toBe("More actions for Older");
    await page.reload();
    await page.getByRole("heading", { name: "Pinned" }).waitFor();
    await (await menuEntry(page, "Older", "Unpin")).click();
    await page.getByRole("heading", { name: "Previous 30 days" }).waitFor();
    expect(await titles(page)).toEqual(["New", "Old", "Older"]);
    expectQuiet(opened);
  });

  it("renames inline: Enter saves, Escape restores", async () => {
    const { url } = await scriptedServer();
    await store(url, { ...titled("First"), updated_at: daysAgo(3) });
    const { page } = await openPage(url);
    await (await menuEntry(page, "First", "Rename")).click();
    await page.getByLabel("Title").fill("Second");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "First" }).waitFor();
    await expect.poll(() => focusedLabel(page), POLLING).toBe("More actions for First");
    await (await menuEntry(page, "First", "Rename")).click();
    await page.getByLabel("Title").fill("Third");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Third" }).waitFor();
    expect(await storedTitles(url)).toEqual(["Third"]);
    // The conversation keeps its date.
    await page.getByRole("heading", { name: "Previous 7 days" }).waitFor();
  });

  it("has menus that are operated with the keyboard", async () => {
    const { url } = await scriptedServer();
    await store(url, titled("First"));
    const { page } = await openPage(url);
    const more = page.getByRole("button", { name: "More actions for First" });
    await more.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focusedLabel(page), POLLING).toBe("Pin");
    expect(await more.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("ArrowDown");
    expect(await focusedLabel(page)).toBe("Rename");
    await page.keyboard.press("End");
    expect(await focusedLabel(page)).toBe("Delete");
    await page.keyboard.press("ArrowDown");
    expect(await focusedLabel(page)).toBe("Pin");
    await page.keyboard.press("e");
    expect(await focusedLabel(page)).toBe("Export as Markdown");
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(await focusedLabel(page)).toBe("More actions for First");
    await more.click();
    await page.getByRole("menu").waitFor();
    await more.click();
    await page.getByRole("menu").waitFor({ state: "detached" });
  });

  it("deletes after some seconds in which that can be undone", async () => {
    const { url } = await scriptedServer(answers({ parts: ["One."] }, { parts: ["Two."] }));
    await store(url, titled("Other"));
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.locator(".answer", { hasText: "Two." }).waitFor();
    await endedAnswers(page);
    await (await menuEntry(page, "Hi", "Delete")).click();
    await page.getByText("How can I help?").waitFor();
    expect(await titles(page)).toEqual(["Other"]);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await endedAnswers(page)).toEqual(["Two."]);
    expect(await titles(page)).toEqual(["Hi", "Other"]);
    await (await menuEntry(page, "Hi", "Delete")).click();
    await (await menuEntry(page, "Other", "Delete")).click();
    const undoBar = page.locator(".undo-bar", { hasText: "Deleted 2 chats" });
    await undoBar.waitFor();
    await expect.poll(() => focusedLabel(page), POLLING).toBe("Undo");
    // A tab that is closed before the time has passed deletes nothing.
    expect(await storedTitles(url)).toHaveLength(3);
    await page.mouse.move(600, 400);
    await expect.poll(() => storedTitles(url), POLLING).toEqual([]);
    await undoBar.waitFor({ state: "detached" });
  });

  it("deletes all conversations after a confirmation", async () => {
    const { url } = await scriptedServer();
    for (let index = 0; index < 120; index++) await store(url, titled(`Chat ${index}`));
    const { page } = await openPage(url);
    await (await menuEntry(page, "all chats", "Delete all chats")).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
    await expect.poll(() => page.locator(".entry").count(), POLLING).toBe(0);
    expect(await storedTitles(url)).toEqual([]);
  });

  it("reads further conversations when they are scrolled to", async () => {
    const { url } = await scriptedServer();
    for (let index = 0; index < 130; index++) await store(url, titled(`Chat ${index}`));
    const { page } = await openPage(url);
    await page.locator(".entry").first().waitFor();
    expect(await page.locator(".entry").count()).toBe(100);
    await page.locator(".list-content").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await expect.poll(() => page.locator(".entry").count(), POLLING).toBe(130);
  });

  it("shows only exports to read-only keys", async () => {
    const keyLines = ["full-key name=ann", "reading-key name=ann access=read-only"];
    const { url } = await scriptedServer(undefined, { keyLines });
    await fetch(`${url}/v1/conversations`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer full-key" },
      body: JSON.stringify(titled("First")),
    });
    const { page } = await openPage(url);
    await page.getByLabel("API key").fill("reading-key");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "More actions for First" }).click();
    expect(await page.getByRole("menuitem").allInnerTexts()).toEqual([
      "Export as Markdown",
      "Export as JSON",
    ]);
  });
});

describe.skipIf(!hasBrowser)("signing out", () => {
  useBrowser();

  it("clears the list, the search and deletions that are not final", async () => {
    const keyLines = ["ann-key name=ann", "bob-key name=bob"];
    const { url } = await scriptedServer(undefined, { keyLines });
    const headers = { "content-type": "application/json", authorization: "Bearer ann-key" };
    for (const title of ["First", "Second"]) {
      const body = JSON.stringify(titled(title, "A secret"));
      await fetch(`${url}/v1/conversations`, { method: "POST", headers, body });
    }
    const { page } = await openPage(url);
    await page.getByLabel("API key").fill("ann-key");
    await page.keyboard.press("Enter");
    await (await menuEntry(page, "First", "Delete")).click();
    await page.locator(".undo-bar").waitFor();
    await page.getByLabel("Search chats").fill("secret");
    await page.locator(".found").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").fill("bob-key");
    await page.keyboard.press("Enter");
    await page.getByText("How can I help?").waitFor();
    expect(await page.getByLabel("Search chats").inputValue()).toBe("");
    expect(await page.locator(".entry, .found, .undo-bar").count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").fill("ann-key");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "First" }).waitFor();
  });
});

describe.skipIf(!hasBrowser)("a search on the page", () => {
  useBrowser();

  it("opens the branch of a match, and scrolls to the message", async () => {
    const { url } = await scriptedServer();
    const long = Array.from({ length: 60 }, (_, index) => `Line ${index}\n\n`).join("");
    const parent = await store(url, titled("Baking", "Hello", `A croûton is ${long}`, long, long));
    const items = (await (await fetch(`${url}/v1/conversations/${parent}/items?order=asc`)).json())
      .data as { id: string }[];
    const fork = items[0]?.id ?? "";
    await store(url, {
      metadata: { title: "Baking", root: parent, parent, fork },
      items: [{ type: "item_reference", id: fork }, said("Another question")],
    });
    await store(url, titled("Cooking", "No bread"));
    const opened = await openPage(url);
    const { page } = opened;
    await page.getByLabel("Search chats").fill("CROUTON baking");
    const result = page.locator(".found");
    await result.waitFor();
    expect(await result.count()).toBe(1);
    expect(await result.locator("mark").innerText()).toBe("croûton");
    await page.getByRole("status").getByText("1 chat found").waitFor({ state: "attached" });
    expect(await violationsOf(page)).toEqual([]);
    await result.getByRole("link").click();
    const turn = page.locator(".turn", { hasText: "croûton" });
    await expect
      .poll(() => turn.evaluate((one) => one === document.activeElement), POLLING)
      .toBe(true);
    const top = () => turn.evaluate((one) => one.getBoundingClientRect().top);
    await expect.poll(top, POLLING).toBeGreaterThan(0);
    expect(await top()).toBeLessThan(300);
    expect(page.url()).toContain(parent);
    await page.getByLabel("Search chats").press("Escape");
    await page.locator(".entry").first().waitFor();
    expect(await titles(page)).toEqual(["Cooking", "Baking"]);
    expectQuiet(opened);
  });

  it("says that nothing was found", async () => {
    const { url } = await scriptedServer();
    await store(url, titled("First", "Hello"));
    const { page } = await openPage(url);
    await page.getByLabel("Search chats").fill("nothing");
    await page.locator(".list-content").getByText("No chats found").waitFor();
    await page.getByLabel("Search chats").fill("");
    await page.getByRole("link", { name: "First" }).waitFor();
  });
});

describe.skipIf(!hasBrowser)("files of conversations on the page", () => {
  useBrowser();

  async function download(page: Page, begin: () => Promise<void>) {
    const [file] = await Promise.all([page.waitForEvent("download"), begin()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  }

  it("are exported as Markdown and JSON, and imported with branches", async () => {
    const { url } = await scriptedServer(answers({ parts: ["One."] }, { parts: ["Two."] }));
    const opened = await openPage(url, { acceptDownloads: true });
    const { page } = opened;
    await ask(page, "A number");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.locator(".answer", { hasText: "Two." }).waitFor();
    await endedAnswers(page);
    const entry = async (name: string) => (await menuEntry(page, "A number", name)).click();
    const markdown = await download(page, () => entry("Export as Markdown"));
    expect(markdown.name).toBe("A-number.md");
    expect(markdown.text).toContain("# A number\n");
    expect(markdown.text).toContain("## You\n\nA number\n\n## scripted\n\nTwo.\n");
    const json = await download(page, () => entry("Export as JSON"));
    expect(json.name).toBe("A-number.json");
    const all = await download(page, async () =>
      (await menuEntry(page, "all chats", "Export all chats")).click(),
    );
    await page.getByText("Exported 1 chat, branches included.").waitFor();
    expect(JSON.parse(all.text).conversations).toHaveLength(2);
    await page.getByRole("button", { name: "Close" }).click();

    const { url: other } = await scriptedServer();
    const { page: target } = await openPage(other);
    await (await menuEntry(target, "all chats", "Import chats")).click();
    const buffer = Buffer.from(json.text);
    const file = { name: json.name, mimeType: "application/json", buffer };
    await target.getByLabel("File to import").setInputFiles(file);
    await target.getByRole("button", { name: "Import 1 chat" }).click();
    await target.getByRole("dialog").getByText("Imported 1 chat.").waitFor();
    await target.getByRole("button", { name: "Close" }).click();
    await target.getByRole("link", { name: "A number" }).click();
    expect(await endedAnswers(target)).toEqual(["Two."]);
    expect(await target.locator(".answer .statistics").innerText()).toMatch(/^scripted · [\d,.]+/);
    await target.getByRole("button", { name: "Previous version" }).click();
    await target.locator(".answer", { hasText: "One." }).waitFor();
    expectQuiet(opened);
  });

  it("of ChatGPT are imported, with a summary of what is left out", async () => {
    const { url } = await scriptedServer();
    const opened = await openPage(url);
    const { page } = opened;
    await (await menuEntry(page, "all chats", "Import chats")).click();
    const input = page.getByLabel("File to import");
    const buffer = Buffer.from("PK\u0003\u0004");
    await input.setInputFiles({ name: "export.zip", mimeType: "application/zip", buffer });
    await page.getByRole("alert").getByText("export.zip: Expected a file with chats").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await input.setInputFiles(
      fileURLToPath(new URL("../chat/transfer/files/chatgpt.json", import.meta.url)),
    );
    await page.getByText("ChatGPT: 2 chats").waitFor();
    await page.getByRole("button", { name: "Import 2 chats" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Imported 2 chats.").waitFor();
    await dialog.getByText("images (1): the export does not contain them").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("heading", { name: "November 2024" }).waitFor();
    await page.getByRole("link", { name: "Sourdough basics" }).click();
    await page.locator(".answer", { hasText: "Daily, with equal parts" }).waitFor();
    expectQuiet(opened);
  });
});

describe.skipIf(!hasBrowser)("1,000 conversations on the page", () => {
  useBrowser();

  it("are listed; the script time is printed", async () => {
    const { url } = await scriptedServer();
    for (let index = 0; index < 1000; index++) {
      await store(url, { ...titled(`Chat ${index}`, "Hello"), updated_at: daysAgo(index / 4) });
    }
    const { page, context } = await openPage(url);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    const scriptMs = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      const value = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
      return { script: value("ScriptDuration") * 1000, task: value("TaskDuration") * 1000 };
    };
    const measure = async (name: string, action: () => Promise<void>) => {
      const before = await scriptMs();
      await action();
      const after = await scriptMs();
      const [script, task] = [after.script - before.script, after.task - before.task];
      process.stdout.write(
        `${name}: ${script.toFixed(0)} ms of script, ${task.toFixed(0)} of tasks\n`,
      );
    };
    await page.locator(".entry").first().waitFor();
    await measure("reload with 1,000 conversations", async () => {
      await page.reload();
      await page.locator(".entry").nth(99).waitFor({ state: "attached" });
    });
    await measure("reading all of them", async () => {
      const list = page.locator(".list-content");
      while ((await page.locator(".entry").count()) < 1000) {
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      }
    });
    await measure("opening one of them", async () => {
      await page.locator(".entry > a").nth(500).click();
      await page.locator(".question").waitFor();
    });
  });
});
