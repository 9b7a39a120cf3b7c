import { z } from "zod";
import type { ToolDefinition } from "../../core/generation-request.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, text } from "../../validation/fields.js";

const MAX_SKILLS = 1_000;

/** Types of the tools that clients run, and whose input OpenAI publishes. */
export const PUBLISHED_TYPES = ["local_shell", "shell", "apply_patch"] as const;
export type PublishedType = (typeof PUBLISHED_TYPES)[number];

/** Where the commands of a shell run: on the client, or in a container of OpenAI. */
const shellEnvironment = z.discriminatedUnion(
  "type",
  [
    z.looseObject({
      type: z.literal("local"),
      skills: boundedArray(
        z.array(z.looseObject({ name: nonEmptyText(), description: text(), path: text() }), {
          error: "expected an array of skills",
        }),
        { max: MAX_SKILLS, of: "skills" },
      )
        .nullish()
        .meta({ description: "Folders with instructions, which are listed for the model." }),
    }),
    z.looseObject({ type: z.enum(["container_auto", "container_reference"]) }),
  ],
  {
    error: ({ input }) =>
      typeof input === "object" && input !== null
        ? "expected one of local, container_auto, container_reference"
        : "expected an object",
  },
);

export const localShellTool = z.looseObject({ type: z.literal("local_shell") }).meta({
  id: "ResponseLocalShellTool",
  description: "Runs a program on the client. Calls are `local_shell_call` items.",
});

export const shellTool = z
  .looseObject({
    type: z.literal("shell"),
    environment: shellEnvironment.nullish().meta({
      description: "Default: `local`. A tool with a container is a hosted tool.",
    }),
  })
  .meta({
    id: "ResponseShellTool",
    description: "Runs shell commands on the client. Calls are `shell_call` items.",
  });

export const applyPatchTool = z.looseObject({ type: z.literal("apply_patch") }).meta({
  id: "ResponseApplyPatchTool",
  description: "Changes files on the client. Calls are `apply_patch_call` items.",
});

export type ShellTool = z.output<typeof shellTool>;
type PublishedTool = z.output<typeof localShellTool | typeof applyPatchTool> | ShellTool;

type Environment = NonNullable<ShellTool["environment"]>;

/** Shell whose commands run in a container of OpenAI. */
export type ContainerShell = ShellTool & {
  readonly environment: Exclude<Environment, { readonly type: "local" }>;
};

export function isContainerShell(tool: ShellTool): tool is ContainerShell {
  return (tool.environment?.type ?? "local") !== "local";
}

export function isPublishedType(type: string): type is PublishedType {
  return PUBLISHED_TYPES.some((known) => known === type);
}

const TEXT = { type: "string" };
const INTEGER = { type: "integer", minimum: 0 };

function described(schema: object, description: string): object {
  return { ...schema, description };
}

const timeout = described(INTEGER, "Time limit in milliseconds.");

/** Parameters of each tool: the members of its call's `action` or `operation`. */
const PARAMETERS: Readonly<Record<PublishedType, { properties: object; required: string[] }>> = {
  local_shell: {
    properties: {
      command: described(
        { type: "array", items: TEXT, minItems: 1 },
        'The program and its arguments, such as ["ls", "-l"]. No shell interprets them.',
      ),
      env: described(
        { type: "object", additionalProperties: TEXT },
        "Environment variables of the program.",
      ),
      timeout_ms: timeout,
      working_directory: described(TEXT, "Folder to run the program in."),
      user: described(TEXT, "User to run the program as."),
    },
    required: ["command"],
  },
  shell: {
    properties: {
      commands: described({ type: "array", items: TEXT, minItems: 1 }, "Shell commands to run."),
      timeout_ms: timeout,
      max_output_length: described(INTEGER, "Maximum characters of output to return."),
    },
    required: ["commands"],
  },
  apply_patch: {
    properties: {
      type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
      path: described(TEXT, "Path of the file, relative to the workspace."),
      diff: described(
        TEXT,
        "Lines that begin with + (added), - (removed) or a space (unchanged context), in sections that begin with @@. A new file has only lines with +. Empty for delete_file.",
      ),
    },
    required: ["type", "path", "diff"],
  },
};

/** Defines a published tool for the model. */
export function toPublishedDefinition(tool: PublishedTool, field: string): ToolDefinition {
  return {
    name: tool.type,
    description: describeTool(tool),
    parameters: { type: "object", ...PARAMETERS[tool.type], additionalProperties: false },
    parametersField: `${field}.type`,
    // A call must have the members of its item.
    strict: true,
  };
}

function describeTool(tool: PublishedTool): string {
  switch (tool.type) {
    case "local_shell":
      return "Runs a program on the user's machine and returns its output.";
    case "shell":
      return ["Runs shell commands on the user's machine and returns their output."]
        .concat(describeSkills(tool))
        .join("\n");
    case "apply_patch":
      return "Creates, updates or deletes a file in the user's workspace.";
  }
}

function describeSkills({ environment }: ShellTool): readonly string[] {
  if (environment?.type !== "local") return [];
  const skills = environment.skills ?? [];
  if (skills.length === 0) return [];
  return [
    "Folders with a file SKILL.md, which has instructions for a kind of task:",
    ...skills.map(({ name, description, path }) => `- ${path} (${name}): ${description}`),
  ];
}
