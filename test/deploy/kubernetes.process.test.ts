import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parseAddressWithPort } from "../../src/config/listen-addresses.js";
import { environmentVariableOf, settingNames, settings } from "../../src/config/settings.js";
import { isLocalOnly } from "../../src/http/accepted-hosts.js";
import { type Resource, render } from "./kustomize.js";

const folder = fileURLToPath(new URL("../../deploy/kubernetes/", import.meta.url));
const operations = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
const overlays = readdirSync(join(folder, "overlays"));
const components = readdirSync(join(folder, "components"));

/** Members of a workload that the tests read. */
interface Workload extends Resource {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: Pod;
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly enableServiceLinks?: boolean;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly [source: string]: unknown }[];
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly livenessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly lifecycle?: {
    readonly preStop: { readonly exec: { readonly command: readonly string[] } };
  };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

const isWorkload = (resource: Resource): resource is Workload =>
  resource.kind === "Deployment" || resource.kind === "StatefulSet";

/** All values of members with a name, at any depth. */
function membersNamed(value: unknown, name: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const own = name in value ? [(value as Record<string, unknown>)[name]] : [];
  return [...own, ...Object.values(value).flatMap((member) => membersNamed(member, name))];
}

describe.each(overlays)("deploy/kubernetes/overlays/%s", (overlay) => {
  const resources = render(join(folder, "overlays", overlay));
  const workloads = resources.filter(isWorkload);
  const find = (kind: string, name: string) =>
    resources.find((resource) => resource.kind === kind && resource.metadata.name === name);

  it("has only one object of each kind and name", () => {
    const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(["ggufd", "ggufd-todos"]);
  });

  it("selects existing pods", () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels);
    const selectors = resources
      .filter(({ kind }) => kind !== "Service")
      .flatMap(({ spec }) => membersNamed(spec, "matchLabels"));
    const ofServices = resources
      .filter(({ kind }) => kind === "Service")
      .map(({ spec }) => (spec as { selector: object }).selector);
    expect(ofServices).toHaveLength(2);
    for (const selector of [...selectors, ...ofServices]) {
      expect(labels.filter((each) => isPartOf(selector as object, each))).toHaveLength(1);
    }
  });

  it("refers to existing services, claims, config maps and deployments", () => {
    for (const { spec } of workloads) {
      for (const { claimName } of membersNamed(spec, "persistentVolumeClaim") as never[]) {
        expect(find("PersistentVolumeClaim", claimName), claimName).toBeDefined();
      }
      for (const { name } of membersNamed(spec, "configMap") as never[]) {
        expect(find("ConfigMap", name), name).toBeDefined();
      }
    }
    for (const { spec } of resources.filter(({ kind }) => kind === "HTTPRoute")) {
      for (const references of membersNamed(spec, "backendRefs") as {
        name: string;
        kind?: string;
      }[][]) {
        for (const { name, kind = "Service" } of references)
          expect(find(kind, name), name).toBeDefined();
      }
    }
    for (const { spec } of resources.filter(({ kind }) => kind === "ScaledObject")) {
      const [target] = membersNamed(spec, "scaleTargetRef") as { name: string }[];
      expect(find("Deployment", `${target?.name}`)).toBeDefined();
    }
  });

  it("uses the port of the image for requests everywhere", () => {
    const ports = resources.flatMap(({ kind, spec }) => [
      ...containerPortsOf(spec, "http"),
      ...(kind === "Service" || kind === "HTTPRoute"
        ? (membersNamed(spec, "port") as unknown[])
        : []),
      ...(kind === "InferencePool"
        ? membersNamed((spec as { targetPorts: object }).targetPorts, "number")
        : []),
    ]);
    expect(new Set(ports)).toEqual(new Set([8080]));
    expect(readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8")).toContain(
      "EXPOSE 8080",
    );
  });

  it("serves metrics without a key at the port that the endpoint picker reads", () => {
    const { metricsListen } = readSettings();
    const ports = metricsListen.map(parseAddressWithPort);
    expect(workloads.flatMap(({ spec }) => containerPortsOf(spec, "metrics"))).toEqual(
      ports.map((address) => "port" in address && address.port),
    );
    expect(isLocalOnly(ports)).toBe(false);
    const [port] = containerPortsOf(workloads[0]?.spec, "metrics");
    const note = readFileSync(join(folder, "components/inference-pool/kustomization.yaml"), "utf8");
    expect(note).toContain(`--model-server-metrics-port=${port}:`);
  });

  describe.each(workloads)("$metadata.name", ({ spec }) => {
    const { spec: pod } = spec.template;
    const [container] = pod.containers as [Container];

    it("has no privileges, and writes to its volumes only", () => {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      const writable = container.volumeMounts.map(({ mountPath }) => mountPath);
      expect(writable).toEqual(expect.arrayContaining(["/data", "/tmp"]));
    });

    it("mounts exactly its volumes", () => {
      const claims = spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
      const volumes = [...pod.volumes.map(({ name }) => name), ...claims];
      expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
    });

    it("gets no variables of service links, which ggufd would read as settings", () => {
      expect(pod.enableServiceLinks).toBe(false);
      const known = new Set(settingNames.map(environmentVariableOf));
      const own = container.env
        ?.map(({ name }) => name)
        .filter((name) => name.startsWith("GGUFD_"));
      for (const name of own ?? []) expect(known).toContain(name);
    });

    it("is probed for readiness and liveness on the documented routes", () => {
      expect(container.readinessProbe.httpGet).toEqual({ path: "/health/ready", port: "http" });
      expect(container.livenessProbe.httpGet).toEqual({ path: "/health/live", port: "http" });
    });
  });

  it("gives the daemons time to complete every answer", () => {
    const pod = workloads[0]?.spec.template.spec;
    const preStop = Number(pod?.containers[0]?.lifecycle?.preStop.exec.command.at(-1));
    const { drainTimeout, requestTimeout } = readSettings();
    expect(requestTimeout).toBeGreaterThan(0);
    expect(drainTimeout).toBeGreaterThanOrEqual(requestTimeout);
    // A running request may take two more seconds to end, and the model must be freed.
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStop + drainTimeout + 15);
    expect(workloads[1]?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      15,
    );
  });

  it("refers to existing metrics, with the served model's name", () => {
    const text = JSON.stringify(resources);
    const metrics = text.match(/(?:ggufd|vllm):[a-z]\w+/g) ?? [];
    for (const metric of metrics) expect(operations).toContain(`\`${metric}\``);
    for (const [, alias] of text.matchAll(/model_name=\\+"(.*?)\\+"/g)) {
      expect(alias).toBe(readSettings().alias);
    }
  });

  const kubectl = spawnSync("kubectl", ["kustomize", join(folder, "overlays", overlay)], {
    encoding: "utf8",
  });
  it.runIf(kubectl.status === 0)("is rendered like kubectl does", () => {
    const byKubectl = parseAllDocuments(kubectl.stdout).map((document) => document.toJS());
    const sorted = (list: Resource[]) =>
      list.toSorted((a, b) => identityOf(a).localeCompare(identityOf(b)));
    expect(sorted(withoutAdditions(byKubectl))).toEqual(sorted(resources));
  });
});

describe("the variables of deploy/kubernetes", () => {
  it("are settings with valid values", () => {
    for (const [name, value] of Object.entries(readSettings())) {
      expect(settingNames).toContain(name);
      expect(settings[name as keyof typeof settings].schema.safeParse(value).success, name).toBe(
        true,
      );
    }
  });
});

it("every component can be rendered, and an overlay uses or offers it", () => {
  const texts = overlays.map((overlay) =>
    readFileSync(join(folder, "overlays", overlay, "kustomization.yaml"), "utf8"),
  );
  for (const component of components) {
    expect(texts.some((text) => text.includes(`../../components/${component}`))).toBe(true);
    expect(render(join(folder, "components", component))).not.toHaveLength(0);
  }
});

interface Settings {
  readonly alias: string;
  readonly metricsListen: readonly string[];
  readonly requestTimeout: number;
  readonly drainTimeout: number;
}

function readSettings(): Settings {
  return parse(readFileSync(join(folder, "base/ggufd.json"), "utf8"));
}

/** Ports of the containers with a name, at any depth. */
function containerPortsOf(spec: unknown, name: string): unknown[] {
  const ports = membersNamed(spec, "ports").flat() as { name: string; containerPort?: number }[];
  return ports.flatMap((port) => (port.name === name ? (port.containerPort ?? []) : []));
}

function isPartOf(part: object, whole: Readonly<Record<string, string>>): boolean {
  return Object.entries(part).every(([name, value]) => whole[name] === value);
}

const identityOf = ({ kind, metadata }: Resource) => `${kind}/${metadata.name}`;

/**
 * Removes additions that this renderer omits: the label of all objects, and the hashes in names.
 */
function withoutAdditions(resources: readonly unknown[]): Resource[] {
  return JSON.parse(JSON.stringify(resources), (name, value) => {
    if (typeof value === "string") return value.replace(/^(ggufd-\w+)-[a-z0-9]{10}$/, "$1");
    if (name !== "labels") return value;
    const { "app.kubernetes.io/part-of": _, ...own } = value as Record<string, string>;
    return Object.keys(own).length === 0 ? undefined : own;
  });
}
