import { expect, test } from "vitest";
import { COMMON_FORM } from "../../../../src/engine/text/prompt/message-form.js";
import { buildTemplateVariables } from "../../../../src/engine/text/prompt/template-variables.js";

const day = new Date("2026-03-02T12:00:00Z");

function variables(requested: Record<string, unknown>, thinking: "on" | "off" = "on") {
  const form = { ...COMMON_FORM, thinking };
  return Object.fromEntries(buildTemplateVariables(requested, form, day, (text) => `<${text}>`));
}

test("turns thinking on, keeps earlier reasoning and sets the date", () => {
  expect(variables({})).toEqual({
    enable_thinking: true,
    datetime: "Mar 02 2026",
    date_string: "02 Mar 2026",
    preserve_thinking: true,
    clear_thinking: false,
    truncate_history_thinking: false,
    drop_thinking: false,
  });
});

test("leaves thinking off for models that reason only on request", () => {
  expect(variables({}, "off")).toMatchObject({ enable_thinking: false });
  expect(variables({ enable_thinking: true }, "off")).toMatchObject({ enable_thinking: true });
});

test("gives precedence to the client's variables, with mapped texts", () => {
  const requested = { enable_thinking: false, date_string: "today", list: ["a"] };
  expect(variables(requested)).toMatchObject({
    enable_thinking: false,
    date_string: "<today>",
    list: ["<a>"],
  });
});

test("also passes the reasoning effort as reasoning_strength", () => {
  expect(variables({ reasoning_effort: "low" })).toMatchObject({
    enable_thinking: true,
    reasoning_effort: "<low>",
    reasoning_strength: "<low>",
  });
});

test("turns thinking off for the reasoning effort none", () => {
  const given = variables({ reasoning_effort: "none" });
  expect(given).toMatchObject({ enable_thinking: false });
  expect(given).not.toHaveProperty("reasoning_effort");
  expect(given).not.toHaveProperty("reasoning_strength");
});

test("drops earlier reasoning on request, under each of its names", () => {
  expect(variables({ preserve_reasoning: false })).toMatchObject({
    preserve_thinking: false,
    clear_thinking: true,
    truncate_history_thinking: true,
    drop_thinking: true,
  });
});
