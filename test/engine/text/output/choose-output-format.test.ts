import { describe, expect, it } from "vitest";
import { StartupError } from "../../../../src/core/startup-error.js";
import { chooseOutputFormat } from "../../../../src/engine/text/output/choose-output-format.js";
import { CHATML_TEMPLATE, ChatTemplate } from "../../../../src/engine/text/prompt/chat-template.js";

const open = (source: string) => new ChatTemplate(source, { bosToken: "", eosToken: "" });
const withoutTools = open(CHATML_TEMPLATE);
const callsIn = (marks: string) =>
  open(`{{ tools | tojson }}{% for message in messages %}[{{ message.role }}]{{ message.content }}
    {%- for call in message.tool_calls %}${marks}{% endfor %}{% endfor %}[assistant]`);
const HERMES = `<tool_call>{"name": "{{ call.function.name }}", "arguments":
  {{- call.function.arguments | tojson }}}</tool_call>`;
const UNKNOWN = "((call {{ call.function.name }} {{ call.function.arguments | tojson }}))";

describe("the output format of a model", () => {
  it("is the format that its template uses", () => {
    expect(chooseOutputFormat(callsIn(HERMES), "auto")).toEqual({
      convention: "hermes",
      reasoning: "think",
    });
  });

  it.each([
    ["lists no tools", withoutTools],
    ["writes calls in an unknown convention", callsIn(UNKNOWN)],
  ])("is generic if its template %s", (_, template) => {
    expect(chooseOutputFormat(template, "auto").convention).toBe("generic");
  });

  it("is the configured format, with the reasoning format of the template", () => {
    const template = open(
      "{{ tools | tojson }}{% for message in messages %}{{ message.content }}{% endfor %}[THINK]",
    );
    expect(chooseOutputFormat(template, "glm")).toEqual({
      convention: "glm",
      reasoning: "think-brackets",
    });
  });

  it("can be generic for any template", () => {
    expect(chooseOutputFormat(callsIn(HERMES), "generic").convention).toBe("generic");
    expect(chooseOutputFormat(withoutTools, "generic").convention).toBe("generic");
  });

  it("must be generic if the prompt describes the generic format", () => {
    expect(() => chooseOutputFormat(withoutTools, "hermes")).toThrow(
      new StartupError(
        "--tool-format hermes: expected auto or generic, because the model's chat template lists no tools",
      ),
    );
  });
});
