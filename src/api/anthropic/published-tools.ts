import type { ToolDefinition } from "../../core/generation-request.js";

/** Fields of a request's tool that its published definition depends on. */
interface ToolFields {
  readonly type?: string | null | undefined;
  readonly display_width_px?: number | null | undefined;
  readonly display_height_px?: number | null | undefined;
  readonly enable_zoom?: boolean | null | undefined;
  readonly max_characters?: number | null | undefined;
}

type Definition = Required<Pick<ToolDefinition, "description" | "parameters">>;

/** Tool that clients run, and whose input Anthropic publishes: requests have no schema of it. */
interface PublishedTool {
  /** Value of `type`, for each version with this input. */
  readonly types: readonly string[];
  /** Name under which clients expect the calls. */
  readonly name: string;
  /** Fields of the tool that a request must have. */
  readonly needs: readonly ("display_width_px" | "display_height_px")[];
  readonly define: (fields: ToolFields) => Definition;
}

const TEXT = { type: "string" };
const INTEGER = { type: "integer" };
const COORDINATE = { type: "array", items: INTEGER, minItems: 2, maxItems: 2 };

function described(schema: object, description: string): object {
  return { ...schema, description };
}

function objectWith(
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
): Definition["parameters"] {
  return { type: "object", properties, required, additionalProperties: false };
}

function defineBash(): Definition {
  return {
    description:
      "Runs a command in a bash session. The session keeps its state, such as the working directory and variables, between calls.",
    parameters: {
      ...objectWith(
        {
          command: described(TEXT, "Command to run. Required unless `restart` is true."),
          restart: described({ type: "boolean" }, "True restarts the session."),
        },
        [],
      ),
      // A call has one of them.
      minProperties: 1,
    },
  };
}

/** Parameters of the commands that view and edit files. */
const editing = {
  file_text: described(TEXT, "Content of the new file; required by `create`."),
  old_str: described(
    TEXT,
    "Text to replace, which must occur exactly once; required by `str_replace`.",
  ),
  insert_line: described(
    INTEGER,
    "Line after which text is inserted, 0 for the beginning; required by `insert`.",
  ),
  view_range: described(
    COORDINATE,
    "First and last line to show with `view`, from 1; -1 as the last line stands for the end.",
  ),
};

/** @param insertedText the parameter with the text that `insert` inserts */
function defineEditor(
  { max_characters: max }: ToolFields,
  commands: readonly string[],
  insertedText: "new_str" | "insert_text",
): Definition {
  const replacement = "Text to insert instead of `old_str`, with `str_replace`.";
  const inserted = "Text to insert; required by `insert`.";
  return {
    description: `Views, creates and edits text files. \`view\` shows a file with line numbers${max ? `, up to ${max} characters` : ""}, or lists a directory.`,
    parameters: objectWith(
      {
        command: { type: "string", enum: commands },
        path: described(TEXT, "Absolute path of the file or directory."),
        ...editing,
        ...(insertedText === "new_str"
          ? { new_str: described(TEXT, `${replacement} ${inserted}`) }
          : {
              new_str: described(TEXT, replacement),
              insert_text: described(TEXT, inserted),
            }),
      },
      ["command", "path"],
    ),
  };
}

function defineMemory(): Definition {
  return {
    description:
      "Reads and changes files in the directory /memories, which persist between conversations. View it before starting a task, and record progress in it.",
    parameters: objectWith(
      {
        command: {
          type: "string",
          enum: ["view", "create", "str_replace", "insert", "delete", "rename"],
        },
        path: described(TEXT, "Path under /memories; required by all commands except `rename`."),
        ...editing,
        new_str: described(TEXT, "Text to insert instead of `old_str`, with `str_replace`."),
        insert_text: described(TEXT, "Text to insert; required by `insert`."),
        old_path: described(TEXT, "Current path; required by `rename`."),
        new_path: described(TEXT, "New path; required by `rename`."),
      },
      ["command"],
    ),
  };
}

const FIRST_ACTIONS = [
  ...["key", "type", "mouse_move", "left_click", "left_click_drag", "right_click"],
  ...["middle_click", "double_click", "screenshot", "cursor_position"],
];
const MORE_ACTIONS = [
  ...["hold_key", "left_mouse_down", "left_mouse_up", "triple_click", "scroll", "wait"],
];

function defineComputer(
  { display_width_px: width, display_height_px: height }: ToolFields,
  actions: readonly string[],
  more: Readonly<Record<string, object>> = {},
): Definition {
  return {
    description: `Controls the mouse and keyboard of a screen of ${width} by ${height} pixels, and takes screenshots of it. Coordinates are [x, y] in pixels from the top left corner.`,
    parameters: objectWith(
      {
        action: { type: "string", enum: actions },
        coordinate: described(COORDINATE, "Where to click, move, drag to or scroll."),
        text: described(
          TEXT,
          "Text to type with `type`, or keys such as `Return` or `ctrl+s` with `key`.",
        ),
        ...more,
      },
      ["action"],
    ),
  };
}

/** Parameters of the actions since January 2025. */
const moreOfComputer = {
  start_coordinate: described(COORDINATE, "Where `left_click_drag` begins."),
  scroll_direction: { type: "string", enum: ["up", "down", "left", "right"] },
  scroll_amount: described(INTEGER, "Number of clicks of the wheel, with `scroll`."),
  duration: described({ type: "number" }, "Seconds to `wait`, or to hold keys with `hold_key`."),
};

const region = described(
  { type: "array", items: INTEGER, minItems: 4, maxItems: 4 },
  "Part of the screen to show enlarged with `zoom`: [x1, y1, x2, y2].",
);

const EDITOR_COMMANDS = ["view", "create", "str_replace", "insert"];
const SCREEN = ["display_width_px", "display_height_px"] as const;

const PUBLISHED_TOOLS: readonly PublishedTool[] = [
  {
    types: ["bash_20241022", "bash_20250124"],
    name: "bash",
    needs: [],
    define: defineBash,
  },
  {
    types: ["text_editor_20241022", "text_editor_20250124"],
    name: "str_replace_editor",
    needs: [],
    define: (fields) => defineEditor(fields, [...EDITOR_COMMANDS, "undo_edit"], "new_str"),
  },
  {
    types: ["text_editor_20250429", "text_editor_20250728"],
    name: "str_replace_based_edit_tool",
    needs: [],
    define: (fields) => defineEditor(fields, EDITOR_COMMANDS, "insert_text"),
  },
  {
    types: ["memory_20250818"],
    name: "memory",
    needs: [],
    define: defineMemory,
  },
  {
    types: ["computer_20241022"],
    name: "computer",
    needs: SCREEN,
    define: (fields) => defineComputer(fields, FIRST_ACTIONS),
  },
  {
    types: ["computer_20250124"],
    name: "computer",
    needs: SCREEN,
    define: (fields) => defineComputer(fields, [...FIRST_ACTIONS, ...MORE_ACTIONS], moreOfComputer),
  },
  {
    types: ["computer_20251124"],
    name: "computer",
    needs: SCREEN,
    define: (fields) =>
      fields.enable_zoom
        ? defineComputer(fields, [...FIRST_ACTIONS, ...MORE_ACTIONS, "zoom"], {
            ...moreOfComputer,
            region,
          })
        : defineComputer(fields, [...FIRST_ACTIONS, ...MORE_ACTIONS], moreOfComputer),
  },
];

/** Types of the tools whose input Anthropic publishes, and which clients run. */
export const PUBLISHED_TYPES: readonly string[] = PUBLISHED_TOOLS.flatMap(({ types }) => types);

/** Finds the tool of a type; `undefined`: requests define its input. */
export function findPublishedTool(type: string | null | undefined): PublishedTool | undefined {
  return PUBLISHED_TOOLS.find(({ types }) => types.some((known) => known === type));
}
