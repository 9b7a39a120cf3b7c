import { z } from "zod";
import { nonEmptyText } from "../../validation/fields.js";
import { deprecationText } from "../deprecation.js";
import type { Setting } from "./setting.js";

/** The specification's simpler variant, section 4, rule 4; `/v1/todos` replaces it. */
const DEFAULT_DEPRECATION = "/todos 2026-12-01 2027-12-01 /v1/todos";

/** An empty flag means an empty list: nothing is deprecated. */
const deprecations = () =>
  z
    .preprocess(
      (raw) => (Array.isArray(raw) ? raw.filter((text) => text !== "") : raw),
      z.array(deprecationText(), { error: "expected a list of deprecations" }),
    )
    .default([DEFAULT_DEPRECATION]);

/** The to-do service. */
export const todosSettings = {
  todos: {
    schema: nonEmptyText().default("todos.json"),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "data file of the to-do service",
  },
  deprecate: {
    schema: deprecations(),
    factOf: "server",
    form: "list",
    placeholder: "DEPRECATION",
    help: `deprecated path as "PATH DEPRECATED-ON SUNSET-ON SUCCESSOR" with dates as YYYY-MM-DD, announced in response headers; repeatable (default: "${DEFAULT_DEPRECATION}")`,
  },
} as const satisfies Record<string, Setting>;
