import { Graphviz } from "@hpcc-js/wasm-graphviz";
import type { Module, ModuleGraph } from "./module-graph.js";

const LINE_LENGTH = 30;

/** Imported by nearly every module; drawn only for modules without other imports. */
const CORE = "core";
/** Files that import every module; drawn, dashed, only to modules that no other module imports. */
const ENTRANCE = "main, cli, runtime, app";

/** Groups of modules that are drawn in a frame, with its title. */
const frames = [
  { folder: "api", title: "api: one folder per dialect", color: "#fff4e0" },
  { folder: "engine", title: "engine: runs in a separate process", color: "#e8f1fb" },
] as const;

/** Draws the modules and their imports as SVG. The same graph gives the same bytes. */
export async function drawModules(graph: ModuleGraph): Promise<string> {
  const graphviz = await Graphviz.load();
  const svg = graphviz.dot(toDot(graph), "svg").trim();
  return `${svg.replace("<svg ", '<svg role="img" aria-label="The modules of src and what they import" ')}\n`;
}

function toDot({ modules, imports }: ModuleGraph): string {
  const framed = frames.map(({ folder, title, color }) => {
    const inside = modules.filter(({ name }) => name.startsWith(`${folder}/`));
    const nodes = [...modules.filter(({ name }) => name === folder), ...inside].map(toNode);
    return `subgraph "cluster_${folder}" { label=${quote(title)} style="rounded,filled" color="#b8c4d0" fillcolor="${color}" ${nodes.join("\n")} }`;
  });
  const isFramed = ({ name }: Module) =>
    frames.some(({ folder }) => name === folder || name.startsWith(`${folder}/`));
  const others = modules.filter((module) => !isFramed(module)).map(toNode);
  const importsMore = new Set(imports.filter(([, to]) => to !== CORE).map(([from]) => from));
  const edges = imports
    .filter(([from, to]) => to !== CORE || !importsMore.has(from))
    .map(([from, to]) => `${quote(from)} -> ${quote(to)}`);
  const imported = new Set(imports.map(([, to]) => to));
  const tops = modules.filter(({ name }) => !imported.has(name));
  return [
    "digraph modules {",
    'graph [rankdir=TB ranksep=0.6 nodesep=0.25 fontname="Helvetica" fontsize=12 bgcolor=white]',
    'node [shape=box style="rounded,filled" fillcolor=white color="#5b6b7b" fontname="Helvetica" fontsize=11 margin="0.3,0.08"]',
    'edge [color="#7a8a9a" arrowsize=0.6]',
    ...framed,
    ...others,
    toNode({ name: ENTRANCE, purpose: "The files of src: they put the modules together." }),
    ...edges,
    ...tops.map(({ name }) => `${quote(ENTRANCE)} -> ${quote(name)} [style=dashed]`),
    "}",
  ].join("\n");
}

function toNode({ name, purpose }: Module): string {
  const lines = wrap(purpose.replaceAll("`", "")).map(escapeHtml);
  const label = `<b>${escapeHtml(name)}</b><br/><font point-size="9" color="#44505c">${lines.join("<br/>")}</font>`;
  return `${quote(name)} [label=<${label}>]`;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.pop();
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length > LINE_LENGTH) lines.push(last, word);
    else lines.push(`${last} ${word}`);
  }
  return lines;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
