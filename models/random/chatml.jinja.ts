/**
 * A chat template in ChatML format: each message is enclosed in `<|im_start|>role` and `<|im_end|>`.
 * Tools are listed as JSON lines in the system message; the assistant calls one inside `<tool_call>`
 * tags, and its result is passed as a message with the role `tool`.
 *
 * Variables: `messages` (role, content, and tool_calls of the assistant), `tools` (optional),
 * `add_generation_prompt` (opens the next assistant message).
 */
export const chatmlTemplate = String.raw`{%- if tools %}
{{- "<|im_start|>system\n" }}
{%- if messages[0].role == "system" %}
{{- messages[0].content + "\n\n" }}
{%- endif %}
{{- "You may call these functions, described by one JSON object a line:\n<tools>\n" }}
{%- for tool in tools %}
{{- tool | tojson }}
{{- "\n" }}
{%- endfor %}
{{- "</tools>\nTo call one, answer with its name and its arguments as JSON:\n" }}
{{- '<tool_call>\n{"name": "...", "arguments": {...}}\n</tool_call><|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{%- if not (tools and loop.first and message.role == "system") %}
{{- "<|im_start|>" + message.role + "\n" }}
{%- if message.content %}
{{- message.content }}
{%- endif %}
{%- if message.tool_calls %}
{%- for call in message.tool_calls %}
{%- if message.content or not loop.first %}
{{- "\n" }}
{%- endif %}
{%- set target = call.function if call.function else call %}
{{- '<tool_call>\n{"name": ' + (target.name | tojson) + ', "arguments": ' }}
{%- if target.arguments is string %}
{{- target.arguments }}
{%- else %}
{{- target.arguments | tojson }}
{%- endif %}
{{- "}\n</tool_call>" }}
{%- endfor %}
{%- endif %}
{{- "<|im_end|>\n" }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- "<|im_start|>assistant\n" }}
{%- endif %}
`;
