import { z } from "zod";
import { nullableWhereOptional } from "../nulls.js";
import { inputItems } from "./item-schema.js";
import { metadata } from "./schema.js";

/** The body of `POST /v1/conversations`. Nulls, which mean absent, have been removed. */
export const newConversation = z
  .looseObject(
    { items: inputItems.optional(), metadata: metadata.optional() },
    { error: "expected a JSON object" },
  )
  .meta({ id: "NewConversation", override: nullableWhereOptional });

/** The body of `POST /v1/conversations/{id}`. Nulls have been removed. */
export const conversationChange = z
  .looseObject({ metadata: metadata.optional() }, { error: "expected a JSON object" })
  .meta({ id: "ConversationChange", override: nullableWhereOptional });

/** The body of `POST /v1/conversations/{id}/items`. */
export const newItems = z
  .looseObject({ items: inputItems }, { error: "expected a JSON object" })
  .meta({ id: "NewConversationItems" });
