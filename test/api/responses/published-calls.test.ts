import { describe, expect, it, test } from "vitest";
import { rejectLongConversation } from "../../../src/api/responses/conversation-items.js";
import { toItems } from "../../../src/api/responses/input-items.js";
import type { ItemStatus } from "../../../src/api/responses/item-schema.js";
import { parseStoredItem } from "../../../src/api/responses/parse-stored-item.js";
import { toPublishedCall, toWrittenCall } from "../../../src/api/responses/published-calls.js";
import type { PublishedType } from "../../../src/api/responses/published-tools.js";
import { responseRequest } from "../../../src/api/responses/schema.js";
import { toGenerationRequest } from "../../../src/api/responses/translate.js";
import { withoutOldest } from "../../../src/api/responses/truncation.js";
import { refusal } from "../../support/refusal.js";

const ids = { id: "sh_1", call_id: "call_1" };
const exec = { type: "exec", env: {} };

interface WrittenCall {
  readonly type: PublishedType;
  readonly written: object;
  readonly item: object;
}

const calls: readonly WrittenCall[] = [
  {
    type: "local_shell",
    written: { command: ["ls", "-l"] },
    item: { action: { ...exec, command: ["ls", "-l"] } },
  },
  {
    type: "local_shell",
    written: {
      ...{ command: ["env"], timeout_ms: 500, working_directory: "/tmp", user: "me" },
      env: { A: "1" },
    },
    item: {
      action: {
        ...{ type: "exec", command: ["env"], env: { A: "1" } },
        ...{ timeout_ms: 500, working_directory: "/tmp", user: "me" },
      },
    },
  },
  {
    type: "shell",
    written: { commands: ["ls", "pwd"] },
    item: { action: { commands: ["ls", "pwd"], timeout_ms: null, max_output_length: null } },
  },
  {
    type: "shell",
    written: { commands: ["ls"], timeout_ms: 9, max_output_length: 80 },
    item: { action: { commands: ["ls"], timeout_ms: 9, max_output_length: 80 } },
  },
  ...(["create_file", "update_file"] as const).map(
    (type): WrittenCall => ({
      type: "apply_patch",
      written: { type, path: "a.txt", diff: "@@\n-a\n+é" },
      item: { operation: { type, path: "a.txt", diff: "@@\n-a\n+é" } },
    }),
  ),
  {
    type: "apply_patch",
    written: { type: "delete_file", path: "a.txt", diff: "" },
    item: { operation: { type: "delete_file", path: "a.txt" } },
  },
];

describe("the call of a published tool", () => {
  test.each(calls)("becomes an item and back: $type $written", ({ type, written, item }) => {
    const call = toPublishedCall(type, ids, JSON.stringify(written), "completed");
    expect(call).toMatchObject({ type: `${type}_call`, ...ids, ...item, status: "completed" });
    expect(parseStoredItem(call)).toEqual(call);
    const { name, arguments: restored } = toWrittenCall(call);
    expect([name, restored]).toEqual([type, JSON.stringify(written)]);
  });

  test.each<[PublishedType, string, object]>([
    ["local_shell", '{"command":["l', { action: { ...exec, command: [] }, status: "incomplete" }],
    ["local_shell", '{"command":"ls"}', { action: { command: [] } }],
    ["shell", '{"comm', { action: { commands: [] }, status: "incomplete" }],
    ["shell", "[]", { action: { commands: [] } }],
    ["apply_patch", '{"type":"delete_file","pa', { operation: { path: "" } }],
    ["apply_patch", '{"type":"move_file","path":"a"}', { operation: { type: "update_file" } }],
  ])("has an empty action if it is incomplete or invalid: %s %s", (type, written, item) => {
    expect(toPublishedCall(type, ids, written, "incomplete")).toMatchObject(item);
  });

  it.each<[ItemStatus, ItemStatus]>([
    ["completed", "completed"],
    ["incomplete", "in_progress"],
  ])("has a status of OpenAI's if it is a patch: %s", (status, expected) => {
    const [written] = calls.filter(({ type }) => type === "apply_patch");
    const json = JSON.stringify(written?.written);
    expect(toPublishedCall("apply_patch", ids, json, status).status).toBe(expected);
  });
});

function translate(input: unknown) {
  const body = responseRequest.parse({ input });
  const items = toItems(body.input ?? [], () => undefined, "input");
  return toGenerationRequest(body, { earlier: [], input: items }, [], "id");
}

describe("a history with published tools", () => {
  const shellOutput = (outcome: object, texts: object = {}) => ({
    ...{ type: "shell_call_output", call_id: "call_1" },
    output: [{ stdout: "a\n", stderr: "", outcome, ...texts }],
  });
  const exit = { type: "exit", exit_code: 0 };
  const patched = { type: "apply_patch_call_output", call_id: "call_1" };
  const localOutput = { type: "local_shell_call_output", output: "a.txt" };

  test.each<[PublishedType, object, string]>([
    ["local_shell", { ...localOutput, call_id: "call_1" }, "a.txt"],
    ["local_shell", { ...localOutput, id: "call_1" }, "a.txt"],
    ["local_shell", { ...localOutput, id: "lsho_1", call_id: "call_1" }, "a.txt"],
    ["shell", shellOutput(exit), "a\nexit code: 0"],
    ["shell", shellOutput({ type: "timeout" }, { stderr: "b" }), "a\nb\ntimed out"],
    [
      "shell",
      { ...shellOutput(exit), output: [...shellOutput(exit).output, ...shellOutput(exit).output] },
      "a\nexit code: 0\na\nexit code: 0",
    ],
    ["apply_patch", { ...patched, status: "completed" }, "completed"],
    [
      "apply_patch",
      { ...patched, status: "failed", output: "No such file" },
      "failed: No such file",
    ],
  ])("is restored to the form that the model wrote and reads: %s %j", (type, output, content) => {
    for (const { written, item } of calls.filter((call) => call.type === type)) {
      const call = { type: `${type}_call`, call_id: "call_1", status: "completed", ...item };
      const { prompt } = translate([call, output]);
      expect(prompt.type === "chat" && prompt.messages).toEqual([
        {
          ...{ role: "assistant", content: "" },
          toolCalls: [{ id: "call_1", name: type, arguments: JSON.stringify(written) }],
        },
        { role: "tool", content, toolCallId: "call_1", name: type },
      ]);
    }
  });

  test.each([
    [{ ...localOutput, call_id: "call_1" }, "local_shell_call"],
    [shellOutput(exit), "shell_call"],
    [{ ...patched, status: "completed" }, "apply_patch_call"],
  ])("must have a call before its output: %j", (output, type) => {
    const error = refusal(() => translate([output]));
    expect(error.param).toBe("input.0.call_id");
    expect(error.message).toContain(`expected the call_id of a ${type} before it, got "call_1"`);
  });

  it("loses the output of a call that is truncated", () => {
    const [call] = calls;
    const input = toItems(
      [
        toPublishedCall("local_shell", ids, JSON.stringify(call?.written), "completed"),
        { ...localOutput, type: "local_shell_call_output", call_id: "call_1" },
        { role: "user", content: "Hi" },
      ],
      () => undefined,
      "input",
    );
    expect(withoutOldest({ earlier: [], input }, 1).input).toMatchObject([{ role: "user" }]);
  });

  it("counts outputs towards the size of a conversation", () => {
    const stored = toItems(
      [
        {
          type: "shell_call_output",
          call_id: "call_1",
          output: [{ stdout: "a".repeat(5_000_000), stderr: "", outcome: { type: "timeout" } }],
        },
      ],
      () => undefined,
      "input",
    );
    expect(refusal(() => rejectLongConversation(stored, [], "input")).param).toBe("input");
  });
});
