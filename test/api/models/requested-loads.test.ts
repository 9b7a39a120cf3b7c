import { describe, expect, test } from "vitest";
import { RequestedLoads } from "../../../src/api/models/requested-loads.js";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { registryWith } from "../../support/pooled-models.js";
import { ScriptedLibrary, storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";

function libraryWith(alias: string) {
  const library = new ScriptedLibrary(registryWith([]));
  library.add(storedModel(alias));
  return { library, loads: new RequestedLoads(library) };
}

const broken = new GgufdError("model_unavailable", "The model `a` cannot be loaded.");

describe("an explicitly requested load", () => {
  test("has started as soon as the client gets a response, before the model is ready", async () => {
    const { library, loads } = libraryWith("a");
    await loads.begin("a");
    expect((await library.findEntry("a")).state).toEqual({ state: "loading", progress: 0 });
    library.finishLoad("a", servedModel("a"));
    await eventually(() => expect(loads.cancel("a")).toBe(false));
  });

  test("rejects when the library refuses to load the model", async () => {
    const { library, loads } = libraryWith("a");
    library.refuse("load", broken);
    await expect(loads.begin("a")).rejects.toBe(broken);
    expect(loads.cancel("a")).toBe(false);
  });

  test("starts only once for concurrent requests", async () => {
    const { library, loads } = libraryWith("a");
    await Promise.all([loads.begin("a"), loads.begin("a")]);
    expect(library.calls).toEqual([{ call: "load", name: "a" }]);
  });

  test("reports cancellation to clients that wait for it to start", async () => {
    const { library, loads } = libraryWith("a");
    library.load = (_name, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const begun = loads.begin("a");
    loads.cancel("a");
    await expect(begun).rejects.toMatchObject({ code: "model_unavailable" });
  });
});
