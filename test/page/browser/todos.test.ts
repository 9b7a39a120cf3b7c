import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { storeInMemory } from "../../support/store-in-memory.js";

async function openTodos() {
  const todos = storeInMemory();
  const { url } = await scriptedServer(undefined, { todos });
  const opened = await openPage(url);
  await opened.page.getByRole("link", { name: "To-dos" }).click();
  await opened.page.getByLabel("What needs to be done").waitFor();
  return { ...opened, todos };
}

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel("What needs to be done").fill(title);
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: title }).waitFor();
}

describe.skipIf(!hasBrowser)("to-dos on the page", () => {
  useBrowser();

  it("can be added, completed, renamed and deleted", async () => {
    const { todos, ...opened } = await openTodos();
    const { page } = opened;
    await add(page, "Buy milk");
    await add(page, "Write <b>tests</b>");
    await page.getByRole("checkbox", { name: "Buy milk" }).click();
    await page.getByRole("checkbox", { name: "Buy milk", checked: true }).waitFor();
    await page.getByRole("button", { name: "Rename Buy milk" }).click();
    await page.getByRole("textbox", { name: /title|rename/i }).fill("Buy oat milk");
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "Buy oat milk" }).waitFor();
    await page.getByRole("button", { name: "Delete Write <b>tests</b>" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("checkbox", { name: "Write" }).waitFor({ state: "detached" });
    expect(todos.list().map(({ title, completed }) => ({ title, completed }))).toEqual([
      { title: "Buy oat milk", completed: true },
    ]);
    expectQuiet(opened);
  });

  it("are not overwritten if another client has changed them", async () => {
    const { page, todos } = await openTodos();
    await add(page, "Buy milk");
    const [item] = todos.list();
    await todos.change(item?.id ?? 0, { title: "Buy butter" });
    await page.getByRole("checkbox", { name: "Buy milk" }).click();
    await page.getByRole("alert").getByText("This item was changed elsewhere").waitFor();
    await page.getByRole("checkbox", { name: "Buy butter" }).waitFor();
    expect(todos.list()[0]).toMatchObject({ title: "Buy butter", completed: false });
  });

  it("keep the typed text and show the server's message if the server rejects it", async () => {
    const { page, todos } = await openTodos();
    const title = "x".repeat(10_001);
    await page.getByLabel("What needs to be done").fill(title);
    await page.keyboard.press("Enter");
    await page
      .getByRole("alert")
      .getByText(/title: expected/)
      .waitFor();
    expect(await page.getByLabel("What needs to be done").inputValue()).toBe(title);
    expect(todos.list()).toEqual([]);
  });
});
