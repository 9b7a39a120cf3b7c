import assert from "node:assert/strict";
import { type Document, isCollection, isMap, isNode, isSeq, type Node, visit } from "yaml";

/** Path of a node; `named` selects the item of a list that has this name. */
export type NodePath = readonly (string | number | { readonly named: string })[];

/** Change of a manifest that makes it a template. */
export type Edit =
  /** The node becomes a value of the chart, such as `image.tag`. */
  | {
      readonly at: NodePath;
      readonly value: string;
      /** The value by which the member is left out. */
      readonly unless?: string;
      /** The value if the manifest does not have the node. */
      readonly initial?: unknown;
    }
  /** The node is replaced by a text with template actions. */
  | { readonly at: NodePath; readonly text: string }
  /** The text of the node is changed. */
  | { readonly at: NodePath; readonly rewrite: (text: string) => string };

/** Names of the manifests' objects: that of the deployment, and others that begin with it. */
const OBJECT_NAME = /^ggufd(?=$|-[a-z]+$)/;

/** Stands for the name of the release while the document is printed. */
const RELEASE = "__release__";

/**
 * Converts a manifest to a template of a Helm chart: applies the edits, and names the objects after
 * the release. Comments stay where they are; those within a value go with it.
 * @param document is changed
 * @param onValue receives the nodes that become values
 */
export function toTemplate(
  document: Document,
  edits: readonly Edit[],
  onValue: (name: string, node: Node) => void,
): string {
  const insertions = edits.map((edit, index) => {
    const path = resolvePath(document, edit.at);
    if ("rewrite" in edit) {
      const text = document.getIn(path);
      assert(typeof text === "string", `expected a text at ${path.join(".")}`);
      document.setIn(path, edit.rewrite(text));
      return undefined;
    }
    const token = `__${index}__`;
    if ("text" in edit) {
      document.setIn(path, token);
      return { token, replace: (line: string) => line.replace(token, edit.text) };
    }
    const node = document.getIn(path, true) ?? document.createNode(edit.initial);
    assert(isNode(node), `expected a node at ${path.join(".")}`);
    // Setting a member changes an existing scalar.
    onValue(edit.value, node.clone() as Node);
    document.setIn(path, token);
    const insert = isCollection(node) ? insertBlock : insertScalar;
    const { unless } = edit;
    return {
      token,
      replace(line: string) {
        const inserted = insert(line, token, edit.value);
        return unless === undefined ? inserted : withCondition(inserted, unless);
      },
    };
  });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string") node.value = node.value.replace(OBJECT_NAME, RELEASE);
    },
  });
  const lines = document.toString({ lineWidth: 0, flowCollectionPadding: false }).split("\n");
  return lines
    .map((line) => {
      const insertion = insertions.find((one) => one !== undefined && line.includes(one.token));
      return insertion === undefined ? line : insertion.replace(line);
    })
    .join("\n")
    .replaceAll(RELEASE, "{{ .Release.Name }}");
}

function resolvePath(document: Document, path: NodePath): (string | number)[] {
  const resolved: (string | number)[] = [];
  for (const part of path) {
    if (typeof part !== "object") {
      resolved.push(part);
      continue;
    }
    const list = document.getIn(resolved);
    assert(isSeq(list), `expected a list at ${resolved.join(".")}`);
    const index = list.items.findIndex((item) => isMap(item) && item.get("name") === part.named);
    assert(index >= 0, `expected an item named ${part.named} in ${resolved.join(".")}`);
    resolved.push(index);
  }
  return resolved;
}

function insertScalar(line: string, token: string, value: string): string {
  return line.replace(token, `{{ .Values.${value} }}`);
}

function insertBlock(line: string, token: string, value: string): string {
  const indent = line.length - line.trimStart().length + 2;
  const block = `${" ".repeat(indent)}{{- toYaml .Values.${value} | nindent ${indent} }}`;
  return `${line.replace(` ${token}`, "")}\n${block}`;
}

function withCondition(line: string, unless: string): string {
  const indent = " ".repeat(line.length - line.trimStart().length);
  return `${indent}{{- if not .Values.${unless} }}\n${line}\n${indent}{{- end }}`;
}
