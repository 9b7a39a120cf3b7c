import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Document, isNode, type Node, parse, parseAllDocuments, parseDocument } from "yaml";
import type { GeneratedFile } from "../generated-file.js";
import { type Edit, type NodePath, toTemplate } from "./template.js";

const kustomizeUrl = new URL("../../../deploy/kubernetes/", import.meta.url);
const packageUrl = new URL("../../../package.json", import.meta.url);
const CHART = "deploy/helm/ggufd";

/** The oldest version of Kubernetes whose schemas test/deploy validates the manifests with. */
const OLDEST_KUBERNETES = "1.27";

/** Folders of deploy/kubernetes that the chart has, with the conditions of their objects. */
const PARTS: readonly { readonly folder: string; readonly when?: string }[] = [
  { folder: "base" },
  { folder: "components/gateway", when: 'eq .Values.routing.mode "gateway"' },
  { folder: "components/inference-pool", when: 'eq .Values.routing.mode "inference-pool"' },
  { folder: "components/autoscaling", when: ".Values.autoscaling.enabled" },
];

const POD: NodePath = ["spec", "template", "spec"];
const CONTAINER: NodePath = [...POD, "containers", { named: "ggufd" }];
const KEYS: Edit = {
  at: [...POD, "volumes", { named: "keys" }, "secret", "secretName"],
  value: "keysSecret",
};
const IMAGE: Edit = {
  at: [...CONTAINER, "image"],
  text: '"{{ .Values.image.repository }}:{{ .Values.image.tag }}"',
};
const ROUTE: readonly Edit[] = [
  { at: ["spec", "parentRefs"], value: "routing.parentRefs" },
  { at: ["spec", "hostnames"], value: "routing.hostnames" },
];

/** Changes by file and kind of object. */
const EDITS: Readonly<Record<string, readonly Edit[]>> = {
  "base/deployment.yaml Deployment": [
    { at: ["spec", "replicas"], value: "replicas", unless: "autoscaling.enabled" },
    { at: ["spec", "strategy"], value: "strategy" },
    {
      // Changed settings replace the pods.
      at: ["spec", "template", "metadata", "annotations", "checksum/settings"],
      text: '"{{ toJson .Values.settings | sha256sum }}"',
    },
    { at: [...POD, "nodeSelector"], value: "nodeSelector", initial: {} },
    { at: [...POD, "tolerations"], value: "tolerations", initial: [] },
    IMAGE,
    { at: [...CONTAINER, "resources"], value: "resources" },
    KEYS,
  ],
  "base/todos.yaml StatefulSet": [IMAGE, KEYS],
  "base/models-claim.yaml PersistentVolumeClaim": [{ at: ["spec"], value: "modelsClaim" }],
  "components/gateway/http-route.yaml HTTPRoute": ROUTE,
  "components/inference-pool/http-route.yaml HTTPRoute": ROUTE,
  "components/autoscaling/scaled-object.yaml ScaledObject": [
    { at: ["spec", "minReplicaCount"], value: "autoscaling.minReplicaCount" },
    { at: ["spec", "maxReplicaCount"], value: "autoscaling.maxReplicaCount" },
    ...[0, 1].flatMap((trigger): Edit[] => [
      {
        at: ["spec", "triggers", trigger, "metadata", "serverAddress"],
        value: "autoscaling.prometheusAddress",
      },
      {
        at: ["spec", "triggers", trigger, "metadata", "query"],
        rewrite: (query) =>
          query.replaceAll('model_name="model"', 'model_name="{{ .Values.settings.alias }}"'),
      },
    ]),
  ],
};

/** Values in the order of values.yaml, with their comments. */
const VALUES: Readonly<Record<string, string>> = {
  image: "Images of the Dockerfiles, which no registry has: build and push them.",
  replicas: "Number of daemons; without effect with autoscaling.",
  strategy: "How an update replaces the daemons.",
  settings: "ggufd.json of the daemons: docs/configuration.md. A change replaces the pods.",
  keysSecret: "Secret with the API keys: kubectl create secret generic ggufd-keys --from-file=keys",
  resources: "Resources of a daemon with the model.",
  nodeSelector: "Labels of the nodes that the daemons run on.",
  tolerations: "Taints of nodes that the daemons run on nevertheless.",
  modelsClaim:
    "Volume with the GGUF files, read by all daemons: set a storage class that supports it.",
  routing:
    "mode: none; gateway: an HTTPRoute; inference-pool: an InferencePool and its HTTPRoute, which require the Gateway\nAPI, its inference extension, and llm-d's endpoint picker, installed as RELEASE-epp with picker.yaml of the config map\nRELEASE-picker as its --config-file, and --model-server-metrics-port=8081.",
  autoscaling:
    "Requires KEDA, and a Prometheus that scrapes /metrics at the port named metrics of the pods, without a key.",
};

interface Kustomization {
  readonly resources?: readonly string[];
  readonly configMapGenerator?: readonly {
    readonly name: string;
    readonly files: readonly string[];
  }[];
  readonly images?: readonly { readonly newName: string; readonly newTag: string }[];
}

/** The Helm chart, generated from deploy/kubernetes. */
export const helmFiles: readonly GeneratedFile[] = buildChart().map(({ name, text }) => ({
  path: `${CHART}/${name}`,
  url: new URL(`../../../${CHART}/${name}`, import.meta.url),
  generate: async () => text,
}));

interface ChartFile {
  /** Path in the folder of the chart. */
  readonly name: string;
  readonly text: string;
}

function buildChart(): ChartFile[] {
  const taken = new Map<string, Node>();
  const onValue = (name: string, node: Node) => {
    const earlier = taken.get(name);
    assert.deepEqual(earlier?.toJSON() ?? node.toJSON(), node.toJSON(), `${name} is ambiguous`);
    taken.set(name, node);
  };
  const templates = PARTS.flatMap((part) => [
    ...buildTemplates(part, onValue),
    ...buildConfigMaps(part),
  ]);
  return [
    { name: "Chart.yaml", text: printChart() },
    { name: "values.yaml", text: printValues(collectValues(taken)) },
    { name: "values-gpu.yaml", text: printValues(collectGpuValues()) },
    ...templates,
  ];
}

type Part = (typeof PARTS)[number];

function buildTemplates({ folder, when }: Part, onValue: Parameters<typeof toTemplate>[2]) {
  const { resources = [] } = readKustomization(folder);
  return resources.map((file) => {
    const path = `${folder}/${file}`;
    const texts = parseAllDocuments(read(path)).map((document) => {
      assert(document.errors.length === 0, `cannot read ${path}`);
      return toTemplate(document, EDITS[`${path} ${document.get("kind")}`] ?? [], onValue);
    });
    return toChartFile({ folder, when }, file, texts.join(""));
  });
}

/** JSON files of config maps become values, other files stay as they are. */
function buildConfigMaps({ folder, when }: Part): ChartFile[] {
  const { configMapGenerator = [] } = readKustomization(folder);
  return configMapGenerator.map(({ name, files }) => {
    const data = files.flatMap((file) => [
      `  ${file}: |`,
      file.endsWith(".json")
        ? "    {{- toPrettyJson .Values.settings | nindent 4 }}"
        : indented(read(`${folder}/${file}`), 4),
    ]);
    const lines = [
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata:",
      `  name: ${name.replace(/^ggufd/, "{{ .Release.Name }}")}`,
      "data:",
      ...data,
    ];
    return toChartFile({ folder, when }, `${name.replace(/^ggufd-/, "")}.yaml`, lines.join("\n"));
  });
}

function toChartFile({ folder, when }: Part, file: string, text: string): ChartFile {
  const component = folder.split("/")[1];
  const lines = [
    "{{/* Generated from deploy/kubernetes by `npm run docs`; a test compares. */ -}}",
    ...(when === undefined ? [] : [`{{- if ${when} }}`]),
    text.trimEnd(),
    ...(when === undefined ? [] : ["{{- end }}"]),
  ];
  return {
    name: `templates/${component === undefined ? "" : `${component}-`}${file}`,
    text: `${lines.join("\n")}\n`,
  };
}

/** The values of the templates, and the chart's other values. */
function collectValues(taken: ReadonlyMap<string, Node>): Document {
  const values = new Document({
    image: readImage("overlays/cpu"),
    settings: JSON.parse(read("base/ggufd.json")) as object,
    routing: { mode: "none" },
    autoscaling: { enabled: false },
  });
  for (const [name, node] of taken) values.setIn(name.split("."), node);
  const missing = Object.keys(VALUES).filter((name) => !values.has(name));
  assert.deepEqual(missing, [], "the manifests have every value");
  return values;
}

/** The values that differ with GPUs, from the patch of the overlay. */
function collectGpuValues(): Document {
  const patch = parseDocument(read("overlays/gpu/deployment.yaml"));
  const pod = ["spec", "template", "spec"];
  const values = new Document({ image: readImage("overlays/gpu") });
  for (const [name, path] of [
    ["strategy", ["spec", "strategy"]],
    ["resources", [...pod, "containers", 0, "resources"]],
    ["tolerations", [...pod, "tolerations"]],
  ] as const) {
    const node = patch.getIn(path, true);
    assert(isNode(node), `expected ${name} in the overlay`);
    values.set(name, node);
  }
  return values;
}

function readImage(overlay: string): object {
  const [image] = readKustomization(overlay).images ?? [];
  assert(image !== undefined, `expected an image in ${overlay}`);
  return { repository: image.newName, tag: image.newTag };
}

/** Prints values in the order of {@link VALUES}, each with its comment. */
function printValues(values: Document): string {
  const names = Object.keys(VALUES).filter((name) => values.has(name));
  const unknown = Object.keys(values.toJS() as object).filter((name) => !(name in VALUES));
  assert.deepEqual(unknown, [], "every value has a comment");
  const parts = names.map((name) => {
    const value = new Document({ [name]: values.get(name, true) });
    value.commentBefore = indented(VALUES[name] ?? "", 1);
    return value.toString({ lineWidth: 0, flowCollectionPadding: false }).replace("\n\n", "\n");
  });
  return [
    "# Generated from deploy/kubernetes by `npm run docs`; a test compares.\n",
    ...parts,
  ].join("\n");
}

function printChart(): string {
  const { description, version } = JSON.parse(readFileSync(packageUrl, "utf8")) as {
    description: string;
    version: string;
  };
  return new Document({
    apiVersion: "v2",
    name: "ggufd",
    description,
    type: "application",
    version,
    appVersion: version,
    kubeVersion: `>=${OLDEST_KUBERNETES}.0-0`,
  }).toString({ lineWidth: 0 });
}

function indented(text: string, spaces: number): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? line : `${" ".repeat(spaces)}${line}`))
    .join("\n");
}

function readKustomization(folder: string): Kustomization {
  return parse(read(`${folder}/kustomization.yaml`)) as Kustomization;
}

function read(path: string): string {
  return readFileSync(new URL(path, kustomizeUrl), "utf8");
}
