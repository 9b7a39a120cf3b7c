import { describe, expect, test } from "vitest";
import { EmptyDirectory } from "../../src/registry/empty-directory.js";

describe("EmptyDirectory", () => {
  test("is ready until it drains", () => {
    const models = new EmptyDirectory();
    expect(models.readiness).toEqual({ state: "ready" });
    models.drain();
    expect(models.readiness).toEqual({ state: "draining" });
  });

  test("has no model, with an error that names --no-model", () => {
    const models = new EmptyDirectory();
    expect(models.list()).toEqual([]);
    expect(() => models.resolve()).toThrow(
      expect.objectContaining({
        code: "model_unavailable",
        message: expect.stringContaining("--no-model"),
      }),
    );
  });
});
