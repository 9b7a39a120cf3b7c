import { describe, expect, it, onTestFinished } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { StartupError } from "../../../src/core/startup-error.js";
import {
  builtPage,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { finishLoading } from "../../support/pooled-models.js";
import { deferred } from "../../support/scripted-engine.js";
import { HEADER, storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";
import { ALIAS, buildLoadingApp } from "../../support/test-app.js";

async function openModels() {
  const { url, library } = await scriptedServer();
  library.add(storedModel("qwen3"));
  const opened = await openPage(url);
  await opened.page.getByRole("link", { name: "Models" }).click();
  await opened.page.getByRole("button", { name: "Load qwen3", exact: true }).waitFor();
  return { ...opened, library };
}

describe.skipIf(!hasBrowser)("models on the page", () => {
  useBrowser();

  it("can be loaded, with progress, and unloaded", async () => {
    const { library, ...opened } = await openModels();
    const { page } = opened;
    await page.getByRole("button", { name: "Load qwen3", exact: true }).click();
    const progress = page.getByRole("progressbar", { name: "Loading of qwen3" });
    await progress.waitFor();
    library.setState("qwen3", { state: "loading", progress: 0.5 });
    await page.waitForFunction(() => document.querySelector("progress")?.value === 0.5);
    library.finishLoad("qwen3", servedModel("qwen3"));
    await page.getByRole("button", { name: "Unload qwen3" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unload" }).click();
    await page.getByRole("button", { name: "Load qwen3", exact: true }).waitFor();
    const calls = library.calls.map(({ call }) => call);
    expect(calls.filter((call) => call !== "end-pull")).toEqual(["load", "unload"]);
    expectQuiet(opened);
  });

  it("keep a state that was reported while an older list was on its way", async () => {
    const { page, library } = await openModels();
    library.setState("qwen3", { state: "loading", progress: 0.5 });
    await page.getByRole("progressbar", { name: "Loading of qwen3" }).waitFor();
    const [held, release] = [deferred(), deferred()];
    await page.route("**/v1/models?*", async (route) => {
      const response = await route.fetch();
      held.resolve();
      await release.promise;
      await route.fulfill({ response });
    });
    library.add(storedModel("a-later-model"));
    library.tell({ type: "listed-anew" });
    await held.promise;
    library.setState("qwen3", { state: "absent" });
    const button = page.getByRole("button", { name: "Load qwen3", exact: true });
    await button.waitFor();
    release.resolve();
    await page.getByText("a-later-model").first().waitFor();
    expect(await button.count()).toBe(1);
  });

  it("can be downloaded, with progress and errors", async () => {
    const { page, library } = await openModels();
    const name = page.getByLabel("Model name");
    await name.fill("hf:owner/repo:Q4_K_M");
    await page.keyboard.press("Enter");
    const progress = page.getByRole("progressbar", { name: /owner\/repo/ });
    await progress.waitFor();
    const [pull] = library.scriptedPulls;
    pull?.emit({
      type: "resolved",
      name: pull.name,
      files: [{ path: "a.gguf", sizeBytes: 100 }],
    } as never);
    pull?.emit({ type: "progress", path: "a.gguf", completedBytes: 25, totalBytes: 100 } as never);
    await page.waitForFunction(() => document.querySelector("progress")?.value === 0.25);
    pull?.fail(new GgufdError("pull_failed", "The hub answers 404 for owner/repo."));
    await page.getByText("The hub answers 404 for owner/repo.").waitFor();
    await name.fill("/etc/passwd");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("expected the name of a model").waitFor();
    expect(await name.inputValue()).toBe("/etc/passwd");
  });

  it("cannot be downloaded where the server does not allow it", async () => {
    const { url, library } = await scriptedServer();
    library.canPull = false;
    library.add(storedModel("qwen3"));
    const { page } = await openPage(url);
    await page.getByRole("button", { name: /^Model: / }).click();
    await page.getByRole("option", { name: "qwen3" }).waitFor();
    expect(await page.getByRole("button", { name: "Download a model" }).count()).toBe(0);
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("button", { name: "Load qwen3", exact: true }).waitFor();
    expect(await page.getByRole("heading", { name: "Download a model" }).count()).toBe(0);
  });

  it("are described before they are loaded", async () => {
    const { page, library } = await openModels();
    library.add(
      storedModel("seeing", { hasProjector: true, memory: { cpuBytes: 5e9, gpuBytes: 0 } }),
    );
    library.headers.set("vectors", { ...HEADER, kind: "embedding" });
    library.add(storedModel("vectors", { lastUsedMs: Date.now() - 7_200_000 }));
    library.headers.set("broken", undefined);
    library.add(storedModel("broken"));
    library.tell({ type: "listed-anew" });
    const row = (name: string) => page.locator("li.model", { hasText: name });
    await row("seeing").getByText("image or audio input").waitFor();
    const seeing = await row("seeing").innerText();
    for (const text of ["5 MB", "Q8_0", "5.0 GB", "2,048 tokens", "not since the server"]) {
      expect(seeing).toContain(text);
    }
    expect(await row("vectors").innerText()).toMatch(/embeddings[\s\S]*2 hours ago/);
    expect(await row("broken").innerText()).toContain("Its file cannot be read as a model.");
  });

  it("show why they could not be loaded", async () => {
    const { page, library } = await openModels();
    await page.getByRole("button", { name: "Load qwen3", exact: true }).click();
    await page.getByRole("progressbar", { name: "Loading of qwen3" }).waitFor();
    const cause = new StartupError("model /srv/qwen3.gguf: cannot be loaded: truncated");
    library.failLoad("qwen3", new GgufdError("model_unavailable", "See the log.", { cause }));
    await page.getByText(cause.message).waitFor();
  });

  it("are removed after a confirmation", async () => {
    const { page, library } = await openModels();
    await page.getByRole("button", { name: "Delete qwen3" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(library.calls).toEqual([]);
    await page.getByRole("button", { name: "Delete qwen3" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("button", { name: "Load qwen3", exact: true })
      .waitFor({ state: "detached" });
    expect(library.calls).toEqual([{ call: "remove", name: "qwen3" }]);
  });

  it("are listed once the server has started", async () => {
    const { app, model } = buildLoadingApp({ page: builtPage });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(async () => {
      const closed = app.close();
      app.server.closeAllConnections();
      await closed;
    });
    const { page } = await openPage(url);
    await page.getByText("The model `scripted` is still loading.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    finishLoading(model, servedModel(ALIAS));
    await page.getByRole("button", { name: `Model: ${ALIAS}, loaded` }).waitFor();
    await page.getByText("is still loading").waitFor({ state: "detached" });
  });

  it("with hostile names are shown as text", async () => {
    const name = '<img src=x onerror="window.pwned=1">';
    const { page, library } = await openModels();
    library.add(storedModel(name));
    library.tell({ type: "listed-anew" });
    await page.getByText(name).first().waitFor();
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByRole("button", { name: /^Model: / }).click();
    await page.getByRole("option", { name }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.evaluate("window.pwned")).toBeUndefined();
  });
});
