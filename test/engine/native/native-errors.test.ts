import { expect, test } from "vitest";
import { NativeErrors } from "../../../src/engine/native/native-errors.js";

test("the first native error is awaited, and returned without the function that reported it", async () => {
  const errors = new NativeErrors(() => undefined);
  setTimeout(() => {
    errors.log("error", "load_model: error loading model: no such tensor");
    errors.log("error", "load_model: failed");
  }, 100);
  await expect(errors.waitForFirst()).resolves.toBe("no such tensor");
});

test("waiting for a native error ends if none is reported", async () => {
  await expect(new NativeErrors(() => undefined).waitForFirst()).resolves.toBeUndefined();
});
