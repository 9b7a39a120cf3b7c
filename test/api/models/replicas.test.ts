import { expect, test } from "vitest";
import { nativeProps, toProps } from "../../../src/api/llama-server/props.js";
import { buildProperties, loadedProperties } from "../../../src/api/models/models.js";
import { buildReplicas, replicas } from "../../../src/api/models/replicas.js";
import { asAdapter } from "../../../src/core/adapted-model.js";
import { replicaStates } from "../../support/replica-states.js";
import { servedModel } from "../../support/served-model.js";

const served = { ...servedModel("m"), replicas: replicaStates };
const described = [
  { index: 0, status: "running", device: "CPU", cores: [0, 1], n_slots: 4, n_requests: 3 },
  { index: 1, status: "restarting", device: "CPU", cores: [2, 3], n_slots: 4, n_requests: 0 },
];

test("the replicas of a model are described in its properties and in /props", () => {
  expect(buildReplicas(served)).toEqual({ replicas: described });
  expect(replicas.parse(described)).toEqual(described);
  const properties = buildProperties(served);
  expect(properties.meta.replicas).toEqual(described);
  expect(loadedProperties.parse(properties)).toEqual(properties);
  const props = toProps(served, "1.2.3");
  expect(props.replicas).toEqual(described);
  expect(nativeProps.parse(props)).toEqual(props);
});

test("an adapter has the replicas of its model", () => {
  expect(buildReplicas(asAdapter(served, { name: "a", scale: 1 }))).toEqual({
    replicas: described,
  });
});

test("a replica on a GPU is described by its devices", () => {
  const [state] = replicaStates.map((replica) => ({
    ...replica,
    device: "CUDA (NVIDIA A10)",
    placement: { devices: ["CUDA1"] },
  }));
  if (state === undefined) throw new Error("there is no replica");
  expect(buildReplicas({ ...served, replicas: [state] }).replicas).toMatchObject([
    { devices: ["CUDA1"], device: "CUDA (NVIDIA A10)" },
  ]);
});

test("a model with one engine has no replicas", () => {
  expect(buildReplicas(servedModel("m"))).toEqual({});
  expect(buildProperties(servedModel("m")).meta).not.toHaveProperty("replicas");
});
