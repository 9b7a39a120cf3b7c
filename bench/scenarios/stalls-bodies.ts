import type { BodyBuilder } from "./stalls-body.js";
import { constraintBodies } from "./stalls-constraint-bodies.js";
import { structureBodies } from "./stalls-structure-bodies.js";
import { textBodies } from "./stalls-text-bodies.js";

/** Requests that cost a server far more than their client, in the order in which they are sent. */
export const worstBodies: ReadonlyMap<string, BodyBuilder> = new Map([
  ...Object.entries(structureBodies),
  ...Object.entries(constraintBodies),
  ...Object.entries(textBodies),
]);
