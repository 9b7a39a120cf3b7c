/** Maximum length of the id of a conversation whose streams can be resumed. */
export const MAX_CONVERSATION_ID_CHARACTERS = 512;
