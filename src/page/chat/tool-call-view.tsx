import { useId } from "preact/hooks";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { isShownImage } from "../attachments/attachment.js";
import { PlayButton } from "../attachments/play-button.js";
import { CodeBlock } from "../markdown/code-block.js";
import { Notice } from "../parts/notice.js";
import { submitOnEnter } from "../parts/submit-on-enter.js";
import { useAction } from "../parts/use-action.js";
import { useKeptText } from "../parts/use-kept-text.js";
import { mayWrite } from "../session.js";
import { indentJson } from "./indent-json.js";
import { answerCall } from "./thread.js";
import { type CallOutput, fileNameOf, type ToolCall } from "./turns.js";

interface ToolCallViewProps {
  readonly conversation: ConversationObject;
  readonly call: ToolCall;
  /** Output of the call; absent: none yet. */
  readonly output: CallOutput | undefined;
  readonly isStreaming: boolean;
}

/** A tool call: its arguments, and its output or a field to enter it. */
export function ToolCallView({ conversation, call, output, isStreaming }: ToolCallViewProps) {
  const name = call.namespace === undefined ? call.name : `${call.namespace}.${call.name}`;
  return (
    <section class="tool-call" aria-label={`Tool call: ${name}`}>
      <details open>
        <summary>
          Tool call: <code>{name}</code>
        </summary>
        {call.type === "function_call" ? (
          <CodeBlock code={indentJson(call.arguments)} language="json" />
        ) : (
          <CodeBlock code={call.input} language="" />
        )}
      </details>
      {output !== undefined && (
        <details open>
          <summary>Result</summary>
          <OutputView output={output.output} />
        </details>
      )}
      {output === undefined && !isStreaming && mayWrite() && (
        <ResultForm conversation={conversation} call={call} />
      )}
    </section>
  );
}

function OutputView({ output }: { readonly output: CallOutput["output"] }) {
  if (typeof output === "string") return <CodeBlock code={indentJson(output)} language="json" />;
  return (
    <>
      {output.map((part, index) => {
        if (part.type === "input_text") {
          return <CodeBlock key={index} code={part.text} language="" />;
        }
        if (part.type === "input_file") {
          return <code key={index}>{fileNameOf(part)}</code>;
        }
        if (part.type === "input_audio") {
          return <PlayButton key={index} name={`audio ${index + 1}`} audio={part.input_audio} />;
        }
        return isShownImage(part.image_url) ? (
          <img key={index} src={part.image_url} alt={`Result, part ${index + 1}`} />
        ) : (
          <code key={index}>{part.image_url}</code>
        );
      })}
    </>
  );
}

function ResultForm({ conversation, call }: Pick<ToolCallViewProps, "conversation" | "call">) {
  const id = useId();
  const { text, set, discard } = useKeptText(`result:${call.id}`);
  const action = useAction();
  return (
    <form
      class="result-form"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(async () => {
          await answerCall(conversation, call, text);
          discard();
        });
      }}
    >
      <label for={id}>Tool result</label>
      <textarea
        id={id}
        rows={2}
        value={text}
        onInput={({ currentTarget }) => set(currentTarget.value)}
        onKeyDown={submitOnEnter}
      />
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
      <button type="submit">Send result</button>
    </form>
  );
}
