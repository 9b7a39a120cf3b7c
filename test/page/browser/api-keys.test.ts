import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openManagedKeys } from "../../support/managed-keys.js";
import {
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

/** Opens the view of API keys. @param keyLines as in the key file */
async function openKeysView(
  key = "root-key",
  keyLines: readonly string[] = ["root-key name=root"],
  viewport = { width: 1200, height: 800 },
) {
  const managedKeys = await openManagedKeys(keyLines);
  const { url } = await scriptedServer(undefined, { managedKeys });
  const opened = await openPage(url, { viewport });
  const { page } = opened;
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  const statusWith = async (value: string) =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${value}` } })).status;
  return { ...opened, ...managedKeys, statusWith };
}

/** Creates a key in the page. @returns its value */
async function create(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create key" }).click();
  return readValue(page, name);
}

async function readValue(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: `Key of ${name}` });
  const value = await dialog.locator("code").innerText();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  return value;
}

const keyOf = (page: Page, name: string) =>
  page.locator(".api-key").filter({ has: page.getByRole("heading", { level: 3, name }) });

describe.skipIf(!hasBrowser)("API keys on the page", () => {
  useBrowser();

  it("are created with scopes and limits, and shown once", async () => {
    const { page, ring, statusWith, ...opened } = await openKeysView();
    await page.getByLabel("To-dos").check();
    await page.getByLabel("Requests per minute").fill("60");
    await page.getByLabel("Name", { exact: true }).fill("alice");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy key" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const value = await readValue(page, "alice");
    expect(await statusWith(value)).toBe(200);
    expect(ring.findByName("alice")?.key).toMatchObject({
      ...{ scopes: ["inference", "todos"], limits: { requestsPerMinute: 60 } },
    });
    await keyOf(page, "alice").getByText("managed here").waitFor();
    await page.getByText("root created alice").waitFor();
    expect(await page.content()).not.toContain(value);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");
    expect(await violationsOf(page)).toEqual([]);
    expectQuiet({ page, ...opened });
  });

  it("are disabled, enabled, rotated, limited in time, and deleted after a confirmation", async () => {
    const { page, store, statusWith } = await openKeysView();
    const value = await create(page, "alice");
    const alice = keyOf(page, "alice");
    await alice.getByRole("button", { name: "Disable alice" }).click();
    await alice.getByText("disabled", { exact: true }).waitFor();
    expect(await statusWith(value)).toBe(401);
    await alice.getByRole("button", { name: "Enable alice" }).click();
    await alice.getByText("enabled", { exact: true }).waitFor();
    await alice.getByRole("button", { name: "Rotate alice" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Grace period of the current key").selectOption("1 hour");
    await page.getByRole("button", { name: "Rotate key" }).click();
    const rotated = await readValue(page, "alice");
    expect([await statusWith(value), await statusWith(rotated)]).toEqual([200, 200]);
    await alice.getByText("Previous value accepted until").waitFor();
    await alice.getByRole("button", { name: "Expiry alice" }).click();
    await page.getByLabel("Refused from the beginning of this day (UTC)").fill("2100-01-01");
    await page.getByRole("button", { name: "Save" }).click();
    await alice.getByText("Expires").waitFor();
    expect(store.find("alice")?.expiresAt).toBe(Date.UTC(2100, 0, 1));
    await alice.getByRole("button", { name: "Delete alice" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await alice.getByRole("button", { name: "Delete alice" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete key" }).click();
    await alice.waitFor({ state: "detached" });
    expect(await statusWith(rotated)).toBe(401);
    await page.getByText("root deleted alice").waitFor();
  });

  it("show why a key cannot be created, and keep the form", async () => {
    const { page } = await openKeysView();
    await page.getByLabel("Name", { exact: true }).fill("root");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("expected a name that no other key has").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("root");
  });

  it("of the configuration have no actions", async () => {
    const { page } = await openKeysView();
    await keyOf(page, "root").getByText("key file").waitFor();
    expect(await keyOf(page, "root").getByRole("button").count()).toBe(0);
  });

  it("are only listed with a key that may only read", async () => {
    const lines = ["root-key name=root", "reading-key name=dan access=read-only"];
    const { page } = await openKeysView("reading-key", lines);
    await keyOf(page, "dan").waitFor();
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  });

  it("explain why a server without a key store cannot change them", async () => {
    const { url } = await scriptedServer(undefined, { keyLines: ["full-key name=ann"] });
    const { page } = await openPage(url);
    await page.getByLabel("API key").fill("full-key");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByText("Start it with --key-store PATH.").waitFor();
    await keyOf(page, "ann").waitFor();
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  });

  it("fit a narrow screen", async () => {
    const { page } = await openKeysView(undefined, undefined, { width: 360, height: 700 });
    await create(page, "alice");
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
