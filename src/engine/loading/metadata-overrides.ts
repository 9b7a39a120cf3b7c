import type { GgufFileInfo } from "node-llama-cpp";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { describeValue, type GgufHeader, type HeaderValue } from "./gguf-header.js";
import { MalformedFileError } from "./header-reader.js";

/** The key that determines the prefix of other keys and the model's graph. */
const ARCHITECTURE = "general.architecture";

/** Value types in a file that an override of each type can replace. */
const REPLACEABLE_TYPES: Readonly<
  Record<MetadataOverride["type"], readonly HeaderValue["type"][]>
> = {
  int: ["u32", "i32", "u16", "i16", "u8", "i8", "u64", "i64"],
  float: ["f32", "f64"],
  bool: ["bool"],
  str: ["string"],
};

/**
 * Applies overrides to a file's metadata.
 * @throws {MalformedFileError} an override has another type than the file's value; llama.cpp would
 *   ignore it
 */
export function applyOverrides(
  metadata: GgufHeader["metadata"],
  overrides: readonly MetadataOverride[],
): GgufHeader["metadata"] {
  const newMetadata = new Map(metadata);
  for (const override of overrides) {
    const { key, type } = override;
    const originalValue = metadata.get(key);
    if (key === ARCHITECTURE) {
      throw new MalformedFileError(`${key}: this key cannot be overridden`);
    }
    if (originalValue !== undefined && !REPLACEABLE_TYPES[type].includes(originalValue.type)) {
      throw new MalformedFileError(
        `${key}: expected the type of the file's value ${describeValue(originalValue)}, got ${type}`,
      );
    }
    newMetadata.set(key, asHeaderValue(override, originalValue));
  }
  return newMetadata;
}

function asHeaderValue(
  override: MetadataOverride,
  originalValue: HeaderValue | undefined,
): HeaderValue {
  switch (override.type) {
    case "bool":
      return { type: "bool", value: override.value };
    case "str":
      return { type: "string", text: override.value };
    case "int":
    case "float": {
      const { value } = override;
      if (
        originalValue !== undefined &&
        "value" in originalValue &&
        originalValue.type !== "bool"
      ) {
        return { type: originalValue.type, value };
      }
      return { type: override.type === "int" ? "u32" : "f32", value };
    }
  }
}

/**
 * Applies overrides to node-llama-cpp's file info, which groups values by the dots of their keys.
 */
export function overrideFileInfo(
  { metadata }: Pick<GgufFileInfo, "metadata">,
  overrides: readonly MetadataOverride[],
): void {
  for (const { key, value } of overrides) {
    const groups = key.split(".");
    const name = groups.pop() ?? key;
    let group: Record<string, unknown> = metadata as unknown as Record<string, unknown>;
    for (const part of groups) group = openGroup(group, part);
    group[name] = value;
  }
}

function openGroup(group: Record<string, unknown>, name: string): Record<string, unknown> {
  const inner = Object.hasOwn(group, name) ? group[name] : undefined;
  if (typeof inner === "object" && inner !== null) return inner as Record<string, unknown>;
  const newGroup = {};
  group[name] = newGroup;
  return newGroup;
}
