import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { StartupError } from "../../../src/core/startup-error.js";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { HEADER, storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";

const buttonOf = (page: Page) => page.getByRole("button", { name: /^Model: / });
const optionsOf = (page: Page) => page.getByRole("listbox", { name: "Models" }).getByRole("option");

/** Opens the list of a server with stored models of these names. */
async function openPicker(names: readonly string[], keyLine?: string) {
  const options = keyLine === undefined ? {} : { keyLines: [keyLine] };
  const { url, library } = await scriptedServer(undefined, options);
  for (const name of names) library.add(storedModel(name));
  const opened = await openPage(url);
  const { page } = opened;
  if (keyLine !== undefined) {
    await page.getByLabel("API key").fill(keyLine.split(" ")[0] ?? "");
    await page.keyboard.press("Enter");
  }
  await page.getByRole("button", { name: "Model: scripted, loaded" }).click();
  return { ...opened, library };
}

/** Names of the options, without their descriptions. */
const shownNames = (page: Page) => optionsOf(page).locator(".model-name").allInnerTexts();
const activeName = (page: Page) => page.locator(".model-option.active .model-name").innerText();

describe.skipIf(!hasBrowser)("the model picker", () => {
  useBrowser();

  it("shows the model that answers, and others that generate text, with their facts", async () => {
    const { library, ...opened } = await openPicker(["a-first"]);
    const { page } = opened;
    library.headers.set("vectors", { ...HEADER, kind: "embedding" });
    library.add(storedModel("vectors"));
    library.add(storedModel("seeing", { hasProjector: true }));
    library.tell({ type: "listed-anew" });
    await page.getByRole("option", { name: /^seeing .*5 MB, Q8_0, text, and images or/ }).waitFor();
    expect(await shownNames(page)).toEqual(["scripted", "a-first", "seeing"]);
    await page.getByRole("option", { name: /^scripted default/, selected: true }).waitFor();
    await page.getByRole("group", { name: "Not loaded" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expectQuiet(opened);
  });

  it("loads a chosen model, with progress, which then answers", async () => {
    const { page, library } = await openPicker(["qwen3"]);
    await page.getByRole("option", { name: "qwen3" }).click();
    await page.getByRole("progressbar", { name: "Loading qwen3" }).waitFor();
    await page.getByRole("button", { name: "Model: qwen3, loading" }).waitFor();
    library.setState("qwen3", { state: "loading", progress: 0.5 });
    await page.getByRole("button", { name: "Model: qwen3, loading, 50 %" }).waitFor();
    library.finishLoad("qwen3", servedModel("qwen3"));
    await page.getByRole("button", { name: "Model: qwen3, loaded" }).waitFor();
    expect(await page.getByRole("progressbar").count()).toBe(0);
  });

  it("is operated by the keyboard", async () => {
    const { page } = await openPicker(["beta", "gamma", "qwen-1", "qwen-2"]);
    await page.keyboard.press("Escape");
    expect(await optionsOf(page).count()).toBe(0);
    expect(await buttonOf(page).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowDown");
    expect(await activeName(page)).toBe("scripted");
    await page.keyboard.press("ArrowDown");
    expect(await activeName(page)).toBe("beta");
    await page.keyboard.press("End");
    expect(await activeName(page)).toBe("qwen-2");
    await page.keyboard.press("Home");
    expect(await activeName(page)).toBe("scripted");
    await page.keyboard.type("qwen-2");
    expect(await activeName(page)).toBe("qwen-2");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Model: qwen-1/ }).waitFor();
    expect(await buttonOf(page).evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it("filters many models", async () => {
    const names = Array.from({ length: 12 }, (_, number) => `model-${number}`);
    const { page } = await openPicker(names);
    const filter = page.getByRole("combobox", { name: "Filter models" });
    await filter.waitFor();
    expect(await filter.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type("MODEL 11");
    await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 1);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Model: model-11/ }).waitFor();
  });

  it("closes when something else is clicked", async () => {
    const { page } = await openPicker([]);
    await page.getByLabel("Your message").click();
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await buttonOf(page).click();
    await optionsOf(page).first().waitFor();
    await buttonOf(page).click();
    await page.getByRole("listbox").waitFor({ state: "detached" });
  });

  it("shows why a model could not be loaded, without paths for a key without the scope admin", async () => {
    const cause = new StartupError("model /srv/qwen3.gguf: truncated");
    const failure = new GgufdError("model_unavailable", "See the log.", { cause });
    for (const [keyLine, reason] of [
      [undefined, "model /srv/qwen3.gguf: truncated"],
      ["a-user scopes=inference", "model: truncated"],
    ] as const) {
      const { url, library } = await scriptedServer(
        undefined,
        keyLine === undefined ? {} : { keyLines: [keyLine] },
      );
      library.add(storedModel("qwen3", { failure }));
      const { page } = await openPage(url);
      if (keyLine !== undefined) {
        await page.getByLabel("API key").fill("a-user");
        await page.keyboard.press("Enter");
      }
      await buttonOf(page).click();
      const option = page.getByRole("option", { name: "qwen3" });
      await option.getByText(reason, { exact: true }).waitFor();
      if (keyLine === undefined) continue;
      await option.click();
      await page.getByRole("alert").getByText(`qwen3 could not be loaded. ${reason}`).waitFor();
      expect(await page.getByRole("button", { name: "Download a model" }).count()).toBe(0);
    }
  });

  it("names a chosen model that is gone", async () => {
    const { page, library } = await openPicker(["qwen3"]);
    await page.getByRole("option", { name: "qwen3" }).click();
    await page.getByRole("button", { name: /^Model: qwen3, loading/ }).waitFor();
    await library.remove("qwen3");
    await page.getByRole("button", { name: "Model: qwen3 (unavailable)" }).waitFor();
  });

  it("lets the default model answer without a choice", async () => {
    const { page } = await openPicker(["a-first"]);
    await page.keyboard.press("Escape");
    await ask(page, "Hello!");
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
  });
});
