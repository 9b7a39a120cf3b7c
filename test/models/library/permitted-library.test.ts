import { describe, expect, test } from "vitest";
import type { LibraryEvent } from "../../../src/core/model-library.js";
import type { ModelRights } from "../../../src/core/model-rights.js";
import { PermittedLibrary } from "../../../src/models/library/permitted-library.js";
import { registryWith } from "../../support/pooled-models.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ScriptedLibrary, storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";
import { someAdapter } from "../../support/some-adapter.js";

function libraryWith(rights: ModelRights) {
  const registry = registryWith([servedModel("main"), servedModel("mini")]);
  const library = new ScriptedLibrary(registry);
  library.add(storedModel("qwen3:8b", { adapters: [someAdapter("sql"), someAdapter("poet")] }));
  library.add(storedModel("llama3:8b"));
  const directory = registry.permitting(rights);
  return { library, permitted: new PermittedLibrary({ library, directory, rights }) };
}

const request = { signal: new AbortController().signal, onEvent: () => undefined };

describe("a key with a list of models", () => {
  const rights = { models: ["mini", "qwen*"] };

  test("sees these models", async () => {
    const { permitted } = libraryWith(rights);
    expect((await permitted.list()).map(({ alias }) => alias)).toEqual(["mini", "qwen3:8b"]);
    expect((await permitted.findEntry("qwen3:8b")).alias).toBe("qwen3:8b");
  });

  test("gets the error of an unknown name for other models, and changes none of them", async () => {
    const { library, permitted } = libraryWith(rights);
    const { signal } = request;
    for (const act of [
      () => permitted.findEntry("llama3:8b"),
      () => permitted.load("llama3:8b", signal),
      () => permitted.unload("llama3:8b"),
      () => permitted.remove("llama3:8b"),
      () => permitted.copy("llama3:8b", "qwen"),
      () => permitted.make("qwen", { from: "llama3:8b", texts: {} }),
    ]) {
      const error = await rejection(act());
      expect(error.code).toBe("model_not_found");
      expect(error.message).toMatch(/^The model `llama3:8b` does not exist/);
      expect(error.message).not.toContain("main");
    }
    expect(refusal(() => permitted.keepAlive("main", 5)).code).toBe("model_not_found");
    expect(library.calls).toEqual([]);
  });

  test("may change its own models, but download none", async () => {
    const { library, permitted } = libraryWith(rights);
    await permitted.unload("qwen3:8b");
    await permitted.copy("qwen3:8b", "qwen-copy");
    await permitted.remove("qwen3:8b");
    expect(library.calls.map(({ call }) => call)).toEqual(["unload", "copy", "remove"]);
    expect((await rejection(permitted.copy("qwen-copy", "copy"))).code).toBe("permission_denied");
    expect((await rejection(permitted.pull("ollama:qwen3", request))).code).toBe(
      "permission_denied",
    );
    expect(refusal(() => permitted.beginPull("ollama:qwen3")).code).toBe("permission_denied");
    expect(permitted.canPull).toBe(false);
  });

  test("receives the events of these models", () => {
    const { library, permitted } = libraryWith(rights);
    const events: LibraryEvent[] = [];
    const unfollow = permitted.follow((event) => events.push(event));
    library.setState("llama3:8b", { state: "loading", progress: 0 });
    library.setState("qwen3:8b", { state: "loading", progress: 0 });
    library.tell({ type: "removed", model: "main" });
    library.tell({ type: "pulled", name: "ollama:secret" });
    library.tell({ type: "listed-anew" });
    unfollow();
    library.tell({ type: "listed-anew" });
    expect(events.map((event) => ("model" in event ? event.model : event.type))).toEqual([
      "qwen3:8b",
      "listed-anew",
    ]);
  });
});

describe("a key with a list of adapters", () => {
  test("sees these adapters, and may download models", async () => {
    const { library, permitted } = libraryWith({ adapters: ["sql"] });
    const { adapters } = await permitted.findEntry("qwen3:8b");
    expect(adapters.map(({ name }) => name)).toEqual(["sql"]);
    expect(permitted.canPull).toBe(true);
    permitted.beginPull("ollama:qwen3");
    expect(permitted.pulls.map(({ name }) => name)).toEqual(["ollama:qwen3"]);
    expect(library.calls).toEqual([{ call: "begin-pull", name: "ollama:qwen3" }]);
  });
});
