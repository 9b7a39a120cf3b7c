import { describe, expect, onTestFinished, test } from "vitest";
import { describeFailure } from "../../../src/api/models/load-failure.js";
import { GgufdError } from "../../../src/core/errors.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { buildTestApp } from "../../support/test-app.js";

const WITHHELD = "The reason names files of the server; keys with the scope `admin` see it.";

const failedLoad = (reason: string) =>
  new GgufdError("model_unavailable", "The model `a` cannot be loaded; see the server's log.", {
    cause: new StartupError(reason),
  });

describe("the reason of a failed load", () => {
  test.each([
    ["model /srv/m.gguf: cannot be loaded: no magic", "model: cannot be loaded: no magic"],
    ["model /srv/my models/m.gguf: truncated", "model: truncated"],
    ["model C:\\models\\m.gguf: truncated", "model: truncated"],
    ["lora /srv/a.gguf: expected one for /srv/b.gguf", "lora: expected one for"],
    ["mmproj /srv/odd: name/m.gguf: truncated", WITHHELD],
    [
      "the weights take 9.0 GiB, but only 2.0 GiB is free",
      "the weights take 9.0 GiB, but only 2.0 GiB is free",
    ],
    ["model m.gguf in models/m.gguf", WITHHELD],
  ])("%s is, without paths, %s", (reason, expected) => {
    expect(describeFailure(failedLoad(reason), "without-paths")).toBe(expected);
    expect(describeFailure(failedLoad(reason), "full")).toBe(reason);
  });

  test("is the message of an error that is intended for clients", () => {
    const error = new GgufdError("invalid_request", "It needs 9 GiB of /dev/shm.");
    expect(describeFailure(error, "without-paths")).toBe(error.message);
  });

  test("names files of the server only for keys with the scope admin", async () => {
    const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
      keyLines: ["an-admin scopes=admin access=read-only", "a-user scopes=inference"],
    });
    onTestFinished(() => app.close());
    library.add(storedModel("a", { failure: failedLoad("model /srv/a.gguf: truncated") }));
    for (const url of ["/v1/models", "/v1/models/a"]) {
      const statusFor = async (key: string) => {
        const headers = { authorization: `Bearer ${key}` };
        const body = (await app.inject({ url, headers })).json();
        return (body.data?.[0] ?? body).status;
      };
      const failed = { value: "unloaded", failed: true, exit_code: 1 };
      expect(await statusFor("an-admin")).toEqual({
        ...failed,
        reason: "model /srv/a.gguf: truncated",
      });
      expect(await statusFor("a-user")).toEqual({ ...failed, reason: "model: truncated" });
    }
  });
});
