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
} from "../../support/page-in-browser.js";
import { storeInMemory } from "../../support/store-in-memory.js";

/** Texts that used to overflow the stack or hang the page. */
const LOOPS = {
  quotes: "> ".repeat(2_000),
  lists: "- ".repeat(2_000),
  "nested emphasis": `${"*a **a ".repeat(2_000)}b${" a** a*".repeat(2_000)}`,
  "quotes of many depths": Array.from(
    { length: 400 },
    (_, index) => `${">".repeat(40 - (index % 40))} a`,
  ).join("\n"),
  "nested formulas": `$$${"\\sqrt{".repeat(300)}a${"}".repeat(300)}$$`,
};

/** Value that cannot be converted to text. */
const NO_TEXT = { toString: 1, valueOf: 1 };

/** Modifies the JSON of the server's responses to a path. */
async function replaceJson(page: Page, path: RegExp, change: (body: never) => void) {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    change(body as never);
    await route.fulfill({ response, json: body });
  });
}

async function openEveryView(page: Page): Promise<void> {
  for (const [link, content] of [
    ["To-dos", "What needs to be done"],
    ["Chat", "Your message"],
  ] as const) {
    await page.getByRole("link", { name: link, exact: true }).click();
    await page.getByLabel(content).waitFor();
  }
}

describe.skipIf(!hasBrowser)("pathological Markdown in an answer", () => {
  useBrowser();

  it.each(Object.entries(LOOPS))("is shown, and the page stays usable: %s", async (_name, text) => {
    const { url } = await scriptedServer(answers({ parts: [text] }, { parts: ["Hello!"] }));
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Loop");
    await endedAnswers(page);
    await page.getByRole("button", { name: "New chat" }).click();
    await ask(page, "Greet");
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
    await page.getByRole("link", { name: "Loop" }).click();
    await page.locator(".answer[aria-busy=false] .markdown").waitFor();
    await page.getByRole("link", { name: "Greet" }).click();
    await page.locator(".answer", { hasText: "Hello!" }).waitFor();
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
    await openEveryView(page);
    expectQuiet(opened);
  });
});

describe.skipIf(!hasBrowser)("a rendering error", () => {
  useBrowser();

  it("in a turn is shown with the turn's raw text, and the conversation stays usable", async () => {
    const { url } = await scriptedServer(
      answers({ parts: [{ reasoning: "Hm." }, "The first."] }, { parts: ["The second."] }),
    );
    const { page } = await openPage(url);
    await ask(page, "One");
    await endedAnswers(page);
    // Simulates a newer server with a different format of reasoning.
    await replaceJson(page, /\/items\?/, ({ data }: { data: Record<string, unknown>[] }) => {
      for (const item of data) if (item.type === "reasoning") delete item.summary;
    });
    await page.reload();
    await page.getByRole("alert").getByText("This message could not be shown").waitFor();
    expect(await page.locator(".raw-turn").innerText()).toBe("The first.");
    await page.locator(".question", { hasText: "One" }).waitFor();
    await ask(page, "Two");
    expect(await endedAnswers(page)).toEqual(["The second."]);
    await page.unroute(/\/items\?/);
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByRole("link", { name: "One" }).click();
    await page.locator(".answer", { hasText: "The first." }).waitFor();
    expect(await page.locator(".raw-turn").count()).toBe(0);
  });

  it("in a conversation does not affect other conversations", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "One");
    await endedAnswers(page);
    await page.getByRole("button", { name: "New chat" }).click();
    await ask(page, "Two");
    await endedAnswers(page);
    await replaceJson(page, /\/items\?/, (list: { data: unknown }) => {
      list.data = [null];
    });
    await page.getByRole("link", { name: "One" }).click();
    await page.getByText("This conversation could not be shown").waitFor();
    await page.unroute(/\/items\?/);
    await page.getByRole("link", { name: "Two" }).click();
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
  });

  it("in the conversation list does not affect conversations", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await replaceJson(page, /\/v1\/conversations\?/, (list: { data: unknown }) => {
      list.data = [{ id: "conv_odd", metadata: { title: NO_TEXT } }];
    });
    await page.reload();
    await page.getByText("The conversation list could not be shown").waitFor();
    await ask(page, "One");
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
  });

  it("in a view does not affect other views, and disappears after a reload", async () => {
    const { url } = await scriptedServer(undefined, { todos: storeInMemory() });
    const { page } = await openPage(url);
    await page.getByRole("link", { name: "To-dos" }).click();
    await page.getByLabel("What needs to be done").fill("Buy milk");
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "Buy milk" }).waitFor();
    await replaceJson(page, /\/v1\/todos\?/, ({ data }: { data: { title: unknown }[] }) => {
      for (const item of data) item.title = NO_TEXT;
    });
    await page.reload();
    await page.getByText("This view could not be shown").waitFor();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await ask(page, "One");
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
    await page.getByRole("link", { name: "To-dos" }).click();
    await page.getByText("This view could not be shown").waitFor();
    await page.unroute(/\/v1\/todos\?/);
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.getByLabel("What needs to be done").waitFor();
  });
});
