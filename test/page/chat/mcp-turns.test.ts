import { expect, it } from "vitest";
import type { ResponseEvent } from "../../../src/api/responses/event-schema.js";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import type { McpCallItem } from "../../../src/api/responses/mcp-items.js";
import { waitingAnswer, withEvent } from "../../../src/page/chat/live-answer.js";
import { awaitsAnswer, findApprovalOf, findOpenCalls } from "../../../src/page/chat/turns.js";

const request = (id: string): StoredItem => ({
  type: "mcp_approval_request",
  id,
  server_label: "files",
  name: "read",
  arguments: "{}",
});
const approval = (id: string): StoredItem => ({
  type: "mcp_approval_response",
  id: `a_${id}`,
  approval_request_id: id,
  approve: true,
  reason: null,
});
const call: McpCallItem = {
  type: "mcp_call",
  id: "mcp_1",
  server_label: "files",
  name: "read",
  arguments: "",
  approval_request_id: null,
  output: null,
  error: null,
  status: "in_progress",
};

it("requests for approval are open until they are decided", () => {
  const items = [request("1"), request("2"), approval("1")];
  expect(findOpenCalls(items)).toEqual([items[1]]);
  expect(findApprovalOf(items, { id: "1" })).toBe(items[2]);
});

it("an answer is due after a decision, but not after a request for approval", () => {
  expect(awaitsAnswer([request("1")])).toBe(false);
  expect(awaitsAnswer([request("1"), approval("1")])).toBe(true);
});

it("the arguments of a call grow while the model writes it", () => {
  const events: readonly ResponseEvent[] = [
    { type: "response.output_item.added", sequence_number: 0, output_index: 0, item: call },
    {
      type: "response.mcp_call_arguments.delta",
      sequence_number: 1,
      output_index: 0,
      item_id: "mcp_1",
      delta: '{"a"',
    },
    {
      type: "response.mcp_call_arguments.delta",
      sequence_number: 2,
      output_index: 0,
      item_id: "mcp_1",
      delta: ":1}",
    },
  ];
  const { items } = events.reduce(withEvent, waitingAnswer);
  expect(items).toEqual([{ ...call, arguments: '{"a":1}' }]);
});
