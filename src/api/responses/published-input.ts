import assert from "node:assert/strict";
import { z } from "zod";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, oneOf, text } from "../../validation/fields.js";
import { createId } from "./create-id.js";
import { CALL_PREFIXES, type PublishedCall, type PublishedOutput } from "./published-calls.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Far above typical requests, and validated within milliseconds. */
const MAX_COMMANDS = 1_000;
const MAX_VARIABLES = 1_000;
const MAX_OUTPUTS = 1_000;

const itemId = nonEmptyText().nullish();
const callId = nonEmptyText();
const outputCallId = nonEmptyText().meta({ description: "The `call_id` of an earlier call." });
const limit = integerBetween(0, UNBOUNDED).nullish();

function texts(of: string) {
  return boundedArray(z.array(text(), { error: "expected an array of strings" }), {
    max: MAX_COMMANDS,
    of,
  });
}

const localShellCall = z
  .looseObject({
    type: z.literal("local_shell_call"),
    id: itemId,
    call_id: callId,
    action: z.looseObject(
      {
        type: oneOf(["exec"]).nullish(),
        command: texts("arguments"),
        env: boundedRecord(z.record(z.string(), text(), { error: "expected an object" }), {
          max: MAX_VARIABLES,
          of: "variables",
        }).nullish(),
        timeout_ms: limit,
        working_directory: text().nullish(),
        user: text().nullish(),
      },
      { error: "expected an object" },
    ),
  })
  .meta({
    id: "ResponseEarlierLocalShellCall",
    description: "An earlier local shell call of the assistant.",
  });

const localShellCallOutput = z
  .looseObject({
    type: z.literal("local_shell_call_output"),
    id: itemId.meta({ description: "Without `call_id`: the `call_id` of an earlier call." }),
    call_id: outputCallId.nullish(),
    output: text(),
  })
  .refine(({ id, call_id }) => Boolean(call_id ?? id), {
    path: ["call_id"],
    error: "expected the call_id of an earlier call",
  })
  .meta({ id: "ResponseLocalShellOutput", description: "The result of a local shell call." });

const shellCall = z
  .looseObject({
    type: z.literal("shell_call"),
    id: itemId,
    call_id: callId,
    action: z.looseObject(
      { commands: texts("commands"), timeout_ms: limit, max_output_length: limit },
      { error: "expected an object" },
    ),
  })
  .meta({ id: "ResponseEarlierShellCall", description: "An earlier shell call of the assistant." });

const shellOutcome = z.discriminatedUnion(
  "type",
  [
    z.looseObject({
      type: z.literal("exit"),
      exit_code: integerBetween(Number.NEGATIVE_INFINITY, UNBOUNDED),
    }),
    z.looseObject({ type: z.literal("timeout") }),
  ],
  {
    error: ({ input }) =>
      typeof input === "object" && input !== null
        ? "expected one of exit, timeout"
        : "expected an object",
  },
);

const shellCallOutput = z
  .looseObject({
    type: z.literal("shell_call_output"),
    id: itemId,
    call_id: outputCallId,
    max_output_length: limit,
    output: boundedArray(
      z.array(
        z.looseObject(
          { stdout: text(), stderr: text(), outcome: shellOutcome },
          { error: "expected an object" },
        ),
        { error: "expected an array of outputs" },
      ),
      { max: MAX_OUTPUTS, of: "outputs" },
    ),
  })
  .meta({ id: "ResponseShellOutput", description: "The results of the commands of a shell call." });

const applyPatchCall = z
  .looseObject({
    type: z.literal("apply_patch_call"),
    id: itemId,
    call_id: callId,
    operation: z.discriminatedUnion(
      "type",
      [
        z.looseObject({
          type: z.enum(["create_file", "update_file"]),
          path: nonEmptyText(),
          diff: text(),
        }),
        z.looseObject({ type: z.literal("delete_file"), path: nonEmptyText() }),
      ],
      {
        error: ({ input }) =>
          typeof input === "object" && input !== null
            ? "expected one of create_file, update_file, delete_file"
            : "expected an object",
      },
    ),
  })
  .meta({
    id: "ResponseEarlierPatchCall",
    description: "An earlier apply-patch call of the assistant.",
  });

const applyPatchCallOutput = z
  .looseObject({
    type: z.literal("apply_patch_call_output"),
    id: itemId,
    call_id: outputCallId,
    status: oneOf(["completed", "failed"]),
    output: text().nullish(),
  })
  .meta({ id: "ResponsePatchOutput", description: "The result of an apply-patch call." });

/** Input items for calls of published tools, and for their results. */
export const publishedItems = [
  localShellCall,
  localShellCallOutput,
  shellCall,
  shellCallOutput,
  applyPatchCall,
  applyPatchCallOutput,
] as const;

type PublishedInput = z.output<(typeof publishedItems)[number]>;

/** Translates an input item to a storable one, with an id. */
export function toPublishedItem(item: PublishedInput): PublishedCall | PublishedOutput {
  switch (item.type) {
    case "local_shell_call": {
      const { command, env, timeout_ms, working_directory, user } = item.action;
      return {
        type: item.type,
        id: item.id ?? createId(CALL_PREFIXES.local_shell),
        call_id: item.call_id,
        action: {
          type: "exec",
          command,
          env: env ?? {},
          ...(typeof timeout_ms === "number" && { timeout_ms }),
          ...(working_directory && { working_directory }),
          ...(user && { user }),
        },
        status: "completed",
      };
    }
    case "local_shell_call_output": {
      const { type, id, call_id, output } = item;
      const ownId = call_id ? id : undefined;
      // OpenAI's types have no `call_id` here: `id` is the one of the call.
      const calledId = call_id ?? id;
      assert(calledId, "an output without either id is refused");
      return {
        type,
        id: ownId ?? createId("lsho"),
        call_id: calledId,
        output,
        status: "completed",
      };
    }
    case "shell_call": {
      const { commands, timeout_ms, max_output_length } = item.action;
      return {
        type: item.type,
        id: item.id ?? createId(CALL_PREFIXES.shell),
        call_id: item.call_id,
        action: {
          commands,
          timeout_ms: timeout_ms ?? null,
          max_output_length: max_output_length ?? null,
        },
        environment: { type: "local" },
        status: "completed",
      };
    }
    case "shell_call_output":
      return {
        type: item.type,
        id: item.id ?? createId("sho"),
        call_id: item.call_id,
        max_output_length: item.max_output_length ?? null,
        output: item.output.map(({ stdout, stderr, outcome }) => ({
          stdout,
          stderr,
          outcome:
            outcome.type === "exit"
              ? { type: outcome.type, exit_code: outcome.exit_code }
              : { type: outcome.type },
        })),
        status: "completed",
      };
    case "apply_patch_call": {
      const { operation } = item;
      const { path } = operation;
      return {
        type: item.type,
        id: item.id ?? createId(CALL_PREFIXES.apply_patch),
        call_id: item.call_id,
        operation:
          operation.type === "delete_file"
            ? { type: operation.type, path }
            : { type: operation.type, path, diff: operation.diff },
        status: "completed",
      };
    }
    case "apply_patch_call_output": {
      const { type, id, call_id, status, output } = item;
      return {
        type,
        id: id ?? createId("apco"),
        call_id,
        ...(output && { output }),
        status,
      };
    }
  }
}
