import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import type { HubSearch } from "../../../src/core/hub-search.js";
import {
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

const HOSTILE = '<img src=x onerror="window.pwned=1">';

const found: HubSearch = {
  hub: "https://hub.example",
  budget: { cpuBytes: 6e9, gpuBytes: 0 },
  repositories: [
    {
      ...{ name: "owner/repo-GGUF", downloads: 1234, likes: 5, license: HOSTILE, isGated: true },
      ...{ task: "text-generation", architecture: "llama", parameters: 8e9 },
      trainContextSize: 8192,
      quantizations: ["Q4_K_M", "Q8_0"].map((label, index) => ({
        pullName: `hf:owner/repo-GGUF:${label}`,
        label,
        sizeBytes: (index + 1) * 4e9,
        hasProjector: false,
      })),
    },
  ],
};

async function openModels() {
  const { url, library } = await scriptedServer();
  library.hub = found;
  const opened = await openPage(url);
  await opened.page.getByRole("link", { name: "Models" }).click();
  return { ...opened, library };
}

describe.skipIf(!hasBrowser)("the search of the hub", () => {
  useBrowser();

  it("shows the models of repositories, and downloads one with progress until it is cancelled", async () => {
    const { library, ...opened } = await openModels();
    const { page } = opened;
    await page.getByLabel("Search Hugging Face").fill("repo");
    await page.keyboard.press("Enter");
    const results = page.getByRole("list", { name: "Search results" });
    await results.getByText("fits: about 4.6 GB of memory").waitFor();
    const text = await results.innerText();
    for (const part of [HOSTILE, "1.2 thousand downloads", "gated", "probably too large"]) {
      expect(text).toContain(part);
    }
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Download hf:owner/repo-GGUF:Q4_K_M" }).click();
    await page.getByRole("progressbar", { name: /repo-GGUF:Q4_K_M/ }).waitFor();
    const [pull] = library.scriptedPulls;
    pull?.emit({
      type: "resolved",
      name: pull.name,
      files: [{ path: "a.gguf", sizeBytes: 100 }],
    } as never);
    pull?.emit({ type: "progress", path: "a.gguf", completedBytes: 25, totalBytes: 100 } as never);
    await results.getByText("downloading, 25 %").waitFor();
    await page.getByRole("button", { name: /^Cancel download/ }).click();
    await page.getByRole("button", { name: "Download hf:owner/repo-GGUF:Q4_K_M" }).waitFor();
    expect(library.calls).toContainEqual({ call: "search", name: "repo" });
    expectQuiet(opened);
  });

  it("is offered by the model picker for the text of its filter", async () => {
    const { page, library } = await openModels();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByRole("button", { name: /^Model: / }).click();
    await page.getByRole("button", { name: "Download a model" }).click();
    const dialog = page.getByRole("dialog", { name: "Download a model" });
    await dialog.getByLabel("Search Hugging Face").fill("repo");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Download hf:owner/repo-GGUF:Q8_0" }).click();
    await dialog.getByRole("progressbar").waitFor();
    library.scriptedPulls[0]?.finish();
    await dialog.getByRole("progressbar").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("says that the hub cannot be reached, and downloads by an exact name", async () => {
    const { page, library } = await openModels();
    const reason = "The hub cannot be searched: hub.example: getaddrinfo ENOTFOUND.";
    library.refuse("search", new GgufdError("pull_failed", reason));
    await page.getByLabel("Search Hugging Face").fill("repo");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText(reason).waitFor();
    await page.getByLabel("Model name").fill("hf:owner/repo:Q4_K_M");
    await page.keyboard.press("Enter");
    await page.getByRole("progressbar", { name: /owner\/repo:Q4_K_M/ }).waitFor();
    library.refuse("search", undefined);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("owner/repo-GGUF").first().waitFor();
  });
});
