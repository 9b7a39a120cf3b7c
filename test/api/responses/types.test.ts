import type { Conversation, ConversationItemList } from "openai/resources/conversations";
import type { ResponseItemList } from "openai/resources/responses/input-items";
import type { InputTokenCountResponse } from "openai/resources/responses/input-tokens";
import type {
  Response,
  ResponseItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { describe, expectTypeOf, it } from "vitest";
import type { InputTokenCount } from "../../../src/api/fields/usage.js";
import type { ResponseEvent } from "../../../src/api/responses/event-schema.js";
import type { OutputItem, StoredItem } from "../../../src/api/responses/item-schema.js";
import type {
  ConversationObject,
  ItemList,
  ResponseObject,
} from "../../../src/api/responses/response-schema.js";

/** The SDK adds `output_text` to responses. */
type Received<Value> = Value extends { output_text: string } ? Omit<Value, "output_text"> : Value;
type ReceivedEvent<Event> = Event extends { response: infer Whole }
  ? Omit<Event, "response"> & { response: Received<Whole> }
  : Event;

/** Audio of messages is an extension: the SDK declares the part, but in no message. */
type WithoutAudio<Value> = Value extends { type: "input_audio" }
  ? never
  : Value extends readonly (infer Entry)[]
    ? WithoutAudio<Entry>[]
    : Value extends object
      ? { [Key in keyof Value]: WithoutAudio<Value[Key]> }
      : Value;

describe("the described response types of the Responses API", () => {
  it("extend the OpenAI SDK's types", () => {
    expectTypeOf<ResponseObject>().toExtend<Received<Response>>();
    expectTypeOf<OutputItem>().toExtend<ResponseOutputItem>();
    expectTypeOf<WithoutAudio<StoredItem>>().toExtend<ResponseItem>();
    expectTypeOf<WithoutAudio<ItemList>>().toExtend<ResponseItemList>();
    expectTypeOf<InputTokenCount>().toExtend<InputTokenCountResponse>();
    expectTypeOf<ResponseEvent>().toExtend<ReceivedEvent<ResponseStreamEvent>>();
    expectTypeOf<ConversationObject>().toExtend<Conversation>();
  });

  it("include conversation items that extend the OpenAI SDK's types", () => {
    type Known = Exclude<ItemList["data"][number], { type: "reasoning" }>;
    expectTypeOf<WithoutAudio<Known>>().toExtend<ConversationItemList["data"][number]>();
  });
});
