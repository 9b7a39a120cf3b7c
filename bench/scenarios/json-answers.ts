import { Ajv2020 } from "ajv/dist/2020.js";
import type { RequestRecord } from "../client/request-record.js";
import type { Control, ControlledRequest } from "./json-requests.js";

/** Whether an answer has ended by itself and satisfies its constraint. */
export type IsComplete = (record: RequestRecord) => boolean;

/**
 * Validator that compares quotients with whole numbers to six places, because doubles are not exact
 * multiples of 0.01.
 */
const ajv = new Ajv2020({ multipleOfPrecision: 6 });

/** Builds the check of a request's answers. An answer of unbounded length may also be truncated. */
export function completenessOf({ control, length }: ControlledRequest): IsComplete {
  const isValid = validatorOf(control);
  return ({ error, finishReason, text }) => {
    if (error !== undefined) return false;
    if (finishReason === "length") return length === "unbounded";
    return isValid(text);
  };
}

function validatorOf(control: Control): (text: string) => boolean {
  if (control.kind === "regex") {
    const whole = new RegExp(`^(?:${control.regex})$`, "u");
    return (text) => whole.test(text);
  }
  const validate = ajv.compile(control.schema);
  return (text) => {
    try {
      return validate(JSON.parse(text));
    } catch {
      return false;
    }
  };
}
