import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1";
import { Ajv } from "ajv";
import * as newApps from "kubernetes-models/apps/v1";
import * as newPolicy from "kubernetes-models/policy/v1";
import * as newCore from "kubernetes-models/v1";
import * as oldApps from "kubernetes-models-1.27/apps/v1";
import * as oldPolicy from "kubernetes-models-1.27/policy/v1";
import * as oldCore from "kubernetes-models-1.27/v1";
import { describe, expect, it } from "vitest";
import { type Resource, render } from "./kustomize.js";

const folder = fileURLToPath(new URL("../../deploy/kubernetes/", import.meta.url));
const overlays = readdirSync(join(folder, "overlays")).map((name) => `overlays/${name}`);
const components = readdirSync(join(folder, "components")).map((name) => `components/${name}`);

/** Schemas by API version and kind. */
type Schemas = Readonly<Record<string, new (data: never) => { validate(): void }>>;

/** Schemas of the oldest supported version of Kubernetes, and of a newer one. */
const versions: readonly (readonly [version: string, schemas: Schemas])[] = [
  ["1.27", schemasOf({ ...oldApps, ...oldPolicy, ...oldCore })],
  ["1.33", schemasOf({ ...newApps, ...newPolicy, ...newCore })],
];

type BuiltInKind =
  | "Deployment"
  | "StatefulSet"
  | "PodDisruptionBudget"
  | "ConfigMap"
  | "PersistentVolumeClaim"
  | "Service";

function schemasOf(models: Readonly<Record<BuiltInKind, Schemas[string]>>): Schemas {
  return {
    "apps/v1/Deployment": models.Deployment,
    "apps/v1/StatefulSet": models.StatefulSet,
    "policy/v1/PodDisruptionBudget": models.PodDisruptionBudget,
    "v1/ConfigMap": models.ConfigMap,
    "v1/PersistentVolumeClaim": models.PersistentVolumeClaim,
    "v1/Service": models.Service,
    "gateway.networking.k8s.io/v1/HTTPRoute": HTTPRoute,
    "keda.sh/v1alpha1/ScaledObject": ScaledObject,
  };
}

/** From the reference of the Gateway API inference extension v1, which no package contains. */
const inferencePool = new Ajv({ strict: false }).compile({
  type: "object",
  additionalProperties: false,
  required: ["apiVersion", "kind", "metadata", "spec"],
  properties: {
    apiVersion: { const: "inference.networking.k8s.io/v1" },
    kind: { const: "InferencePool" },
    metadata: { type: "object" },
    spec: {
      type: "object",
      additionalProperties: false,
      required: ["selector", "targetPorts", "endpointPickerRef"],
      properties: {
        selector: {
          type: "object",
          additionalProperties: false,
          required: ["matchLabels"],
          properties: { matchLabels: { type: "object", additionalProperties: { type: "string" } } },
        },
        targetPorts: {
          type: "array",
          minItems: 1,
          maxItems: 8,
          items: {
            type: "object",
            additionalProperties: false,
            required: ["number"],
            properties: { number: { type: "integer", minimum: 1, maximum: 65_535 } },
          },
        },
        endpointPickerRef: {
          type: "object",
          additionalProperties: false,
          required: ["name"],
          properties: {
            group: { type: "string" },
            kind: { type: "string" },
            name: { type: "string", minLength: 1 },
            port: {
              type: "object",
              additionalProperties: false,
              required: ["number"],
              properties: { number: { type: "integer", minimum: 1, maximum: 65_535 } },
            },
            failureMode: { enum: ["FailOpen", "FailClose"] },
          },
        },
      },
    },
  },
});

/**
 * Schema violations of an object. Kubernetes' schemas allow unknown members, including misspelt
 * ones, so every member that the validator never reads is a violation, too.
 */
function faultsOf(resource: Resource, schemas: Schemas): string[] {
  if (resource.kind === "InferencePool") {
    inferencePool(resource);
    return (inferencePool.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath} ${message}`,
    );
  }
  const Model = schemas[`${resource.apiVersion}/${resource.kind}`];
  if (Model === undefined) return [`no schema of ${resource.apiVersion}/${resource.kind}`];
  const seen = new Set<string>();
  try {
    const model = new Model(resource as never);
    model.validate.call(watched(model, "", seen));
  } catch (error) {
    return [String(error)];
  }
  return pathsOf(resource, "")
    .filter((path) => !seen.has(path))
    .map((path) => `${path} is unknown`);
}

/** An equal value that records which of its members are read. */
function watched(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === "symbol" || !Object.hasOwn(target, name)) return member;
      seen.add(`${path}/${name}`);
      return watched(member, `${path}/${name}`, seen);
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${path}/${name}`,
    ...pathsOf(member, `${path}/${name}`),
  ]);
}

describe.each(versions)("with the schemas of Kubernetes %s", (_version, schemas) => {
  describe.each([...overlays, ...components])("deploy/kubernetes/%s", (path) => {
    it.each(
      render(join(folder, path)).map(
        (resource) => [resource.kind, resource.metadata.name, resource] as const,
      ),
    )("%s %s is valid", (_kind, _name, resource) => {
      expect(faultsOf(resource, schemas)).toEqual([]);
    });
  });

  const of = (kind: string) => {
    const found = render(join(folder, "overlays/gpu")).find((resource) => resource.kind === kind);
    return structuredClone(found) as Resource & { spec: Record<string, unknown> };
  };

  it.each([
    ["Deployment", "replicas", "2", /replicas must be integer/],
    ["Deployment", "replicaz", 2, /\/spec\/replicaz is unknown/],
    ["Deployment", "selector", undefined, /required property 'selector'|selector/],
    ["HTTPRoute", "hostname", ["a"], /\/spec\/hostname is unknown/],
    ["ScaledObject", "triggers", [{ type: "prometheus" }], /metadata/],
    ["InferencePool", "targetPorts", [{ number: 0 }], /targetPorts/],
    ["InferencePool", "targetPort", 8080, /additional properties/],
  ])("a %s with %s: %j is invalid", (kind, member, value, fault) => {
    const resource = of(kind);
    resource.spec[member] = value;
    expect(faultsOf(resource, schemas).join("\n")).toMatch(fault);
  });
});

it("a member that only newer versions have is unknown to the older one", () => {
  const [old, latest] = versions.map(([, schemas]) => schemas) as [Schemas, Schemas];
  const deployment = structuredClone(
    render(join(folder, "overlays/cpu")).find(({ kind }) => kind === "Deployment"),
  ) as Resource & { spec: { template: { spec: { securityContext: object } } } };
  Object.assign(deployment.spec.template.spec.securityContext, {
    supplementalGroupsPolicy: "Strict",
  });
  expect(faultsOf(deployment, latest)).toEqual([]);
  expect(faultsOf(deployment, old)).toEqual([
    "/spec/template/spec/securityContext/supplementalGroupsPolicy is unknown",
  ]);
});
