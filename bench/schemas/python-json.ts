import { isLosslessNumber } from "lossless-json";
import { isArray, type LosslessJson, membersOf } from "./lossless-json.js";

/** Serialises a value as Python's `json.dumps` does: with `", "` and `": "`, in ASCII. */
export function pythonJson(value: LosslessJson): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return pythonString(value);
  if (isLosslessNumber(value)) return formatPythonNumber(value.value);
  if (isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  const members = (membersOf(value) ?? []).map(
    ([name, member]) => `${pythonString(name)}: ${pythonJson(member)}`,
  );
  return `{${members.join(", ")}}`;
}

function pythonString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Formats a number: integers keep all digits, other numbers follow Python's `repr` of a double. */
function formatPythonNumber(text: string): string {
  if (/^-?\d+$/.test(text)) return String(BigInt(text));
  const value = Number(text);
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  const plain = value.toFixed(Math.max(0, mantissa.replace(/\D/g, "").length - 1 - exponent));
  return plain.includes(".") ? plain : `${plain}.0`;
}
