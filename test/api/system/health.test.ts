import { expect, test } from "vitest";
import { toHealth } from "../../../src/api/system/health.js";
import { loadingModel } from "../../support/pooled-models.js";

test("a model that waits for a worker is not ready, with the worker as the reason", () => {
  const worker = "10.0.0.2:50052";
  const [one, other] = [loadingModel("one"), loadingModel("other")];
  const reason = `the worker ${worker} cannot be used`;
  const models = [
    Object.create(one, { state: { value: { state: "lost", worker } } }),
    Object.create(other, { state: { value: { state: "lost" } } }),
  ];
  expect(toHealth({ readiness: { state: "restarting", worker }, models })).toEqual({
    statusCode: 503,
    body: {
      status: "restarting model",
      reason,
      models: [
        { model: "one", status: "restarting model", reason },
        { model: "other", status: "restarting model" },
      ],
    },
  });
});
