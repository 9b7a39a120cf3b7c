import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { renderTemplate } from "./helm-templates.js";
import { type Resource, render } from "./kustomize.js";

const chart = fileURLToPath(new URL("../../deploy/helm/ggufd/", import.meta.url));
const overlays = fileURLToPath(new URL("../../deploy/kubernetes/overlays/", import.meta.url));
const templates = readdirSync(join(chart, "templates"));

type Values = Readonly<Record<string, unknown>>;

const readValues = (file: string) => parse(readFileSync(join(chart, file), "utf8")) as Values;

/** Values of a command line: later files and settings replace members of earlier ones. */
function merged(before: Values, ...[next, ...others]: readonly Values[]): Values {
  if (next === undefined) return before;
  const changes = Object.entries(next).map(([name, value]) => {
    const old = before[name];
    return [name, isObject(value) && isObject(old) ? merged(old, value) : value];
  });
  return merged({ ...before, ...Object.fromEntries(changes) }, ...others);
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a release. */
function install(values: Values, release = "ggufd"): Resource[] {
  return templates.flatMap((name) => {
    const template = readFileSync(join(chart, "templates", name), "utf8");
    const text = renderTemplate(template, { Release: { Name: release }, Values: values });
    return parseResources(text);
  });
}

function parseResources(text: string): Resource[] {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw new Error(document.errors.join("; "));
      return document.toJS() as Resource | null;
    })
    .filter((resource) => resource !== null);
}

const identityOf = ({ kind, metadata }: Resource) => `${kind}/${metadata.name}`;

/**
 * Objects for comparison: in the order of their names, without the checksum of the settings, and
 * with JSON parsed, which Helm prints with its members in alphabetical order.
 */
function comparable(resources: readonly Resource[]): unknown {
  const withoutChecksum = JSON.parse(JSON.stringify(resources), (name, value) => {
    if (name === "ggufd.json") return JSON.parse(value);
    if (name !== "annotations") return value;
    expect(value).toEqual({ "checksum/settings": expect.stringMatching(/^[0-9a-f]{64}$/) });
    return undefined;
  }) as Resource[];
  return withoutChecksum.toSorted((a, b) => identityOf(a).localeCompare(identityOf(b)));
}

/** The objects of an overlay, with the empty defaults of the chart. */
function overlay(name: string, changeDeployment: (spec: Spec) => Spec): unknown {
  return comparable(
    render(join(overlays, name)).map((resource) =>
      resource.kind === "Deployment"
        ? { ...resource, spec: changeDeployment(resource.spec as Spec) }
        : resource,
    ),
  );
}

interface Spec {
  readonly replicas?: number;
  readonly template: { readonly spec: object };
}

const withPod = (spec: Spec, defaults: object): Spec => ({
  ...spec,
  template: { ...spec.template, spec: { ...defaults, ...spec.template.spec } },
});

const defaults = readValues("values.yaml");
const withGpu = merged(defaults, readValues("values-gpu.yaml"), {
  routing: { mode: "inference-pool" },
  autoscaling: { enabled: true },
});

describe("the Helm chart", () => {
  it("installs the objects of the overlay cpu by default", () => {
    expect(comparable(install(defaults))).toEqual(
      overlay("cpu", (spec) => withPod(spec, { nodeSelector: {}, tolerations: [] })),
    );
  });

  it("installs the objects of the overlay gpu with its values and components", () => {
    expect(comparable(install(withGpu))).toEqual(
      overlay("gpu", ({ replicas: _, ...spec }) => withPod(spec, { nodeSelector: {} })),
    );
  });

  it("routes through a gateway without an inference pool", () => {
    const routed = install(merged(defaults, { routing: { mode: "gateway" } }));
    const added = routed.filter(({ kind }) => !install(defaults).some((one) => one.kind === kind));
    expect(added).toEqual(
      render(join(overlays, "../components/gateway")).filter(({ kind }) => kind === "HTTPRoute"),
    );
  });

  it("names and selects the objects of each release separately", () => {
    const [one, other] = ["one", "other"].map((release) => install(withGpu, release));
    const names = [...(one ?? []), ...(other ?? [])].map(identityOf);
    expect(new Set(names).size).toBe(names.length);
    expect(JSON.stringify(one).replaceAll(/\bone(?=["-])/g, "other")).toBe(JSON.stringify(other));
    expect(JSON.stringify(one)).not.toMatch(/"ggufd(-(?!keys)\w+)?"(?!,"image)/);
  });

  it("replaces the pods if a setting changes", () => {
    const checksumOf = (values: Values) => {
      const deployment = install(values).find(({ kind }) => kind === "Deployment");
      return /"checksum\/settings":"(\w+)"/.exec(JSON.stringify(deployment))?.[1];
    };
    expect(checksumOf(defaults)).toMatch(/^\w{64}$/);
    expect(checksumOf(merged(defaults, { settings: { maxQueue: 65 } }))).not.toBe(
      checksumOf(defaults),
    );
  });

  it("scales by the metrics of the configured model", () => {
    const settings = { alias: "mine" };
    const scaled = install(merged(withGpu, { settings }));
    const object = JSON.stringify(scaled.find(({ kind }) => kind === "ScaledObject"));
    const aliases = [...object.matchAll(/model_name=\\"(.*?)\\"/g)].map(([, alias]) => alias);
    expect(new Set(aliases)).toEqual(new Set(["mine"]));
  });

  const helm = spawnSync("helm", ["template", "ggufd", chart], { encoding: "utf8" });
  it.runIf(helm.status === 0)("is rendered like Helm does", () => {
    expect(comparable(parseResources(helm.stdout))).toEqual(comparable(install(defaults)));
  });
});

describe("the renderer of templates", () => {
  const data = { Release: { Name: "r" }, Values: { a: { b: 1 }, list: ["x"], off: false } };

  it.each([
    ["a {{ .Values.a.b }} c", "a 1 c"],
    ["{{/* comment */ -}}\n  text", "text"],
    ["k:\n  {{- toYaml .Values.list | nindent 2 }}\nend", "k:\n  - x\nend"],
    ["{{- if .Values.off }}\na\n{{- end }}\nb", "\nb"],
    ["{{- if not .Values.off }}\na\n{{- end }}\nb", "\na\nb"],
    ['{{ if eq .Release.Name "r" }}a{{ end }}', "a"],
    ["{{ toPrettyJson .Values.a | nindent 1 }}", '\n {\n   "b": 1\n }'],
  ])("renders %j", (template, expected) => {
    expect(renderTemplate(template, data)).toBe(expected);
  });

  it.each(["{{ .Values.c }}", "{{ include .Values.a }}", "{{ if .Values.a }}", "{{ end }}"])(
    "does not accept %s",
    (template) => {
      expect(() => renderTemplate(template, data)).toThrow();
    },
  );
});
