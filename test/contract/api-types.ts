/** Written by `npm run openapi` from docs/openapi.json. */

export interface paths {
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a conversation
         * @description Answers a conversation, at once or as a stream. Takes OpenAI's requests. A parameter that this server does not support
         *     is rejected with an error that names it, unless its value changes nothing: samplers that the engine does
         *     not have (`mirostat`, `typical_p`), and parameters for images and audio.
         */
        post: operations["createChatCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions/input_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count what a completion would be generated from
         * @description Renders and tokenises a conversation, and generates nothing.
         */
        post: operations["countChatTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the models */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe one model */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue texts
         * @description Continues one or several prompts as they are, without the model's chat template: all that is generated is text. Names of control
         *     tokens in a prompt are these tokens. Several prompts run at once, and their completions have indexes one after the other. Streams are
         *     server-sent events, as those of chat completions. With `echo` and `logprobs`, log-probabilities are those of the prompt's tokens as well, with
         *     `max_tokens: 0` of them alone.
         */
        post: operations["createCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/infill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fill a gap
         * @description Fills the gap between two texts, as llama.cpp's plugins for editors ask for it, where the model has tokens for that. The answer has
         *     llama-server's fields that these plugins read. `t_max_predict_ms` and `t_max_prompt_ms` are ignored. Streams are server-sent events;
         *     the last one has `stop: true`.
         */
        post: operations["infill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/completion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue texts, for llama.cpp's clients
         * @description Continues one or several prompts as they are, without the model's chat template, as llama-server does: with its parameters and its
         *     answers. Streams are server-sent events; the last one of each answer has `stop: true`.
         */
        post: operations["complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The same as `/completion`
         * @description Continues one or several prompts as they are, without the model's chat template, as llama-server does: with its parameters and its
         *     answers. Streams are server-sent events; the last one of each answer has `stop: true`.
         */
        post: operations["completeToo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/props": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe the server, for llama.cpp's clients */
        get: operations["getProps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/slots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell what each slot is doing, for llama.cpp's clients */
        get: operations["getSlots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/slots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save, restore or erase what a slot holds, for llama.cpp's clients
         * @description Only where the server was started with `--slot-save-path`. A generation that has the slot ends before.
         */
        post: operations["commandSlot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokenize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tokenise a text
         * @description With `content` as llama-server does, with `prompt` as vLLM does.
         */
        post: operations["tokenize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/detokenize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The text of tokens
         * @description Bytes that are no text become replacement characters.
         */
        post: operations["detokenize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apply-template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a conversation
         * @description The prompt that the model's chat template makes of a chat completion request. Texts that look like control tokens are in it as the client wrote them: a completion of this conversation does not read them as such.
         */
        post: operations["applyTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create embeddings
         * @description Vectors of unit length by an embedding model (`--embedding-model`, or as `--model`). Instructions that a model expects in front of a text are the client's.
         */
        post: operations["createEmbeddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/embedding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create embeddings, for llama.cpp's clients
         * @description Vectors of unit length, in the form of llama-server's answers.
         */
        post: operations["embed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The same as `/embedding`
         * @description Vectors of unit length, in the form of llama-server's answers.
         */
        post: operations["embedToo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rerank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rank documents by a query
         * @description Scores by a reranking model (`--reranking-model`, or as `--model`), as Jina and Cohere answer; a request with `texts` instead of `documents` is answered as TEI does.
         */
        post: operations["createRanking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/rerank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rank documents by a query
         * @description Scores by a reranking model (`--reranking-model`, or as `--model`), as Jina and Cohere answer; a request with `texts` instead of `documents` is answered as TEI does.
         */
        post: operations["createRankingByCohere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rerank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rank documents by a query
         * @description Scores by a reranking model (`--reranking-model`, or as `--model`), as Jina and Cohere answer; a request with `texts` instead of `documents` is answered as TEI does.
         */
        post: operations["createUnversionedRanking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Score pairs of texts
         * @description How much the texts of each pair have to do with each other: by a reranking model, or the cosine of their vectors if an embedding model is named.
         */
        post: operations["createScores"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer, and keep the answer
         * @description Answers text, or items of a conversation, at once or as a stream. The response is stored, in memory, unless `store` is false:
         *     `previous_response_id` goes on with it. What is stored is bounded; what nobody has used for the longest time is dropped first.
         *     Tools are functions; hosted tools are refused. Streams are server-sent events that are named by their type and numbered;
         *     the last one is `response.completed`, `response.incomplete` or `response.failed`.
         */
        post: operations["createResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/input_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count what a response would be generated from
         * @description Renders and tokenises the prompt of a response, and generates nothing.
         */
        post: operations["countInputTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refused: compact a conversation
         * @description This server compacts no conversations.
         */
        post: operations["refuseCompaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find a response */
        get: operations["getResponse"];
        put?: never;
        post?: never;
        /** Delete a response, and end it if it is being generated */
        delete: operations["deleteResponse"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a response in the background */
        post: operations["cancelResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}/input_items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a response was generated from
         * @description All of its conversation, with the items of the responses before it.
         */
        get: operations["listInputItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a conversation */
        post: operations["createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find a conversation */
        get: operations["getConversation"];
        put?: never;
        /** Replace a conversation's metadata */
        post: operations["updateConversation"];
        /** Delete a conversation with its items */
        delete: operations["deleteConversation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the items of a conversation */
        get: operations["listConversationItems"];
        put?: never;
        /** Add items to a conversation */
        post: operations["createConversationItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/items/{item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find an item of a conversation */
        get: operations["getConversationItem"];
        put?: never;
        post?: never;
        /** Delete an item of a conversation */
        delete: operations["deleteConversationItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a conversation, in Anthropic's format
         * @description Takes Anthropic's requests, also those of its beta. Prompts are cached without being asked for: `cache_control` is accepted and changes nothing. Images, documents and tools that run on a server are refused by name.
         */
        post: operations["createMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the tokens of a conversation
         * @description Renders and tokenises the prompt of a message, and generates nothing.
         */
        post: operations["countMessageTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a conversation
         * @description A parameter that this server does not support is rejected with an error that names it, unless its value changes nothing.
         */
        post: operations["createOllamaChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a prompt
         * @description A parameter that this server does not support is rejected with an error that names it, unless its value changes nothing.
         */
        post: operations["createOllamaAnswer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the models */
        get: operations["listOllamaModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the loaded models */
        get: operations["listRunningOllamaModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Describe a model */
        post: operations["showOllamaModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create embeddings */
        post: operations["createOllamaEmbeddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a vector of a text, as older clients ask for it */
        post: operations["createOllamaEmbedding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the version of the server */
        get: operations["getOllamaVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refused: pull
         * @description This server has no store of models.
         */
        post: operations["refuseOllamaPull"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refused: push
         * @description This server has no store of models.
         */
        post: operations["refuseOllamaPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refused: create
         * @description This server has no store of models.
         */
        post: operations["refuseOllamaCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refused: copy
         * @description This server has no store of models.
         */
        post: operations["refuseOllamaCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Refused: delete
         * @description This server has no store of models.
         */
        delete: operations["refuseOllamaDelete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/blobs/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refused: blobs
         * @description This server has no store of models.
         */
        post: operations["refuseOllamaBlobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/todos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List to-do items, page by page
         * @description A cursor stays valid when items are created or deleted between two pages. Unknown and repeated parameters are rejected.
         */
        get: operations["listTodos"];
        put?: never;
        /**
         * Create a to-do item
         * @description With an `Idempotency-Key`, a retry within a day has the response of the first request, even after a restart.
         */
        post: operations["createTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/todos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a to-do item */
        get: operations["getTodo"];
        /**
         * Replace a to-do item
         * @description The fields that the service sets (`id`, `created_at`, `updated_at`) may be included, and are ignored.
         */
        put: operations["replaceTodo"];
        post?: never;
        /** Delete a to-do item */
        delete: operations["deleteTodo"];
        options?: never;
        head?: never;
        /** Change parts of a to-do item */
        patch: operations["updateTodo"];
        trace?: never;
    };
    "/api/todos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all to-do items */
        get: operations["listPlainTodos"];
        put?: never;
        /** Create a to-do item */
        post: operations["createPlainTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/todos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a to-do item */
        delete: operations["deletePlainTodo"];
        options?: never;
        head?: never;
        /** Complete or reopen a to-do item */
        patch: operations["updatePlainTodo"];
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the service index */
        get: operations["getIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check readiness */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check readiness (alias) */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check liveness */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics
         * @description What the server has counted, for Prometheus. The metrics are named in docs/operations.md; new ones may come, and counters begin at 0 when a process is restarted.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description as JSON */
        get: operations["getOpenApiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description as YAML */
        get: operations["getOpenApiYaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description as a page */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the page */
        get: operations["getDocsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/todos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all to-do items (deprecated)
         * @deprecated
         */
        get: operations["listSimplerTodos"];
        put?: never;
        /**
         * Create a to-do item (deprecated)
         * @deprecated
         */
        post: operations["createSimplerTodo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/todos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a to-do item (deprecated)
         * @deprecated
         */
        delete: operations["deleteSimplerTodo"];
        options?: never;
        head?: never;
        /**
         * Complete a to-do item (deprecated)
         * @deprecated
         */
        patch: operations["updateSimplerTodo"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        ChatCompletionRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description The conversation. If the last message is the assistant's, it is continued. */
            messages: components["schemas"]["ChatMessage"][];
            /** @description Whether a final assistant message is continued. Default: it is. */
            continue_final_message?: boolean | null;
            /** @description true: the completion is a new message also behind an assistant message. */
            add_generation_prompt?: boolean | null;
            prediction?: components["schemas"]["Prediction"] | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_completion_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            n_predict?: number | null;
            /** @description Minimum number of tokens before the model or a stop string can end the completion. */
            min_tokens?: number | null;
            /** @description Stop sequences, which are not part of the completion. */
            stop?: (string | string[]) | null;
            /** @description Tokens that end the completion and are not part of it. */
            stop_token_ids?: number[] | null;
            /** @description true: the model cannot end the completion. */
            ignore_eos?: boolean | null;
            /** @description 0: greedy sampling. */
            temperature?: number | null;
            top_p?: number | null;
            /** @description -1 and 0: no limit. */
            top_k?: number | null;
            min_p?: number | null;
            /** @description The same model, prompt, parameters and seed give the same completion. */
            seed?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            repetition_penalty?: number | null;
            /** @description llama.cpp's name of `repetition_penalty`, which takes precedence. */
            repeat_penalty?: number | null;
            /** @description Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all. */
            repeat_last_n?: number | null;
            /** @description DRY: a token that continues a repetition of n tokens loses multiplier × base^(n − allowed length) of its logit. 0: off. */
            dry_multiplier?: number | null;
            /** @description Below 1: the default, 1.75. */
            dry_base?: number | null;
            dry_allowed_length?: number | null;
            /** @description Number of last tokens, prompt included, that are searched for repetitions; 0: none, -1: all. */
            dry_penalty_last_n?: number | null;
            /** @description Texts that end a repetition. */
            dry_sequence_breakers?: string[] | null;
            /** @description XTC: probability that, of the tokens that are as likely as the threshold, only the least likely one is kept. 0: off. */
            xtc_probability?: number | null;
            /** @description Above 0.5: off. */
            xtc_threshold?: number | null;
            /** @description The samplers that are used, in this order: penalties, dry, top_n_sigma, top_k, typ_p, top_p, min_p, xtc, temperature; or their letters. */
            samplers?: (string[] | string) | null;
            /** @description Token ids and the bias that is added to their logits; -100 bans the token. */
            logit_bias?: {
                [key: string]: number;
            } | null;
            response_format?: components["schemas"]["ResponseFormat"] | null;
            /** @description llama.cpp's field: a JSON schema. */
            json_schema?: (boolean | {
                [key: string]: unknown;
            }) | null;
            /** @description llama.cpp's field: a grammar in GBNF. */
            grammar?: string | null;
            structured_outputs?: components["schemas"]["StructuredOutputs"] | null;
            /** @description vLLM's field: a JSON schema. */
            guided_json?: ((boolean | {
                [key: string]: unknown;
            }) | string) | null;
            /** @description vLLM's field: a regular expression for the whole completion. */
            guided_regex?: string | null;
            /** @description vLLM's field: texts, one of which the completion is. */
            guided_choice?: string[] | null;
            /** @description vLLM's field: a grammar in GBNF. */
            guided_grammar?: string | null;
            /** @description Number of choices, which are generated independently of each other. */
            n?: number | null;
            /** @description true: the log-probabilities of the tokens are reported. */
            logprobs?: boolean | null;
            /** @description Number of most probable tokens that are reported for each token. */
            top_logprobs?: number | null;
            tools?: (components["schemas"]["Tool"] | components["schemas"]["CustomTool"])[] | null;
            tool_choice?: components["schemas"]["ToolChoice"] | null;
            /** @description false: the completion ends after its first call. */
            parallel_tool_calls?: boolean | null;
            /**
             * @deprecated
             * @description The older form of tools, and not beside them.
             */
            functions?: components["schemas"]["Function"][] | null;
            /** @description Whether the model may or must call a function, and which. Default: auto, with functions. */
            function_call?: (("none" | "auto") | ({
                name: string;
            } & {
                [key: string]: unknown;
            })) | null;
            /** @description true: each piece of a stream has the timings so far. */
            timings_per_token?: boolean | null;
            /** @description true: a stream begins with how far the prompt is evaluated. */
            return_progress?: boolean | null;
            /** @description true: server-sent events. */
            stream?: boolean | null;
            stream_options?: ({
                /** @description true: a last chunk has the usage. */
                include_usage?: boolean | null;
                /** @description true: every chunk has the usage. */
                continuous_usage_stats?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Of two waiting requests of one caller, the one with the smaller number is first, a step for each second of waiting. Above 0 the requests of other callers are first too, for as many seconds. Default: 0. */
            priority?: number | null;
            /** @description false: all of the prompt is evaluated, and nothing in advance, so that equal requests with a seed get equal answers while nothing else runs. Default: true. */
            cache_prompt?: boolean | null;
            /** @description How much the model is to think, if its chat template reads it. none: not at all. */
            reasoning_effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
            /** @description Maximum number of tokens of reasoning, which is closed then; 0: no reasoning, -1: no limit. */
            reasoning_budget_tokens?: number | null;
            reasoning_budget?: number | null;
            thinking_budget_tokens?: number | null;
            thinking_budget?: number | null;
            thinking_token_budget?: number | null;
            /** @description Text at the end of reasoning that the budget closes. */
            reasoning_budget_message?: string | null;
            /** @description Variables for the model's chat template. */
            chat_template_kwargs?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        ChatMessage: components["schemas"]["PromptMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["ToolMessage"];
        PromptMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "system" | "developer" | "user";
            /** @description Text, or text parts that are joined with a line break. */
            content: string | components["schemas"]["TextPart"][];
            name?: string | null;
        } & {
            [key: string]: unknown;
        };
        TextPart: {
            /** @constant */
            type: "text";
            text: string;
        } & {
            [key: string]: unknown;
        };
        AssistantMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "assistant";
            /** @description Text, or text parts that are joined with a line break. */
            content?: (string | components["schemas"]["TextPart"][]) | null;
            reasoning_content?: string | null;
            tool_calls?: (components["schemas"]["RequestCustomToolCall"] | components["schemas"]["RequestToolCall"])[] | null;
            /**
             * @deprecated
             * @description The older form of tool_calls.
             */
            function_call?: ({
                name: string;
                /** @description JSON in a string. */
                arguments: string;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a custom tool that the assistant made earlier. */
        RequestCustomToolCall: {
            id: string;
            /** @constant */
            type: "custom";
            custom: {
                name: string;
                input: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A call that the assistant made earlier. */
        RequestToolCall: {
            id: string;
            type?: string | null;
            function: {
                name: string;
                /** @description JSON in a string. */
                arguments: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a call. The older form, with the role function, has a name. */
        ToolMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "tool" | "function";
            /** @description Text, or text parts that are joined with a line break. */
            content: string | components["schemas"]["TextPart"][];
            tool_call_id?: string | null;
            name?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Text that much of the completion is expected to repeat. */
        Prediction: {
            /** @constant */
            type: "content";
            /** @description Text, or text parts that are joined with a line break. */
            content: string | components["schemas"]["TextPart"][];
        } & {
            [key: string]: unknown;
        };
        /** @description What the completion must be. Schemas are held exactly, also without strict. */
        ResponseFormat: {
            /** @enum {string} */
            type: "text" | "json_object" | "json_schema";
            json_schema?: ({
                name?: string | null;
                description?: string | null;
                schema?: (boolean | {
                    [key: string]: unknown;
                }) | null;
                strict?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description llama.cpp's place for the schema. */
            schema?: (boolean | {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        /** @description vLLM's field: one of these constraints. */
        StructuredOutputs: {
            json?: ((boolean | {
                [key: string]: unknown;
            }) | string) | null;
            json_object?: boolean | null;
            regex?: string | null;
            choice?: string[] | null;
            grammar?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A function that the model may call. */
        Tool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
            function: {
                name: string;
                description?: string | null;
                /** @description The JSON schema of the arguments. */
                parameters?: {
                    [key: string]: unknown;
                } | null;
                /** @description true: arguments satisfy the schema; a schema that cannot be held is refused. */
                strict?: boolean | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A tool that takes a text instead of arguments. */
        CustomTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
            custom: {
                name: string;
                description?: string | null;
                format?: components["schemas"]["CustomToolFormat"] | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description What the input of a custom tool must be. */
        CustomToolFormat: ({
            /** @constant */
            type: "text";
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "grammar";
            grammar: {
                /** @enum {string} */
                syntax: "lark" | "regex";
                definition: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        });
        /** @description Whether the model may or must call tools, and which. Default: auto. */
        ToolChoice: ("none" | "auto" | "required") | ({
            /** @constant */
            type: "function";
            function: {
                name: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "allowed_tools";
            allowed_tools: {
                /** @enum {string} */
                mode: "auto" | "required";
                tools: (({
                    /** @constant */
                    type: "function";
                    function: {
                        name: string;
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                }) | ({
                    /** @constant */
                    type: "custom";
                    custom: {
                        name: string;
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                }))[];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "custom";
            custom: {
                name: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        });
        /** @description A function that the model may call. */
        Function: {
            name: string;
            description?: string | null;
            /** @description The JSON schema of the arguments. */
            parameters?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. Without a limit a completion has 16 tokens, as OpenAI's. */
        TextCompletionRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description What is continued: a text, token ids, or several of either. */
            prompt: string | string[] | number[] | number[][];
            /** @description The text behind a gap that the completion fills, where the model can. */
            suffix?: string | null;
            /** @description true: the completion begins with the prompt, which is a text. */
            echo?: boolean | null;
            /** @description Number of completions of each prompt. */
            n?: number | null;
            /** @description Of so many completions, the n with the highest log-probability per token are returned. */
            best_of?: number | null;
            /** @description Number of most probable tokens that are reported for each token. */
            logprobs?: number | null;
            /** @description Maximum number of tokens to generate; 0: none, for the log-probabilities of an echoed prompt; -1 for as many as fit. */
            max_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_completion_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            n_predict?: number | null;
            /** @description Minimum number of tokens before the model or a stop string can end the completion. */
            min_tokens?: number | null;
            /** @description Stop sequences, which are not part of the completion. */
            stop?: (string | string[]) | null;
            /** @description Tokens that end the completion and are not part of it. */
            stop_token_ids?: number[] | null;
            /** @description true: the model cannot end the completion. */
            ignore_eos?: boolean | null;
            /** @description 0: greedy sampling. */
            temperature?: number | null;
            top_p?: number | null;
            /** @description -1 and 0: no limit. */
            top_k?: number | null;
            min_p?: number | null;
            /** @description The same model, prompt, parameters and seed give the same completion. */
            seed?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            repetition_penalty?: number | null;
            /** @description llama.cpp's name of `repetition_penalty`, which takes precedence. */
            repeat_penalty?: number | null;
            /** @description Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all. */
            repeat_last_n?: number | null;
            /** @description DRY: a token that continues a repetition of n tokens loses multiplier × base^(n − allowed length) of its logit. 0: off. */
            dry_multiplier?: number | null;
            /** @description Below 1: the default, 1.75. */
            dry_base?: number | null;
            dry_allowed_length?: number | null;
            /** @description Number of last tokens, prompt included, that are searched for repetitions; 0: none, -1: all. */
            dry_penalty_last_n?: number | null;
            /** @description Texts that end a repetition. */
            dry_sequence_breakers?: string[] | null;
            /** @description XTC: probability that, of the tokens that are as likely as the threshold, only the least likely one is kept. 0: off. */
            xtc_probability?: number | null;
            /** @description Above 0.5: off. */
            xtc_threshold?: number | null;
            /** @description The samplers that are used, in this order: penalties, dry, top_n_sigma, top_k, typ_p, top_p, min_p, xtc, temperature; or their letters. */
            samplers?: (string[] | string) | null;
            /** @description Token ids and the bias that is added to their logits; -100 bans the token. */
            logit_bias?: {
                [key: string]: number;
            } | null;
            response_format?: components["schemas"]["ResponseFormat"] | null;
            /** @description llama.cpp's field: a JSON schema. */
            json_schema?: (boolean | {
                [key: string]: unknown;
            }) | null;
            /** @description llama.cpp's field: a grammar in GBNF. */
            grammar?: string | null;
            structured_outputs?: components["schemas"]["StructuredOutputs"] | null;
            /** @description vLLM's field: a JSON schema. */
            guided_json?: ((boolean | {
                [key: string]: unknown;
            }) | string) | null;
            /** @description vLLM's field: a regular expression for the whole completion. */
            guided_regex?: string | null;
            /** @description vLLM's field: texts, one of which the completion is. */
            guided_choice?: string[] | null;
            /** @description vLLM's field: a grammar in GBNF. */
            guided_grammar?: string | null;
            /** @description true: server-sent events. */
            stream?: boolean | null;
            stream_options?: ({
                /** @description true: a last chunk has the usage. */
                include_usage?: boolean | null;
                /** @description true: every chunk has the usage. */
                continuous_usage_stats?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Of two waiting requests of one caller, the one with the smaller number is first, a step for each second of waiting. Above 0 the requests of other callers are first too, for as many seconds. Default: 0. */
            priority?: number | null;
            /** @description false: all of the prompt is evaluated, and nothing in advance, so that equal requests with a seed get equal answers while nothing else runs. Default: true. */
            cache_prompt?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        InfillRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_completion_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1: as many as fit; 0: none, the prompt is evaluated for later requests. Takes precedence over `max_tokens`. */
            n_predict?: number | null;
            /** @description Minimum number of tokens before the model or a stop string can end the completion. */
            min_tokens?: number | null;
            /** @description Stop strings, which are not part of the text; empty ones are ignored. */
            stop?: (string | string[]) | null;
            /** @description Tokens that end the completion and are not part of it. */
            stop_token_ids?: number[] | null;
            /** @description true: the model cannot end the completion. */
            ignore_eos?: boolean | null;
            /** @description 0: greedy sampling. */
            temperature?: number | null;
            top_p?: number | null;
            /** @description -1 and 0: no limit. */
            top_k?: number | null;
            min_p?: number | null;
            /** @description -1 and 4294967295: a random one. */
            seed?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            repetition_penalty?: number | null;
            /** @description llama.cpp's name of `repetition_penalty`, which takes precedence. */
            repeat_penalty?: number | null;
            /** @description Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all. */
            repeat_last_n?: number | null;
            /** @description DRY: a token that continues a repetition of n tokens loses multiplier × base^(n − allowed length) of its logit. 0: off. */
            dry_multiplier?: number | null;
            /** @description Below 1: the default, 1.75. */
            dry_base?: number | null;
            dry_allowed_length?: number | null;
            /** @description Number of last tokens, prompt included, that are searched for repetitions; 0: none, -1: all. */
            dry_penalty_last_n?: number | null;
            /** @description Texts that end a repetition. */
            dry_sequence_breakers?: string[] | null;
            /** @description XTC: probability that, of the tokens that are as likely as the threshold, only the least likely one is kept. 0: off. */
            xtc_probability?: number | null;
            /** @description Above 0.5: off. */
            xtc_threshold?: number | null;
            /** @description The samplers that are used, in this order: penalties, dry, top_n_sigma, top_k, typ_p, top_p, min_p, xtc, temperature; or their letters. */
            samplers?: (string[] | string) | null;
            /** @description Pairs of a token id, or a text for all of its tokens, and the bias that is added to their logits, or an object of them; -100 and false ban a token. */
            logit_bias?: ({
                [key: string]: number | false;
            } | [
                number | string,
                number | false
            ][]) | null;
            response_format?: components["schemas"]["ResponseFormat"] | null;
            /** @description llama.cpp's field: a JSON schema. */
            json_schema?: (boolean | {
                [key: string]: unknown;
            }) | null;
            /** @description llama.cpp's field: a grammar in GBNF. */
            grammar?: string | null;
            structured_outputs?: components["schemas"]["StructuredOutputs"] | null;
            /** @description vLLM's field: a JSON schema. */
            guided_json?: ((boolean | {
                [key: string]: unknown;
            }) | string) | null;
            /** @description vLLM's field: a regular expression for the whole completion. */
            guided_regex?: string | null;
            /** @description vLLM's field: texts, one of which the completion is. */
            guided_choice?: string[] | null;
            /** @description vLLM's field: a grammar in GBNF. */
            guided_grammar?: string | null;
            /** @description false: all of the prompt is evaluated, and nothing in advance, so that equal requests with a seed get equal answers while nothing else runs. Default: true. */
            cache_prompt?: boolean | null;
            /** @description Only these fields of an answer that is not streamed; `timings/prompt_n` is answered as a field of that name. */
            response_fields?: string[] | null;
            /** @description The text before the gap. */
            input_prefix: string;
            /** @description The text behind the gap. */
            input_suffix: string;
            /** @description Other files that belong to it. */
            input_extra?: components["schemas"]["InfillFile"][] | null;
            /** @description What the gap begins with. */
            prompt?: string | null;
            /** @description true: server-sent events. */
            stream?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        InfillFile: {
            filename?: string | null;
            text: string;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        NativeCompletionRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1 for as many as fit. */
            max_completion_tokens?: number | null;
            /** @description Maximum number of tokens to generate; -1: as many as fit; 0: none, the prompt is evaluated for later requests. Takes precedence over `max_tokens`. */
            n_predict?: number | null;
            /** @description Minimum number of tokens before the model or a stop string can end the completion. */
            min_tokens?: number | null;
            /** @description Stop strings, which are not part of the text; empty ones are ignored. */
            stop?: (string | string[]) | null;
            /** @description Tokens that end the completion and are not part of it. */
            stop_token_ids?: number[] | null;
            /** @description true: the model cannot end the completion. */
            ignore_eos?: boolean | null;
            /** @description 0: greedy sampling. */
            temperature?: number | null;
            top_p?: number | null;
            /** @description -1 and 0: no limit. */
            top_k?: number | null;
            min_p?: number | null;
            /** @description -1 and 4294967295: a random one. */
            seed?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            repetition_penalty?: number | null;
            /** @description llama.cpp's name of `repetition_penalty`, which takes precedence. */
            repeat_penalty?: number | null;
            /** @description Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all. */
            repeat_last_n?: number | null;
            /** @description DRY: a token that continues a repetition of n tokens loses multiplier × base^(n − allowed length) of its logit. 0: off. */
            dry_multiplier?: number | null;
            /** @description Below 1: the default, 1.75. */
            dry_base?: number | null;
            dry_allowed_length?: number | null;
            /** @description Number of last tokens, prompt included, that are searched for repetitions; 0: none, -1: all. */
            dry_penalty_last_n?: number | null;
            /** @description Texts that end a repetition. */
            dry_sequence_breakers?: string[] | null;
            /** @description XTC: probability that, of the tokens that are as likely as the threshold, only the least likely one is kept. 0: off. */
            xtc_probability?: number | null;
            /** @description Above 0.5: off. */
            xtc_threshold?: number | null;
            /** @description The samplers that are used, in this order: penalties, dry, top_n_sigma, top_k, typ_p, top_p, min_p, xtc, temperature; or their letters. */
            samplers?: (string[] | string) | null;
            /** @description Pairs of a token id, or a text for all of its tokens, and the bias that is added to their logits, or an object of them; -100 and false ban a token. */
            logit_bias?: ({
                [key: string]: number | false;
            } | [
                number | string,
                number | false
            ][]) | null;
            response_format?: components["schemas"]["ResponseFormat"] | null;
            /** @description llama.cpp's field: a JSON schema. */
            json_schema?: (boolean | {
                [key: string]: unknown;
            }) | null;
            /** @description llama.cpp's field: a grammar in GBNF. */
            grammar?: string | null;
            structured_outputs?: components["schemas"]["StructuredOutputs"] | null;
            /** @description vLLM's field: a JSON schema. */
            guided_json?: ((boolean | {
                [key: string]: unknown;
            }) | string) | null;
            /** @description vLLM's field: a regular expression for the whole completion. */
            guided_regex?: string | null;
            /** @description vLLM's field: texts, one of which the completion is. */
            guided_choice?: string[] | null;
            /** @description vLLM's field: a grammar in GBNF. */
            guided_grammar?: string | null;
            /** @description false: all of the prompt is evaluated, and nothing in advance, so that equal requests with a seed get equal answers while nothing else runs. Default: true. */
            cache_prompt?: boolean | null;
            /** @description Only these fields of an answer that is not streamed; `timings/prompt_n` is answered as a field of that name. */
            response_fields?: string[] | null;
            /** @description What is continued: a text, `{"prompt_string": text}`, or a list with token ids in it. A list of texts only, of such objects, or of lists, are several prompts. */
            prompt: string | ({
                /** @description The text. */
                prompt_string: string;
                multimodal_data?: unknown[];
            } & {
                [key: string]: unknown;
            }) | (string | number)[] | (string | ({
                /** @description The text. */
                prompt_string: string;
                multimodal_data?: unknown[];
            } & {
                [key: string]: unknown;
            }) | (string | number)[])[];
            /** @description Number of answers to each prompt. */
            n_cmpl?: number | null;
            /** @description The same. */
            n?: number | null;
            /** @description true: an answer that is not streamed has the ids of its tokens. */
            return_tokens?: boolean | null;
            /** @description Number of most probable tokens that are reported for each token; 0: none. */
            n_probs?: number | null;
            /** @description true: the tokens of `n_probs` have the probabilities that they were drawn with, behind all sampling parameters, and impossible ones are left out. */
            post_sampling_probs?: boolean | null;
            /** @description The slot that it takes if that is idle, else another one; -1: the one that suits its prompt best. `id_slot` in the answer is the one that it had. */
            id_slot?: number | null;
            /** @description true: each piece of a stream has the timings so far. */
            timings_per_token?: boolean | null;
            /** @description true: a stream begins with how far the prompt is evaluated. */
            return_progress?: boolean | null;
            /** @description true: server-sent events. */
            stream?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        SlotCommand: {
            /** @description Name of the state, in the folder of `--slot-save-path`. */
            filename: string;
        } & {
            [key: string]: unknown;
        };
        TokenizeRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description llama.cpp's name of the text. */
            content?: string | null;
            /** @description vLLM's name of the text. */
            prompt?: string | null;
            /** @description true: as a prompt begins, with a BOS where the model uses one. Default: false. */
            add_special?: boolean | null;
            /** @description The same with `prompt`. Default: true. */
            add_special_tokens?: boolean | null;
            /** @description false: names of control tokens are text. Default: they are these tokens. */
            parse_special?: boolean | null;
            /** @description true: tokens with what they stand for. */
            with_pieces?: boolean | null;
            /** @description true: what the tokens stand for, in `token_strs`. */
            return_token_strs?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        DetokenizeRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            tokens: number[];
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        EmbeddingRequest: {
            /** @description The model's name. Default: the first one of the kind. */
            model?: string | null;
            /** @description What vectors are made of: a text, token ids, or several of either. */
            input: string | string[] | number[] | number[][];
            /** @description base64: of little-endian 32-bit floats. Default: float. */
            encoding_format?: ("float" | "base64") | null;
            /** @description Length of the vectors: so many first components, normalised again. Default: the model's. */
            dimensions?: number | null;
            /** @description What is too long is cut: at its end (true, END) or at its start (START). Default: it is refused (false, NONE). */
            truncate?: (boolean | ("NONE" | "START" | "END")) | null;
            /** @description -1: the same as `truncate: true`, which takes precedence. */
            truncate_prompt_tokens?: -1 | null;
            embd_normalize?: 2 | null;
            normalize?: true | null;
            add_special_tokens?: true | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        NativeEmbeddingRequest: {
            /** @description The model's name. Default: the first one of the kind. */
            model?: string | null;
            /** @description What vectors are made of: a text, token ids, or several of either. */
            content?: (string | string[] | number[] | number[][]) | null;
            /** @description The same as `content`. */
            input?: (string | string[] | number[] | number[][]) | null;
            embd_normalize?: 2 | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        RerankRequest: {
            /** @description The model's name. Default: the first one of the kind. */
            model?: string | null;
            /** @description What documents are ranked by. */
            query: string;
            /** @description Texts, or objects with a text, whose other fields are not read. */
            documents?: (string | ({
                text: string;
            } & {
                [key: string]: unknown;
            }))[] | null;
            /** @description The documents, for an answer in the form of TEI: an array. */
            texts?: string[] | null;
            /** @description Number of results at most. 0, the default: all. */
            top_n?: number | null;
            /** @description true: results have the documents' texts. */
            return_documents?: boolean | null;
            /** @description The same with `texts`. */
            return_text?: boolean | null;
            /** @description Has documents that are too long cut at the model's limit, not before. */
            max_tokens_per_doc?: number | null;
            rank_fields?: "text"[] | null;
            /** @description What is too long is cut: at its end (true, END) or at its start (START). Default: it is refused (false, NONE). */
            truncate?: (boolean | ("NONE" | "START" | "END")) | null;
            /** @description -1: the same as `truncate: true`, which takes precedence. */
            truncate_prompt_tokens?: -1 | null;
            /** @description true: scores as the model computes them. Default: probabilities. */
            raw_scores?: boolean | null;
            /** @description false: the same as `raw_scores: true`. */
            use_activation?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        ScoreRequest: {
            /** @description The model's name. Default: the first one of the kind. */
            model?: string | null;
            /** @description One text, or as many as `text_2` has. */
            text_1: string | string[];
            /** @description What is compared to it, or to each of them. */
            text_2: string | string[];
            /** @description What is too long is cut: at its end (true, END) or at its start (START). Default: it is refused (false, NONE). */
            truncate?: (boolean | ("NONE" | "START" | "END")) | null;
            /** @description -1: the same as `truncate: true`, which takes precedence. */
            truncate_prompt_tokens?: -1 | null;
            /** @description true: scores as the model computes them. Default: probabilities. */
            raw_scores?: boolean | null;
            /** @description false: the same as `raw_scores: true`. */
            use_activation?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        ResponseRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description The user's text, or items: messages, calls, their results, reasoning. */
            input?: (string | components["schemas"]["ResponseInputItem"][]) | null;
            /** @description A system message in front of everything; not part of what is kept. */
            instructions?: string | null;
            /** @description A stored response, whose conversation goes on. */
            previous_response_id?: string | null;
            /** @description A stored conversation, to which input and output are added. */
            conversation?: (string | ({
                id: string;
            } & {
                [key: string]: unknown;
            })) | null;
            tools?: (components["schemas"]["ResponseTool"] | components["schemas"]["ResponseCustomTool"] | components["schemas"]["ResponseToolNamespace"] | components["schemas"]["ResponseHostedTool"])[] | null;
            tool_choice?: components["schemas"]["ResponseToolChoice"] | null;
            /** @description false: the answer ends after its first call. */
            parallel_tool_calls?: boolean | null;
            /** @description Limits calls of hosted tools, of which there are none: without effect. */
            max_tool_calls?: number | null;
            /** @description Maximum number of tokens to generate, reasoning included. */
            max_output_tokens?: number | null;
            /** @description 0: greedy sampling. */
            temperature?: number | null;
            top_p?: number | null;
            /** @description Number of most probable tokens that are reported for each token. */
            top_logprobs?: number | null;
            /** @description What is reported besides. */
            include?: ("message.output_text.logprobs" | "reasoning.encrypted_content" | "web_search_call.action.sources" | "web_search_call.results" | "code_interpreter_call.outputs" | "computer_call_output.output.image_url" | "file_search_call.results" | "message.input_image.image_url")[] | null;
            text?: ({
                format?: components["schemas"]["ResponseTextFormat"] | null;
                verbosity?: ("low" | "medium" | "high") | null;
            } & {
                [key: string]: unknown;
            }) | null;
            reasoning?: ({
                /** @description How much the model is to think, if its chat template reads it. none: not at all. */
                effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
                /** @description The reasoning is reported as a summary instead of as its content. */
                summary?: ("auto" | "concise" | "detailed") | null;
            } & {
                [key: string]: unknown;
            }) | null;
            truncation?: ("auto" | "disabled") | null;
            metadata?: {
                [key: string]: string;
            } | null;
            user?: string | null;
            safety_identifier?: string | null;
            prompt_cache_key?: string | null;
            service_tier?: string | null;
            /** @description Of two waiting requests of one caller, the one with the smaller number is first, a step for each second of waiting. Above 0 the requests of other callers are first too, for as many seconds. Default: 0. */
            priority?: number | null;
            /** @description false: the response is not kept. */
            store?: boolean | null;
            /** @description true: it is answered at once, and generated regardless of clients. */
            background?: boolean | null;
            /** @description true: server-sent events. */
            stream?: boolean | null;
            stream_options?: ({
                include_obfuscation?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        ResponseInputItem: components["schemas"]["ResponseInputMessage"] | components["schemas"]["ResponseEarlierCall"] | components["schemas"]["ResponseCallOutput"] | components["schemas"]["ResponseEarlierCustomCall"] | components["schemas"]["ResponseCustomCallOutput"] | components["schemas"]["ResponseEarlierReasoning"] | components["schemas"]["ResponseItemReference"];
        ResponseInputMessage: {
            /** @constant */
            type?: "message";
            id?: string | null;
            /** @enum {string} */
            role: "user" | "system" | "developer" | "assistant";
            /** @description Text, or text parts that are joined with a line break. */
            content: string | (components["schemas"]["ResponseInputText"] | components["schemas"]["ResponseEarlierText"] | components["schemas"]["ResponseEarlierRefusal"])[];
        } & {
            [key: string]: unknown;
        };
        ResponseInputText: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "input_text";
            text: string;
        } & {
            [key: string]: unknown;
        };
        ResponseEarlierText: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "output_text";
            text: string;
        } & {
            [key: string]: unknown;
        };
        ResponseEarlierRefusal: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "refusal";
            refusal: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A call that the assistant made earlier. */
        ResponseEarlierCall: {
            /** @constant */
            type: "function_call";
            id?: string | null;
            call_id: string;
            name: string;
            namespace?: string | null;
            /** @description JSON in a string. */
            arguments: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a call. */
        ResponseCallOutput: {
            /** @constant */
            type: "function_call_output";
            id?: string | null;
            /** @description The `call_id` of an earlier call. */
            call_id: string;
            output: string | components["schemas"]["ResponseInputText"][];
        } & {
            [key: string]: unknown;
        };
        /** @description A call of a custom tool that the assistant made earlier. */
        ResponseEarlierCustomCall: {
            /** @constant */
            type: "custom_tool_call";
            id?: string | null;
            call_id: string;
            name: string;
            namespace?: string | null;
            input: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a custom tool's call. */
        ResponseCustomCallOutput: {
            /** @constant */
            type: "custom_tool_call_output";
            id?: string | null;
            /** @description The `call_id` of an earlier call. */
            call_id: string;
            output: string | components["schemas"]["ResponseInputText"][];
        } & {
            [key: string]: unknown;
        };
        ResponseEarlierReasoning: {
            /** @constant */
            type: "reasoning";
            id?: string | null;
            summary?: ({
                /** @constant */
                type: "summary_text";
                text: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            content?: ({
                /** @constant */
                type: "reasoning_text";
                text: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description As this server wrote it; read where there is no other text. */
            encrypted_content?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An item of a stored response. */
        ResponseItemReference: {
            /** @constant */
            type: "item_reference";
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A function that the model may call. */
        ResponseTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function";
            name: string;
            description?: string | null;
            /** @description The JSON schema of the arguments. */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description true: arguments satisfy the schema; a schema that cannot be held is refused. Default: false. */
            strict?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A tool that takes a text instead of arguments. */
        ResponseCustomTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
            name: string;
            description?: string | null;
            format?: components["schemas"]["ResponseToolFormat"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What the input of a custom tool must be. */
        ResponseToolFormat: ({
            /** @constant */
            type: "text";
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "grammar";
            /** @enum {string} */
            syntax: "lark" | "regex";
            definition: string;
        } & {
            [key: string]: unknown;
        });
        /** @description Tools of one origin, such as an MCP server. */
        ResponseToolNamespace: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "namespace";
            name: string;
            description?: string | null;
            tools: (components["schemas"]["ResponseTool"] | components["schemas"]["ResponseCustomTool"])[];
        } & {
            [key: string]: unknown;
        };
        /** @description Left out, or refused with `--hosted-tools`. */
        ResponseHostedTool: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "web_search" | "web_search_2025_08_26" | "web_search_preview" | "web_search_preview_2025_03_11" | "file_search" | "code_interpreter" | "image_generation" | "mcp" | "computer" | "computer_use" | "computer_use_preview" | "local_shell" | "shell" | "apply_patch" | "tool_search" | "programmatic_tool_calling";
        } & {
            [key: string]: unknown;
        };
        /** @description Whether the model may or must call tools, and which. Default: auto. */
        ResponseToolChoice: ("none" | "auto" | "required") | ({
            /** @enum {string} */
            type: "function" | "custom";
            name: string;
            namespace?: string | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "allowed_tools";
            /** @enum {string} */
            mode: "auto" | "required";
            tools: (({
                /** @enum {string} */
                type: "function" | "custom";
                name: string;
                namespace?: string | null;
            } & {
                [key: string]: unknown;
            }) | ({
                /** @enum {string} */
                type: "web_search" | "web_search_2025_08_26" | "web_search_preview" | "web_search_preview_2025_03_11" | "file_search" | "code_interpreter" | "image_generation" | "mcp" | "computer" | "computer_use" | "computer_use_preview" | "local_shell" | "shell" | "apply_patch" | "tool_search" | "programmatic_tool_calling";
            } & {
                [key: string]: unknown;
            }))[];
        } & {
            [key: string]: unknown;
        });
        /** @description What the text must be. Schemas are held exactly, also without strict. */
        ResponseTextFormat: ({
            /** @constant */
            type: "text";
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "json_object";
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "json_schema";
            name?: string | null;
            description?: string | null;
            schema: {
                [key: string]: unknown;
            };
            strict?: boolean | null;
        } & {
            [key: string]: unknown;
        });
        NewConversation: {
            items?: components["schemas"]["ResponseInputItem"][] | null;
            metadata?: {
                [key: string]: string;
            } | null;
        } & {
            [key: string]: unknown;
        };
        ConversationChange: {
            metadata?: {
                [key: string]: string;
            } | null;
        } & {
            [key: string]: unknown;
        };
        NewConversationItems: {
            items: components["schemas"]["ResponseInputItem"][];
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        MessagesRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description The conversation. Messages of one role in a row are one. If the last message is the assistant's, it is continued. */
            messages: components["schemas"]["MessagesMessage"][];
            system?: (string | components["schemas"]["MessagesTextBlock"][]) | null;
            thinking?: components["schemas"]["MessagesThinking"] | null;
            output_config?: ({
                /** @description How much the model is to think, if its chat template reads it. */
                effort?: ("low" | "medium" | "high" | "xhigh" | "max") | null;
                format?: components["schemas"]["MessagesOutputFormat"] | null;
            } & {
                [key: string]: unknown;
            }) | null;
            tools?: components["schemas"]["MessagesTool"][] | null;
            tool_choice?: components["schemas"]["MessagesToolChoice"] | null;
            /** @description Maximum number of tokens to generate; fewer if the context ends. */
            max_tokens: number;
            /** @description Texts that end the message and are not part of it. */
            stop_sequences?: string[] | null;
            /** @description 0: greedy sampling. */
            temperature?: number | null;
            top_p?: number | null;
            /** @description 0: no limit. */
            top_k?: number | null;
            /**
             * @deprecated
             * @description The older place of `output_config.format`.
             */
            output_format?: components["schemas"]["MessagesOutputFormat"] | null;
            /** @description true: server-sent events. */
            stream?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        MessagesMessage: components["schemas"]["MessagesUserMessage"] | components["schemas"]["MessagesAssistantMessage"] | components["schemas"]["MessagesSystemMessage"];
        MessagesUserMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "user";
            content: string | (components["schemas"]["MessagesTextBlock"] | components["schemas"]["MessagesToolResultBlock"])[];
        } & {
            [key: string]: unknown;
        };
        MessagesTextBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            text: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The result of a call. */
        MessagesToolResultBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_result";
            tool_use_id: string;
            content?: (string | components["schemas"]["MessagesTextBlock"][]) | null;
            is_error?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        MessagesAssistantMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "assistant";
            content: string | (components["schemas"]["MessagesTextBlock"] | components["schemas"]["MessagesThinkingBlock"] | components["schemas"]["MessagesRedactedThinkingBlock"] | components["schemas"]["MessagesToolUseBlock"])[];
        } & {
            [key: string]: unknown;
        };
        /** @description What the assistant thought earlier. */
        MessagesThinkingBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "thinking";
            thinking: string;
            /** @description Not checked. Of a block whose text was omitted, it has the text. */
            signature?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Ignored. */
        MessagesRedactedThinkingBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "redacted_thinking";
            data?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A call that the assistant made earlier. */
        MessagesToolUseBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_use";
            id: string;
            name: string;
            input: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        MessagesSystemMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "system";
            content: string | components["schemas"]["MessagesTextBlock"][];
        } & {
            [key: string]: unknown;
        };
        /** @description How the model is to think. Absent: not, if its chat template has a switch. */
        MessagesThinking: ({
            /** @constant */
            type: "enabled";
            /** @description Maximum number of tokens of thinking, which is closed then. */
            budget_tokens: number;
            /** @description omitted: thinking blocks come without their text. Default: with it. */
            display?: ("summarized" | "omitted") | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "adaptive";
            /** @description omitted: thinking blocks come without their text. Default: with it. */
            display?: ("summarized" | "omitted") | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "disabled";
        } & {
            [key: string]: unknown;
        });
        /** @description A JSON schema, which is held exactly. */
        MessagesOutputFormat: {
            /** @enum {string} */
            type: "json_schema";
            schema: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A tool that the client runs. */
        MessagesTool: {
            /** @description `custom`, or absent. */
            type?: string | null;
            name: string;
            description?: string | null;
            /** @description The JSON schema of the input. */
            input_schema: {
                [key: string]: unknown;
            };
            /** @description true: inputs satisfy the schema; a schema that cannot be held is refused. */
            strict?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Whether the model may or must use tools, and which. Default: auto. */
        MessagesToolChoice: ({
            /** @constant */
            type: "auto";
            /** @description true: the message ends after its first call. */
            disable_parallel_tool_use?: boolean | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "any";
            /** @description true: the message ends after its first call. */
            disable_parallel_tool_use?: boolean | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "tool";
            name: string;
            /** @description true: the message ends after its first call. */
            disable_parallel_tool_use?: boolean | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "none";
        } & {
            [key: string]: unknown;
        });
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        CountTokensRequest: {
            /** @description The model's name. Default: the served model. */
            model?: string | null;
            /** @description The conversation. Messages of one role in a row are one. If the last message is the assistant's, it is continued. */
            messages: components["schemas"]["MessagesMessage"][];
            system?: (string | components["schemas"]["MessagesTextBlock"][]) | null;
            thinking?: components["schemas"]["MessagesThinking"] | null;
            output_config?: ({
                /** @description How much the model is to think, if its chat template reads it. */
                effort?: ("low" | "medium" | "high" | "xhigh" | "max") | null;
                format?: components["schemas"]["MessagesOutputFormat"] | null;
            } & {
                [key: string]: unknown;
            }) | null;
            tools?: components["schemas"]["MessagesTool"][] | null;
            tool_choice?: components["schemas"]["MessagesToolChoice"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        OllamaChatRequest: {
            /** @description The model's name, with or without `:latest`. Default: the served model. */
            model?: string | null;
            /** @description false: one JSON value. Default: a line for each piece of the answer. */
            stream?: boolean | null;
            /** @description What the answer must be: any JSON object, or JSON that satisfies a schema. */
            format?: (("json" | "") | {
                [key: string]: unknown;
            }) | null;
            /** @description Whether, and how much, the model is to think, if its chat template reads it. Default: the model's. */
            think?: (boolean | ("low" | "medium" | "high" | "max")) | null;
            options?: components["schemas"]["OllamaOptions"] | null;
            /** @description true: the log-probabilities of the tokens are reported. */
            logprobs?: boolean | null;
            /** @description With `logprobs`: the number of most probable tokens that are reported for each. */
            top_logprobs?: number | null;
            /** @description Accepted; the model always stays loaded. */
            keep_alive?: (number | string) | null;
            /** @description The conversation. If the last message is the assistant's, it is continued. Without messages nothing is generated. */
            messages?: components["schemas"]["OllamaMessage"][] | null;
            tools?: components["schemas"]["OllamaTool"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Unknown options are ignored. */
        OllamaOptions: {
            /** @description Maximum number of tokens to generate; 0 and below: as many as fit. */
            num_predict?: number | null;
            /** @description Texts that end the answer, and are not part of it; empty ones are ignored. */
            stop?: (string | string[]) | null;
            /** @description 0: greedy. */
            temperature?: number | null;
            /** @description -1 and 0: no limit. */
            top_k?: number | null;
            top_p?: number | null;
            min_p?: number | null;
            /** @description -1: another one for each request. */
            seed?: number | null;
            /** @description 1: off. */
            repeat_penalty?: number | null;
            /** @description Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all. */
            repeat_last_n?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
        } & {
            [key: string]: unknown;
        };
        OllamaMessage: {
            /** @enum {string} */
            role: "system" | "user" | "assistant" | "tool";
            content?: string | null;
            /** @description An earlier answer's reasoning. */
            thinking?: string | null;
            /** @description Must be empty. */
            images?: unknown[] | null;
            tool_calls?: components["schemas"]["OllamaRequestToolCall"][] | null;
            /** @description The tool that a result comes from. */
            tool_name?: string | null;
            /** @description The call that a result answers. Default: the first open one, of `tool_name` if there is one. */
            tool_call_id?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A call that the assistant made earlier. */
        OllamaRequestToolCall: {
            id?: string | null;
            function: {
                name: string;
                arguments?: {
                    [key: string]: unknown;
                } | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A function that the model may call. */
        OllamaTool: {
            type?: "function" | null;
            function: {
                name: string;
                description?: string | null;
                /** @description The JSON schema of the arguments. */
                parameters?: {
                    [key: string]: unknown;
                } | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        OllamaGenerateRequest: {
            /** @description The model's name, with or without `:latest`. Default: the served model. */
            model?: string | null;
            /** @description false: one JSON value. Default: a line for each piece of the answer. */
            stream?: boolean | null;
            /** @description What the answer must be: any JSON object, or JSON that satisfies a schema. */
            format?: (("json" | "") | {
                [key: string]: unknown;
            }) | null;
            /** @description Whether, and how much, the model is to think, if its chat template reads it. Default: the model's. */
            think?: (boolean | ("low" | "medium" | "high" | "max")) | null;
            options?: components["schemas"]["OllamaOptions"] | null;
            /** @description true: the log-probabilities of the tokens are reported. */
            logprobs?: boolean | null;
            /** @description With `logprobs`: the number of most probable tokens that are reported for each. */
            top_logprobs?: number | null;
            /** @description Accepted; the model always stays loaded. */
            keep_alive?: (number | string) | null;
            /** @description A user's message, or with `raw` any text. If it is empty nothing is generated. */
            prompt?: string | null;
            /** @description A system message before the prompt. */
            system?: string | null;
            /** @description The text behind a gap that the model fills, if it has been trained to. */
            suffix?: string | null;
            /** @description true: the prompt is continued as it is, without a chat template; names of control tokens in it are these tokens. */
            raw?: boolean | null;
            /** @description Must be empty. */
            images?: unknown[] | null;
            /** @description Must be empty: `/api/chat` takes conversations. */
            context?: number[] | null;
            /** @description Must be empty: the model has its own. */
            template?: string | null;
        } & {
            [key: string]: unknown;
        };
        OllamaShowRequest: {
            /** @description The model's name, with or without `:latest`. Default: the served model. */
            model?: string | null;
            /**
             * @deprecated
             * @description The older name of `model`.
             */
            name?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        OllamaEmbedRequest: {
            /** @description The model's name, with or without `:latest`. Default: the first that embeds. */
            model?: string | null;
            /** @description Without effect on vectors. */
            options?: components["schemas"]["OllamaOptions"] | null;
            /** @description Accepted; the model always stays loaded. */
            keep_alive?: (number | string) | null;
            /** @description What vectors are made of. Without any text there are none. */
            input?: (string | string[]) | null;
            /** @description false: a text that is too long is refused. Default: it is cut at its end. */
            truncate?: boolean | null;
            /** @description Length of the vectors: so many first components, normalised again. 0, the default: the model's. */
            dimensions?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description null means absent for every optional field. Unknown fields are ignored. */
        OllamaEmbeddingsRequest: {
            /** @description The model's name, with or without `:latest`. Default: the first that embeds. */
            model?: string | null;
            /** @description Without effect on vectors. */
            options?: components["schemas"]["OllamaOptions"] | null;
            /** @description Accepted; the model always stays loaded. */
            keep_alive?: (number | string) | null;
            /** @description What a vector is made of. Without a text it is empty. */
            prompt?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An item to create. */
        NewTodo: {
            /**
             * @description What is to be done; stored verbatim. Lengths are in characters (Unicode code points).
             * @example milk
             */
            title: string;
            /**
             * @description Whether it is done.
             * @default false
             * @example true
             */
            completed?: boolean;
            /** @description Set by the service: accepted and ignored. */
            readonly id?: unknown;
            /** @description Set by the service: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Set by the service: accepted and ignored. */
            readonly updated_at?: unknown;
        };
        /** @description The new state of an item. */
        TodoReplacement: {
            /**
             * @description What is to be done; stored verbatim. Lengths are in characters (Unicode code points).
             * @example milk
             */
            title: string;
            /**
             * @description Whether it is done.
             * @example true
             */
            completed: boolean;
            /** @description Set by the service: accepted and ignored. */
            readonly id?: unknown;
            /** @description Set by the service: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Set by the service: accepted and ignored. */
            readonly updated_at?: unknown;
        };
        /** @description The fields that change, at least one of them. */
        TodoUpdate: {
            /**
             * @description What is to be done; stored verbatim. Lengths are in characters (Unicode code points).
             * @example milk
             */
            title?: string;
            /**
             * @description Whether it is done.
             * @example true
             */
            completed?: boolean;
            /** @description Set by the service: accepted and ignored. */
            readonly id?: unknown;
            /** @description Set by the service: accepted and ignored. */
            readonly created_at?: unknown;
            /** @description Set by the service: accepted and ignored. */
            readonly updated_at?: unknown;
        } | unknown | unknown;
        ChatCompletion: {
            /** @description The same in all chunks of a stream. */
            id: string;
            /** @description Unix time in seconds. */
            created: number;
            /** @description The name of the served model. */
            model: string;
            /** @description Changes with the model file and the version of the server. */
            system_fingerprint: string;
            /** @constant */
            object: "chat.completion";
            /** @description As many as `n` asks for, in order. */
            choices: {
                index: number;
                message: {
                    /** @constant */
                    role: "assistant";
                    /** @description null for tool calls without text. */
                    content: string | null;
                    refusal: null;
                    reasoning_content?: string;
                    tool_calls?: components["schemas"]["ToolCall"][];
                    /** @description In place of `tool_calls`, if the request has `functions`. */
                    function_call?: {
                        name: string;
                        /** @description JSON in a string. */
                        arguments: string;
                    };
                };
                logprobs: components["schemas"]["Logprobs"] | null;
                /**
                 * @description `stop`: end of generation or a stop string; `length`: the token limit; `function_call`: a call, if the request has `functions`.
                 * @enum {string}
                 */
                finish_reason: "stop" | "length" | "tool_calls" | "function_call";
            }[];
            usage: components["schemas"]["Usage"];
            timings: components["schemas"]["Timings"];
        };
        /** @description A call that the model requests. */
        ToolCall: {
            id: string;
            /** @constant */
            type: "function";
            function: {
                name: string;
                /** @description JSON in a string. */
                arguments: string;
            };
            /** @description In place of `function`, if the request has custom tools and the call is one of these: its `type` is `custom`. */
            custom?: {
                name: string;
                input: string;
            };
        };
        /** @description The tokens of the content, which they concatenate to. */
        Logprobs: {
            content: {
                /** @description May be a part of a character: see bytes. */
                token: string;
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                bytes: number[];
                top_logprobs: {
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    /** @description By the model itself, before sampling parameters. */
                    logprob: number;
                    bytes: number[];
                }[];
            }[];
            refusal: null;
        };
        /** @description Tokens of a request. */
        Usage: {
            /** @description Tokens of the whole prompt, cached or not. */
            prompt_tokens: number;
            /** @description Every sampled token, including the end-of-generation token. */
            completion_tokens: number;
            /** @description The sum of both. */
            total_tokens: number;
            prompt_tokens_details: {
                /** @description Prompt tokens that needed no evaluation. */
                cached_tokens: number;
            };
            completion_tokens_details: {
                /** @description Completion tokens that are reasoning. */
                reasoning_tokens: number;
                /** @description Completion tokens that were taken from the prediction. */
                accepted_prediction_tokens: number;
                /** @description Tokens of the prediction that were tried and are not in the completion, nor counted in it. */
                rejected_prediction_tokens: number;
            };
        };
        /** @description Prefill and decode timings, with llama-server's field names. */
        Timings: {
            /** @description Prompt tokens that needed no evaluation. */
            cache_n: number;
            /** @description Prompt tokens that were evaluated. */
            prompt_n: number;
            /** @description From the lease of a slot to the first token, in milliseconds. */
            prompt_ms: number;
            /** @description Tokens that were generated. */
            predicted_n: number;
            /** @description From the first token to the last, in milliseconds. */
            predicted_ms: number;
            /** @description Prompt tokens evaluated per second. */
            prompt_per_second: number;
            /** @description Tokens generated per second. */
            predicted_per_second: number;
            /** @description Draft tokens of speculative decoding, if there were any. */
            draft_n?: number;
            /** @description Draft tokens that were accepted. */
            draft_n_accepted?: number;
            /** @description Tokens that a constraint forced and that were evaluated together with others, if there were any. */
            forced_n?: number;
        };
        ChatCompletionEvent: components["schemas"]["ChatCompletionChunk"] | components["schemas"]["OpenAiError"];
        ChatCompletionChunk: {
            /** @description The same in all chunks of a stream. */
            id: string;
            /** @description Unix time in seconds. */
            created: number;
            /** @description The name of the served model. */
            model: string;
            /** @description Changes with the model file and the version of the server. */
            system_fingerprint: string;
            /** @constant */
            object: "chat.completion.chunk";
            /** @description One choice, or none in the chunks with the usage and with the progress. */
            choices: {
                index: number;
                delta: {
                    /**
                     * @description In the first chunk of the choice.
                     * @constant
                     */
                    role?: "assistant";
                    content?: string;
                    reasoning_content?: string;
                    tool_calls?: components["schemas"]["ToolCallDelta"][];
                    /** @description In place of `tool_calls`, if the request has `functions`. */
                    function_call?: {
                        name?: string;
                        arguments: string;
                    };
                };
                logprobs: components["schemas"]["Logprobs"] | null;
                finish_reason: ("stop" | "length" | "tool_calls" | "function_call") | null;
            }[];
            /** @description With `include_usage`: in the last chunk; null in the chunks before it. */
            usage?: components["schemas"]["Usage"] | null;
            /** @description In the chunk with the finish reason; with `timings_per_token`, in those with text too. */
            timings?: components["schemas"]["Timings"];
            /** @description With `return_progress`: in chunks without a choice, before all others. */
            prompt_progress?: components["schemas"]["PromptProgress"];
        };
        /** @description The first delta of a call has its function's name and empty arguments, or its tool's name and an empty input; these follow. */
        ToolCallDelta: {
            /** @description Index of the call in the completion. */
            index: number;
            id?: string;
            /** @constant */
            type?: "function";
            function: {
                name?: string;
                arguments: string;
            };
            /** @description In place of `function`, if the request has custom tools and the call is one of these: its `type` is `custom`. */
            custom?: {
                name?: string;
                input: string;
            };
        };
        PromptProgress: {
            /** @description Tokens of the prompt. */
            total: number;
            /** @description Of these, those that were cached. */
            cache: number;
            /** @description Cached and evaluated ones so far. */
            processed: number;
            /** @description Since it has a slot. */
            time_ms: number;
        };
        OpenAiError: {
            error: {
                /** @description What was expected and what was received. */
                message: string;
                /** @description OpenAI's error type. */
                type: string;
                /** @description The first invalid field. */
                param: string | null;
                /** @description Machine-readable, in lower snake case. */
                code: string;
                /** @description Every invalid field. */
                details: {
                    field: string;
                    reason: string;
                }[];
                /** @description The header `X-Request-Id`. */
                request_id: string;
            };
        };
        InputTokenCount: {
            /** @constant */
            object: "response.input_tokens";
            input_tokens: number;
        };
        /** @description A page of the served models. */
        ModelList: {
            /** @constant */
            object: "list";
            data: components["schemas"]["Model"][];
            pagination: components["schemas"]["Pagination"];
        };
        Model: {
            id: string;
            /** @constant */
            object: "model";
            /** @description When it was loaded: Unix time in seconds. */
            created: number;
            owned_by: string;
            root: string;
            /** @description Maximum tokens of one request: prompt and completion together. */
            max_model_len: number;
            /** @description `infill`: the model has tokens for the texts around a gap. */
            capabilities: ("completion" | "tools" | "structured_output" | "reasoning" | "infill" | "embedding" | "reranking")[];
            meta: {
                name: string;
                architecture: string;
                /** @description Equal to `max_model_len`. */
                n_ctx: number;
                /** @description Context size in tokens that the model was trained with. */
                n_ctx_train: number;
                /** @description Number of parameters. */
                n_params: number;
                /** @description Vocabulary size in tokens. */
                n_vocab: number;
                /** @description File size in bytes. */
                size: number;
                /** @description Maximum number of concurrent requests. */
                n_slots: number;
            };
        };
        /** @description How to get the next page. */
        Pagination: {
            /**
             * @description The `cursor` of the next page; null on the last one.
             * @example null
             */
            next_cursor: string | null;
            /**
             * @description Whether there is a next page.
             * @example false
             */
            has_more: boolean;
        };
        TextCompletion: {
            /** @description The same in all chunks of a stream. */
            id: string;
            /** @description Unix time in seconds. */
            created: number;
            /** @description The name of the served model. */
            model: string;
            /** @description Changes with the model file and the version of the server. */
            system_fingerprint: string;
            /** @constant */
            object: "text_completion";
            choices: {
                /** @description Position among all: the completions of the first prompt come first. */
                index: number;
                text: string;
                logprobs: components["schemas"]["TextLogprobs"] | null;
                /** @enum {string} */
                finish_reason: "stop" | "length";
            }[];
            usage: components["schemas"]["Usage"];
            timings: components["schemas"]["Timings"];
        };
        /** @description The tokens of the completion, in the older shape. With `echo`: all of the prompt and of the completion, also those that are no text. */
        TextLogprobs: {
            /** @description Their texts; a part of a character is written as its bytes, `bytes:\xe5`. */
            tokens: string[];
            /** @description null: the first token of an echoed prompt, which follows nothing. */
            token_logprobs: (number | null)[];
            /** @description The most probable tokens, and the token itself; null as above. */
            top_logprobs: ({
                [key: string]: number;
            } | null)[];
            /** @description Where the tokens begin in the text, in characters. */
            text_offset: number[];
        };
        TextCompletionEvent: components["schemas"]["TextCompletionChunk"] | components["schemas"]["OpenAiError"];
        TextCompletionChunk: {
            /** @description The same in all chunks of a stream. */
            id: string;
            /** @description Unix time in seconds. */
            created: number;
            /** @description The name of the served model. */
            model: string;
            /** @description Changes with the model file and the version of the server. */
            system_fingerprint: string;
            /** @constant */
            object: "text_completion";
            /** @description One choice, or none in the chunk with the usage. */
            choices: {
                /** @description Position among all: the completions of the first prompt come first. */
                index: number;
                text: string;
                logprobs: components["schemas"]["TextLogprobs"] | null;
                finish_reason: ("stop" | "length") | null;
            }[];
            /** @description With `include_usage`: in the last chunk; null in the chunks before it. */
            usage?: components["schemas"]["Usage"] | null;
            /** @description In the chunk with the finish reason. */
            timings?: components["schemas"]["Timings"];
        };
        InfillAnswer: {
            /** @constant */
            index: 0;
            content: string;
            tokens_predicted: number;
            /** @description Tokens of the whole prompt. */
            tokens_evaluated: number;
            /** @description The slot that it had, which goes on to hold its tokens. */
            id_slot?: number;
            /** @constant */
            stop: true;
            /** @enum {string} */
            stop_type: "eos" | "limit" | "word";
            /** @description The stop string that ended it, or empty. */
            stopping_word: string;
            has_new_line: boolean;
            /**
             * @description A prompt that is too long is refused.
             * @constant
             */
            truncated: false;
            tokens_cached: number;
            timings: components["schemas"]["Timings"];
            model: string;
        };
        InfillEvent: components["schemas"]["InfillPiece"] | components["schemas"]["InfillAnswer"] | components["schemas"]["OpenAiError"];
        InfillPiece: {
            /** @constant */
            index: 0;
            content: string;
            tokens_predicted: number;
            /** @description Tokens of the whole prompt. */
            tokens_evaluated: number;
            /** @constant */
            stop: false;
        };
        NativeCompletions: components["schemas"]["NativeCompletion"] | components["schemas"]["NativeCompletion"][];
        NativeCompletion: {
            /** @description Position among the answers: those of the first prompt come first. */
            index: number;
            content: string;
            /** @description Token ids: in a stream those behind the piece before, else, with `return_tokens`, all that were generated. */
            tokens: number[];
            /** @description With `n_probs`: the tokens of the content. */
            completion_probabilities?: ({
                /** @description Its id in the vocabulary. */
                id: number;
                /** @description May be a part of a character: see bytes. */
                token: string;
                bytes: number[];
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                top_logprobs: {
                    /** @description Its id in the vocabulary. */
                    id: number;
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    bytes: number[];
                    /** @description By the model itself, before sampling parameters. */
                    logprob: number;
                }[];
            } | {
                /** @description Its id in the vocabulary. */
                id: number;
                /** @description May be a part of a character: see bytes. */
                token: string;
                bytes: number[];
                /** @description Behind all sampling parameters. */
                prob: number;
                top_probs: {
                    /** @description Its id in the vocabulary. */
                    id: number;
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    bytes: number[];
                    /** @description Behind all sampling parameters. */
                    prob: number;
                }[];
            })[];
            tokens_predicted: number;
            /** @description Tokens of the whole prompt. */
            tokens_evaluated: number;
            /** @description The slot that it had, which goes on to hold its tokens. */
            id_slot?: number;
            /** @constant */
            stop: true;
            /** @enum {string} */
            stop_type: "eos" | "limit" | "word";
            /** @description The stop string that ended it, or empty. */
            stopping_word: string;
            has_new_line: boolean;
            /**
             * @description A prompt that is too long is refused.
             * @constant
             */
            truncated: false;
            tokens_cached: number;
            timings: components["schemas"]["Timings"];
            /** @description The name of the served model. */
            model: string;
            /** @description The text of the tokens that were evaluated, with a BOS where the model uses one. */
            prompt: string;
            generation_settings: {
                /** @description What one request may hold, in tokens. */
                n_ctx: number;
                n_predict: number;
                max_tokens: number;
                n_probs: number;
                stop: string[];
                stream: boolean;
                ignore_eos: boolean;
                /** @description With `ignore_eos`, also the tokens that would end the answer. */
                logit_bias: {
                    /** @description A token id. */
                    token: number;
                    /** @description null: the token is banned. */
                    bias: number | null;
                }[];
            } & {
                [key: string]: unknown;
            };
        };
        NativeEvent: components["schemas"]["NativePiece"] | components["schemas"]["NativeCompletion"] | components["schemas"]["OpenAiError"];
        NativePiece: {
            /** @description Position among the answers: those of the first prompt come first. */
            index: number;
            content: string;
            /** @description Token ids: in a stream those behind the piece before, else, with `return_tokens`, all that were generated. */
            tokens: number[];
            /** @description With `n_probs`: the tokens of the content. */
            completion_probabilities?: ({
                /** @description Its id in the vocabulary. */
                id: number;
                /** @description May be a part of a character: see bytes. */
                token: string;
                bytes: number[];
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                top_logprobs: {
                    /** @description Its id in the vocabulary. */
                    id: number;
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    bytes: number[];
                    /** @description By the model itself, before sampling parameters. */
                    logprob: number;
                }[];
            } | {
                /** @description Its id in the vocabulary. */
                id: number;
                /** @description May be a part of a character: see bytes. */
                token: string;
                bytes: number[];
                /** @description Behind all sampling parameters. */
                prob: number;
                top_probs: {
                    /** @description Its id in the vocabulary. */
                    id: number;
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    bytes: number[];
                    /** @description Behind all sampling parameters. */
                    prob: number;
                }[];
            })[];
            tokens_predicted: number;
            /** @description Tokens of the whole prompt. */
            tokens_evaluated: number;
            /** @constant */
            stop: false;
            /** @description With `timings_per_token`. */
            timings?: components["schemas"]["Timings"];
            /** @description With `return_progress`: the piece has nothing else. */
            prompt_progress?: components["schemas"]["PromptProgress"];
        };
        NativeProps: {
            default_generation_settings: {
                /** @description What one request may hold, in tokens. */
                n_ctx: number;
            };
            /** @description Maximum number of concurrent requests. */
            total_slots: number;
            /** @description The name of the served model. */
            model_alias: string;
            /** @description The name of its file, without a folder. */
            model_path: string;
            /** @description Its chat template, in Jinja. */
            chat_template: string;
            modalities: {
                /** @constant */
                vision: false;
                /** @constant */
                audio: false;
            };
            /** @description The server's name and version. */
            build_info: string;
            /** @constant */
            is_sleeping: false;
        };
        NativeSlots: {
            /** @description Number of the slot. */
            id: number;
            /** @description What one request may hold, in tokens. */
            n_ctx: number;
            /** @description Whether there is a draft model. */
            speculative: boolean;
            is_processing: boolean;
            /** @description Tokens whose state it holds. */
            n_held?: number;
            /** @description Generations that had begun before this one. */
            id_task?: number;
            /** @description Tokens of its prompt. */
            n_prompt_tokens?: number;
            /** @description Of these, those that were cached. */
            n_prompt_tokens_cache?: number;
            next_token?: {
                /** @constant */
                has_next_token: true;
                /** @description Tokens that may still be generated. */
                n_remain: number;
                /** @description Tokens that were generated. */
                n_decoded: number;
            }[];
        }[];
        SlotCommandAnswer: {
            /** @description Number of the slot. */
            id_slot: number;
            filename: string;
            /** @description Tokens that were saved. */
            n_saved: number;
            /** @description Bytes of the file. */
            n_written: number;
            timings: {
                save_ms: number;
            };
        } | {
            /** @description Number of the slot. */
            id_slot: number;
            filename: string;
            /** @description Tokens that were restored. */
            n_restored: number;
            /** @description Bytes of the file. */
            n_read: number;
            timings: {
                restore_ms: number;
            };
        } | {
            /** @description Number of the slot. */
            id_slot: number;
            /** @description Tokens that it held. */
            n_erased: number;
        };
        TokenizeResponse: {
            tokens: number[] | {
                id: number;
                /** @description A text; the bytes of a token that is no text by itself. */
                piece: string | number[];
            }[];
            count: number;
            /** @description What one request may hold. */
            max_model_len: number;
            token_strs?: string[];
        };
        DetokenizeResponse: {
            content: string;
            prompt: string;
        };
        ApplyTemplateResponse: {
            prompt: string;
        };
        EmbeddingList: {
            /** @constant */
            object: "list";
            /** @description In the order of the inputs. */
            data: components["schemas"]["Embedding"][];
            /** @description The name of the served model. */
            model: string;
            usage: components["schemas"]["PoolingUsage"];
        };
        Embedding: {
            /** @constant */
            object: "embedding";
            index: number;
            /** @description Of unit length; numbers, or base64 of little-endian 32-bit floats. */
            embedding: number[] | string;
        };
        /** @description Tokens of all inputs, special tokens included. */
        PoolingUsage: {
            prompt_tokens: number;
            total_tokens: number;
        };
        NativeEmbeddings: {
            index: number;
            /** @description Of unit length. */
            embedding: number[][];
        }[];
        Ranking: {
            id: string;
            /** @constant */
            object: "list";
            /** @description The name of the served model. */
            model: string;
            /** @description By descending score. */
            results: {
                /** @description The document's place in the request. */
                index: number;
                relevance_score: number;
                document?: {
                    text: string;
                };
            }[];
            usage: components["schemas"]["PoolingUsage"];
        };
        /** @description By descending score. */
        TextRanking: {
            /** @description The document's place in the request. */
            index: number;
            score: number;
            text?: string;
        }[];
        ScoreList: {
            id: string;
            /** @constant */
            object: "list";
            /** @description Unix time in seconds. */
            created: number;
            /** @description The name of the served model. */
            model: string;
            /** @description In the order of the pairs. */
            data: {
                index: number;
                /** @constant */
                object: "score";
                /** @description By a reranking model a probability, by an embedding model a cosine. */
                score: number;
            }[];
            usage: components["schemas"]["PoolingUsage"];
        };
        Response: {
            id: string;
            /** @constant */
            object: "response";
            /** @description Unix time in seconds. */
            created_at: number;
            completed_at: number | null;
            /**
             * @description Clients see `queued` and `cancelled` in the background only.
             * @enum {string}
             */
            status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
            background: boolean;
            error: {
                /** @constant */
                code: "server_error";
                message: string;
            } | null;
            incomplete_details: {
                /** @constant */
                reason: "max_output_tokens";
            } | null;
            /** @description The name of the served model. */
            model: string;
            output: components["schemas"]["ResponseOutputItem"][];
            /** @description When the answer is complete. */
            usage?: components["schemas"]["ResponseUsage"];
            previous_response_id: string | null;
            conversation: {
                id: string;
            } | null;
            instructions: string | null;
            /** @description What the model is told of: no hosted tools. */
            tools: ({
                /** @constant */
                type: "function";
                name: string;
                description: string | null;
                parameters: {
                    [key: string]: unknown;
                } | null;
                strict: boolean;
            } | {
                /** @constant */
                type: "custom";
                name: string;
                description?: string;
                format: {
                    /** @constant */
                    type: "text";
                } | {
                    /** @constant */
                    type: "grammar";
                    /** @enum {string} */
                    syntax: "lark" | "regex";
                    definition: string;
                };
            } | {
                /** @constant */
                type: "namespace";
                name: string;
                description: string;
                tools: ({
                    /** @constant */
                    type: "function";
                    name: string;
                    description: string | null;
                    parameters: {
                        [key: string]: unknown;
                    } | null;
                    strict: boolean;
                } | {
                    /** @constant */
                    type: "custom";
                    name: string;
                    description?: string;
                    format: {
                        /** @constant */
                        type: "text";
                    } | {
                        /** @constant */
                        type: "grammar";
                        /** @enum {string} */
                        syntax: "lark" | "regex";
                        definition: string;
                    };
                })[];
            })[];
            tool_choice: ("none" | "auto" | "required") | {
                /** @enum {string} */
                type: "function" | "custom";
                name: string;
                namespace?: string;
            } | {
                /** @constant */
                type: "allowed_tools";
                /** @enum {string} */
                mode: "auto" | "required";
                tools: {
                    /** @enum {string} */
                    type: "function" | "custom";
                    name: string;
                    namespace?: string;
                }[];
            };
            parallel_tool_calls: boolean;
            max_tool_calls: number | null;
            max_output_tokens: number | null;
            /** @description null: the model's default. */
            temperature: number | null;
            /** @description null: the model's default. */
            top_p: number | null;
            top_logprobs: number;
            text: {
                format: {
                    /** @constant */
                    type: "text";
                } | {
                    /** @constant */
                    type: "json_object";
                } | {
                    /** @constant */
                    type: "json_schema";
                    name: string;
                    description?: string;
                    schema: {
                        [key: string]: unknown;
                    };
                    strict: boolean;
                };
                /** @enum {string} */
                verbosity: "low" | "medium" | "high";
            };
            reasoning: {
                effort: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
                summary: ("auto" | "concise" | "detailed") | null;
            };
            /** @enum {string} */
            truncation: "auto" | "disabled";
            metadata: {
                [key: string]: string;
            };
            store: boolean;
            /** @constant */
            service_tier: "default";
            user?: string;
            safety_identifier: string | null;
            prompt_cache_key: string | null;
        };
        ResponseOutputItem: components["schemas"]["ResponseOutputMessage"] | components["schemas"]["ResponseReasoning"] | components["schemas"]["ResponseFunctionCall"] | components["schemas"]["ResponseCustomToolCall"];
        ResponseOutputMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message";
            id: string;
            /** @constant */
            role: "assistant";
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
            content: (components["schemas"]["ResponseOutputText"] | components["schemas"]["ResponseRefusal"])[];
        };
        ResponseOutputText: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "output_text";
            text: string;
            /** @description None: they belong to hosted tools. */
            annotations: unknown[];
            logprobs: {
                /** @description May be a part of a character: see bytes. */
                token: string;
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                bytes: number[];
                top_logprobs: {
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    /** @description By the model itself, before sampling parameters. */
                    logprob: number;
                    bytes: number[];
                }[];
            }[];
        };
        /** @description A client's: this server's models refuse in text. */
        ResponseRefusal: {
            /** @constant */
            type: "refusal";
            refusal: string;
        };
        ResponseReasoning: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reasoning";
            id: string;
            /** @enum {string} */
            status?: "in_progress" | "completed" | "incomplete";
            summary: components["schemas"]["ResponseSummaryText"][];
            /** @description Absent if the reasoning is reported as a summary. */
            content?: components["schemas"]["ResponseReasoningText"][];
            /** @description The reasoning once more, with `reasoning.encrypted_content`; not a secret. */
            encrypted_content?: string;
        };
        ResponseSummaryText: {
            /** @constant */
            type: "summary_text";
            text: string;
        };
        ResponseReasoningText: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reasoning_text";
            text: string;
        };
        ResponseFunctionCall: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "function_call";
            id: string;
            /** @description What the call's output refers to. */
            call_id: string;
            name: string;
            /** @description Absent: the function is in none. */
            namespace?: string;
            /** @description JSON in a string. */
            arguments: string;
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
        };
        ResponseCustomToolCall: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom_tool_call";
            id: string;
            /** @description What the call's output refers to. */
            call_id: string;
            name: string;
            /** @description Absent: the tool is in none. */
            namespace?: string;
            input: string;
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
        };
        /** @description Tokens of a response. */
        ResponseUsage: {
            /** @description Tokens of the whole prompt, cached or not. */
            input_tokens: number;
            input_tokens_details: {
                /** @description Prompt tokens that needed no evaluation. */
                cached_tokens: number;
                /**
                 * @description Writing costs nothing here.
                 * @constant
                 */
                cache_write_tokens: 0;
            };
            /** @description Every sampled token, including the end-of-generation token. */
            output_tokens: number;
            output_tokens_details: {
                /** @description Output tokens that are reasoning. */
                reasoning_tokens: number;
            };
            /** @description The sum of both. */
            total_tokens: number;
        };
        ResponseStreamEvent: {
            sequence_number: number;
            /** @constant */
            type: "response.created";
            response: components["schemas"]["Response"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.queued";
            response: components["schemas"]["Response"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.in_progress";
            response: components["schemas"]["Response"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.completed";
            response: components["schemas"]["Response"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.incomplete";
            response: components["schemas"]["Response"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.failed";
            response: components["schemas"]["Response"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.output_item.added";
            output_index: number;
            item: components["schemas"]["ResponseOutputItem"];
        } | {
            sequence_number: number;
            /** @constant */
            type: "response.output_item.done";
            output_index: number;
            item: components["schemas"]["ResponseOutputItem"];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            content_index: number;
            /** @constant */
            type: "response.content_part.added";
            part: components["schemas"]["ResponseOutputText"] | components["schemas"]["ResponseReasoningText"];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            content_index: number;
            /** @constant */
            type: "response.content_part.done";
            part: components["schemas"]["ResponseOutputText"] | components["schemas"]["ResponseReasoningText"];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            content_index: number;
            /** @constant */
            type: "response.output_text.delta";
            delta: string;
            logprobs: {
                /** @description May be a part of a character: see bytes. */
                token: string;
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                bytes: number[];
                top_logprobs: {
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    /** @description By the model itself, before sampling parameters. */
                    logprob: number;
                    bytes: number[];
                }[];
            }[];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            content_index: number;
            /** @constant */
            type: "response.output_text.done";
            text: string;
            logprobs: {
                /** @description May be a part of a character: see bytes. */
                token: string;
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                bytes: number[];
                top_logprobs: {
                    /** @description May be a part of a character: see bytes. */
                    token: string;
                    /** @description By the model itself, before sampling parameters. */
                    logprob: number;
                    bytes: number[];
                }[];
            }[];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            content_index: number;
            /** @constant */
            type: "response.reasoning_text.delta";
            delta: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            content_index: number;
            /** @constant */
            type: "response.reasoning_text.done";
            text: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            summary_index: number;
            /** @constant */
            type: "response.reasoning_summary_part.added";
            part: components["schemas"]["ResponseSummaryText"];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            summary_index: number;
            /** @constant */
            type: "response.reasoning_summary_part.done";
            part: components["schemas"]["ResponseSummaryText"];
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            summary_index: number;
            /** @constant */
            type: "response.reasoning_summary_text.delta";
            delta: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            summary_index: number;
            /** @constant */
            type: "response.reasoning_summary_text.done";
            text: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            /** @constant */
            type: "response.function_call_arguments.delta";
            delta: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            /** @constant */
            type: "response.function_call_arguments.done";
            name: string;
            arguments: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            /** @constant */
            type: "response.custom_tool_call_input.delta";
            delta: string;
        } | {
            sequence_number: number;
            output_index: number;
            item_id: string;
            /** @constant */
            type: "response.custom_tool_call_input.done";
            input: string;
        } | {
            sequence_number: number;
            /** @constant */
            type: "error";
            code: string;
            message: string;
            param: string | null;
        };
        DeletedResponse: {
            id: string;
            /** @constant */
            object: "response";
            /** @constant */
            deleted: true;
        };
        ResponseItemList: {
            /** @constant */
            object: "list";
            data: components["schemas"]["ResponseItem"][];
            /** @description Empty for an empty page. */
            first_id: string;
            /** @description `after` of the next page. */
            last_id: string;
            has_more: boolean;
        };
        ResponseItem: components["schemas"]["ResponseStoredMessage"] | components["schemas"]["ResponseOutputMessage"] | components["schemas"]["ResponseReasoning"] | components["schemas"]["ResponseFunctionCall"] | components["schemas"]["ResponseStoredCallOutput"] | components["schemas"]["ResponseCustomToolCall"] | components["schemas"]["ResponseStoredCustomCallOutput"];
        ResponseStoredMessage: {
            /** @constant */
            type: "message";
            id: string;
            /** @enum {string} */
            role: "user" | "system" | "developer";
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
            content: {
                /** @constant */
                type: "input_text";
                text: string;
            }[];
        };
        ResponseStoredCallOutput: {
            /** @constant */
            type: "function_call_output";
            id: string;
            call_id: string;
            output: string | {
                /** @constant */
                type: "input_text";
                text: string;
            }[];
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
        };
        ResponseStoredCustomCallOutput: {
            /** @constant */
            type: "custom_tool_call_output";
            id: string;
            call_id: string;
            output: string | {
                /** @constant */
                type: "input_text";
                text: string;
            }[];
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
        };
        Conversation: {
            id: string;
            /** @constant */
            object: "conversation";
            /** @description Unix time in seconds. */
            created_at: number;
            metadata: {
                [key: string]: string;
            };
        };
        DeletedConversation: {
            id: string;
            /** @constant */
            object: "conversation.deleted";
            /** @constant */
            deleted: true;
        };
        Message: {
            id: string;
            /** @constant */
            type: "message";
            /** @constant */
            role: "assistant";
            /** @description The name of the served model. */
            model: string;
            content: components["schemas"]["MessageContentBlock"][];
            /** @description null in `message_start`. */
            stop_reason: ("end_turn" | "max_tokens" | "stop_sequence" | "tool_use") | null;
            /** @description The one that ended the message. */
            stop_sequence: string | null;
            stop_details: null;
            container: null;
            diagnostics: null;
            usage: components["schemas"]["MessageUsage"];
        };
        MessageContentBlock: {
            /** @constant */
            type: "text";
            text: string;
            citations: unknown[];
        } | {
            /** @constant */
            type: "thinking";
            thinking: string;
            /** @description Opaque. */
            signature: string;
        } | {
            /** @constant */
            type: "tool_use";
            id: string;
            name: string;
            /** @description Empty for a call that the token limit cut off. */
            input: {
                [key: string]: unknown;
            };
            caller: {
                /** @constant */
                type: "direct";
            };
        };
        /** @description Tokens of a message. */
        MessageUsage: {
            /** @description Prompt tokens that were evaluated. */
            input_tokens: number;
            /** @constant */
            cache_creation_input_tokens: 0;
            /** @description Prompt tokens that needed no evaluation. */
            cache_read_input_tokens: number;
            /** @description Every sampled token, including the end-of-generation token. */
            output_tokens: number;
            output_tokens_details: {
                /** @description Output tokens that are thinking. */
                thinking_tokens: number;
            };
            server_tool_use: null;
            cache_creation: {
                /** @constant */
                ephemeral_1h_input_tokens: 0;
                /** @constant */
                ephemeral_5m_input_tokens: 0;
            };
            inference_geo: null;
            /** @constant */
            service_tier: "standard";
            speed: null;
        };
        MessagesEvent: components["schemas"]["MessageStreamEvent"] | {
            /** @constant */
            type: "ping";
        } | components["schemas"]["MessagesError"];
        MessageStreamEvent: {
            /** @constant */
            type: "message_start";
            message: components["schemas"]["Message"];
        } | {
            /** @constant */
            type: "content_block_start";
            /** @description Position of the block in the message. */
            index: number;
            content_block: components["schemas"]["MessageContentBlock"];
        } | {
            /** @constant */
            type: "content_block_delta";
            /** @description Position of the block in the message. */
            index: number;
            delta: {
                /** @constant */
                type: "text_delta";
                text: string;
            } | {
                /** @constant */
                type: "thinking_delta";
                thinking: string;
            } | {
                /** @constant */
                type: "signature_delta";
                signature: string;
            } | {
                /** @constant */
                type: "input_json_delta";
                partial_json: string;
            };
        } | {
            /** @constant */
            type: "content_block_stop";
            /** @description Position of the block in the message. */
            index: number;
        } | {
            /** @constant */
            type: "message_delta";
            delta: {
                /** @description null in `message_start`. */
                stop_reason: ("end_turn" | "max_tokens" | "stop_sequence" | "tool_use") | null;
                /** @description The one that ended the message. */
                stop_sequence: string | null;
                stop_details: null;
                container: null;
            };
            usage: components["schemas"]["MessageDeltaUsage"];
        } | {
            /** @constant */
            type: "message_stop";
        };
        /** @description Tokens of a message. */
        MessageDeltaUsage: {
            /** @description Prompt tokens that were evaluated. */
            input_tokens: number;
            /** @constant */
            cache_creation_input_tokens: 0;
            /** @description Prompt tokens that needed no evaluation. */
            cache_read_input_tokens: number;
            /** @description Every sampled token, including the end-of-generation token. */
            output_tokens: number;
            output_tokens_details: {
                /** @description Output tokens that are thinking. */
                thinking_tokens: number;
            };
            server_tool_use: null;
        };
        MessagesError: {
            /** @constant */
            type: "error";
            error: {
                /** @description Anthropic's error type. */
                type: string;
                /** @description What was expected and what was received. */
                message: string;
                /** @description For clients that go on in another way. */
                details?: {
                    error_code: string;
                };
            };
            /** @description The header `request-id`. */
            request_id: string;
        };
        MessageTokensCount: {
            /** @description Tokens of the whole prompt. */
            input_tokens: number;
        };
        OllamaChatResponse: {
            /** @description The name of the served model. */
            model: string;
            /** Format: date-time */
            created_at: string;
            /** @description true: nothing follows. */
            done: boolean;
            logprobs?: components["schemas"]["OllamaLogprobs"];
            message: {
                /** @constant */
                role: "assistant";
                content: string;
                thinking?: string;
                /** @description Each is complete. */
                tool_calls?: components["schemas"]["OllamaToolCall"][];
            };
            /**
             * @description `stop`: the model, a stop text or a tool call ended it; `length`: the limit; `load` and `unload`: there was nothing to answer.
             * @enum {string}
             */
            done_reason?: "stop" | "length" | "load" | "unload";
            /** @description From the request to the end. In nanoseconds. */
            total_duration?: number;
            /** @description Always 0: the model is loaded when the server starts. In nanoseconds. */
            load_duration?: number;
            /** @description Tokens of the whole prompt, cached or not. */
            prompt_eval_count?: number;
            /** @description From the lease of a slot to the first token. In nanoseconds. */
            prompt_eval_duration?: number;
            /** @description Every sampled token, including the end-of-generation token. */
            eval_count?: number;
            /** @description From the first token to the last. In nanoseconds. */
            eval_duration?: number;
        };
        /** @description The tokens of the text, which they concatenate to. */
        OllamaLogprobs: {
            /** @description May be a part of a character: see bytes. */
            token: string;
            /** @description By the model itself, before sampling parameters. */
            logprob: number;
            bytes: number[];
            top_logprobs?: {
                /** @description May be a part of a character: see bytes. */
                token: string;
                /** @description By the model itself, before sampling parameters. */
                logprob: number;
                bytes: number[];
            }[];
        }[];
        /** @description A function call that the model requests. */
        OllamaToolCall: {
            id: string;
            function: {
                name: string;
                arguments: {
                    [key: string]: unknown;
                };
            };
        };
        OllamaChatLine: components["schemas"]["OllamaChatResponse"] | components["schemas"]["OllamaError"];
        OllamaError: {
            /** @description What was expected and what was received. */
            error: string;
        };
        OllamaGenerateResponse: {
            /** @description The name of the served model. */
            model: string;
            /** Format: date-time */
            created_at: string;
            /** @description true: nothing follows. */
            done: boolean;
            logprobs?: components["schemas"]["OllamaLogprobs"];
            response: string;
            thinking?: string;
            /**
             * @description `stop`: the model, a stop text or a tool call ended it; `length`: the limit; `load` and `unload`: there was nothing to answer.
             * @enum {string}
             */
            done_reason?: "stop" | "length" | "load" | "unload";
            /** @description From the request to the end. In nanoseconds. */
            total_duration?: number;
            /** @description Always 0: the model is loaded when the server starts. In nanoseconds. */
            load_duration?: number;
            /** @description Tokens of the whole prompt, cached or not. */
            prompt_eval_count?: number;
            /** @description From the lease of a slot to the first token. In nanoseconds. */
            prompt_eval_duration?: number;
            /** @description Every sampled token, including the end-of-generation token. */
            eval_count?: number;
            /** @description From the first token to the last. In nanoseconds. */
            eval_duration?: number;
        };
        OllamaGenerateLine: components["schemas"]["OllamaGenerateResponse"] | components["schemas"]["OllamaError"];
        OllamaListedModels: {
            models: components["schemas"]["OllamaListedModel"][];
        };
        OllamaListedModel: {
            /** @description With a tag, by default `latest`. */
            name: string;
            /** @description Equal to `name`. */
            model: string;
            /** @description File size in bytes. */
            size: number;
            /** @description 64 hexadecimal digits that change with the model file and the server's version. */
            digest: string;
            details: components["schemas"]["OllamaModelDetails"];
            /**
             * Format: date-time
             * @description When the model was loaded.
             */
            modified_at: string;
        };
        OllamaModelDetails: {
            parent_model: string;
            /** @constant */
            format: "gguf";
            /** @description The architecture. */
            family: string;
            families: string[];
            /**
             * @description Rounded.
             * @example 4.44M
             */
            parameter_size: string;
            /**
             * @description llama.cpp's name of the file's type; `unknown` if the file has none.
             * @example Q8_0
             */
            quantization_level: string;
        };
        OllamaRunningModels: {
            models: components["schemas"]["OllamaRunningModel"][];
        };
        OllamaRunningModel: {
            /** @description With a tag, by default `latest`. */
            name: string;
            /** @description Equal to `name`. */
            model: string;
            /** @description File size in bytes. */
            size: number;
            /** @description 64 hexadecimal digits that change with the model file and the server's version. */
            digest: string;
            details: components["schemas"]["OllamaModelDetails"];
            /**
             * Format: date-time
             * @description In a hundred years: the model stays loaded.
             */
            expires_at: string;
            /** @description File size if a GPU computes the model, else 0. */
            size_vram: number;
            /** @description Maximum tokens of one request: prompt and answer together. */
            context_length: number;
        };
        OllamaShownModel: {
            license: string;
            modelfile: string;
            /** @description `num_ctx`: what one request may hold. */
            parameters: string;
            /** @description Always empty: not in the form that Ollama has. */
            template: string;
            system: string;
            details: components["schemas"]["OllamaModelDetails"];
            messages: unknown[];
            /** @description Keys of GGUF files. The context length is what one request may hold, not what the model was trained with. */
            model_info: {
                [key: string]: string | number;
            };
            capabilities: ("completion" | "tools" | "thinking" | "insert" | "embedding")[];
            /** Format: date-time */
            modified_at: string;
        };
        OllamaEmbedResponse: {
            /** @description The name of the served model. */
            model: string;
            /** @description From the request on. In nanoseconds. */
            total_duration: number;
            /** @description Always 0: the model is loaded. */
            load_duration: number;
            /** @description Tokens of all texts. */
            prompt_eval_count: number;
            /** @description Of unit length, in the order of the texts. */
            embeddings: number[][];
        };
        OllamaEmbeddingsResponse: {
            /** @description As the model computed it. */
            embedding: number[];
        };
        /** @description A page of to-do items. */
        TodoList: {
            /** @description The items of this page. */
            data: components["schemas"]["Todo"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description A to-do item. */
        Todo: {
            /**
             * @description Never reused for another item.
             * @example 1
             */
            id: number;
            /**
             * @description What is to be done; stored verbatim. Lengths are in characters (Unicode code points).
             * @example milk
             */
            title: string;
            /**
             * @description Whether it is done.
             * @example false
             */
            completed: boolean;
            /**
             * Format: date-time
             * @description When it was created: RFC 3339, in UTC.
             * @example 2026-11-21T20:59:59.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed; initially equal to `created_at`.
             * @example 2026-11-21T20:59:59.000Z
             */
            updated_at: string;
        };
        /** @description An error. */
        Error: {
            error: {
                /**
                 * @description Machine-readable.
                 * @example VALIDATION_FAILED
                 */
                code: string;
                /**
                 * @description Human-readable: what was expected and what was received.
                 * @example limit: expected an integer from 1 to 100, got "0".
                 */
                message: string;
                /** @description The invalid fields, with reasons. */
                details: {
                    /**
                     * @description The invalid body field, parameter or header.
                     * @example limit
                     */
                    field: string;
                    /** @example expected an integer from 1 to 100, got "0" */
                    reason: string;
                }[];
                /**
                 * @description The request's id, as in the header `X-Request-Id`.
                 * @example req_87c77efb-8c96-4b70-bb1c-01c42f67bffe
                 */
                request_id: string;
            };
        };
        /** @description A to-do item of the plain service. */
        PlainTodo: {
            /**
             * @description Never reused for another item.
             * @example 1
             */
            id: number;
            /** @example milk */
            title: string;
            /** @example false */
            completed: boolean;
        };
        /** @description An error of the plain service. */
        PlainError: {
            /**
             * @description What was expected and what was received.
             * @example title: expected a string of 1 to 10000 characters, not only white space, got nothing.
             */
            error: string;
        };
        Success: {
            /** @constant */
            success: true;
        };
        ServiceIndex: {
            /** @constant */
            name: "ggufd";
            /** @description The package version. */
            version: string;
            /** @description Path of the list of models. */
            models: string;
            /** @description Path of the readiness check. */
            health: string;
            /** @description Path of the OpenAPI description. */
            openapi: string;
            /** @description Path of the documentation page. */
            docs: string;
        };
        Health: {
            /**
             * @description `ok`: ready for traffic. The values are llama-server's where it defines them.
             * @enum {string}
             */
            status: "ok" | "loading model" | "restarting model" | "shutting down";
            /** @description Fraction of the model that is loaded, from 0 to 1. */
            progress?: number;
            /** @description Of each model, where there are several. */
            models?: components["schemas"]["ModelHealth"][];
        };
        ModelHealth: {
            model: string;
            /**
             * @description `ok`: ready for traffic. The values are llama-server's where it defines them.
             * @enum {string}
             */
            status: "ok" | "loading model" | "restarting model" | "shutting down";
            /** @description Fraction of the model that is loaded, from 0 to 1. */
            progress?: number;
        };
    };
    responses: never;
    parameters: {
        /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
        AcceptVersion: "1" | "v1";
        /** @description Alias of `Accept-Version`. */
        ApiVersion: "1" | "v1";
        /** @description Entity tags that the client has cached: 304 if the response has one of them. */
        IfNoneMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The request's id: the client's own if it is 1 to 128 letters, digits, `_`, `.`, `:` or `-`, otherwise a new one. */
        XRequestId: string;
        /** @description Seconds after which a retry makes sense. Absent when no retry will help. */
        RetryAfter: string;
        /** @description The request's id, as in `X-Request-Id`. */
        RequestId: string;
        /** @description A strong entity tag of the response (RFC 9110, section 8.8.3). */
        ETag: string;
        /** @description `no-cache`: a stored copy must be revalidated with `If-None-Match` before it is reused. */
        CacheControl: string;
        /** @description Request headers that the response depends on. */
        Vary: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createChatCompletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        responses: {
            /**
             * @description The completion, or, with `stream`, server-sent events. Each event is a line `data: {…}` with one JSON value, a
             *     `ChatCompletionChunk`, and an empty line; lines that begin with a colon are comments. The last event is `data: [DONE]`. An error
             *     after the first event is the last event instead, `data: {"error":{…}}`.
             *
             *     ```
             *     data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…,"choices":[{"index":0,"delta":{"role":"assistant","content":"I"},…}]}
             *
             *     data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…,"choices":[{"index":0,"delta":{},"finish_reason":"stop",…}],"timings":{…}}
             *
             *     data: [DONE]
             *     ```
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "chatcmpl-1b1c8e1e",
                     *       "object": "chat.completion",
                     *       "created": 1767225600,
                     *       "model": "ggufd-mini",
                     *       "system_fingerprint": "ggufd_da58c38a9978",
                     *       "choices": [
                     *         {
                     *           "index": 0,
                     *           "message": {
                     *             "role": "assistant",
                     *             "content": "I am ggufd mini.",
                     *             "refusal": null
                     *           },
                     *           "logprobs": null,
                     *           "finish_reason": "stop"
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 14,
                     *         "completion_tokens": 6,
                     *         "total_tokens": 20,
                     *         "prompt_tokens_details": {
                     *           "cached_tokens": 0
                     *         },
                     *         "completion_tokens_details": {
                     *           "reasoning_tokens": 0,
                     *           "accepted_prediction_tokens": 0,
                     *           "rejected_prediction_tokens": 0
                     *         }
                     *       },
                     *       "timings": {
                     *         "cache_n": 0,
                     *         "prompt_n": 14,
                     *         "prompt_ms": 20.8,
                     *         "predicted_n": 6,
                     *         "predicted_ms": 13.4,
                     *         "prompt_per_second": 673.1,
                     *         "predicted_per_second": 373.1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChatCompletion"];
                    /**
                     * @example {
                     *       "id": "chatcmpl-1b1c8e1e",
                     *       "object": "chat.completion.chunk",
                     *       "created": 1767225600,
                     *       "model": "ggufd-mini",
                     *       "system_fingerprint": "ggufd_da58c38a9978",
                     *       "choices": [
                     *         {
                     *           "index": 0,
                     *           "delta": {
                     *             "role": "assistant",
                     *             "content": "I"
                     *           },
                     *           "logprobs": null,
                     *           "finish_reason": null
                     *         }
                     *       ]
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ChatCompletionEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    countChatTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "ggufd-mini",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello! Who are you?"
                 *         }
                 *       ],
                 *       "max_tokens": 50
                 *     }
                 */
                "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        responses: {
            /** @description The tokens of the prompt. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "response.input_tokens",
                     *       "input_tokens": 14
                     *     }
                     */
                    "application/json": components["schemas"]["InputTokenCount"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description Maximum number of models in a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with the same sort and filters. */
                cursor?: string;
            };
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The served models. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "id": "ggufd-mini",
                     *           "object": "model",
                     *           "created": 1767225600,
                     *           "owned_by": "ggufd",
                     *           "root": "ggufd-mini",
                     *           "max_model_len": 2048,
                     *           "capabilities": [
                     *             "completion",
                     *             "tools",
                     *             "structured_output"
                     *           ],
                     *           "meta": {
                     *             "name": "ggufd mini",
                     *             "architecture": "llama",
                     *             "n_ctx": 2048,
                     *             "n_ctx_train": 2048,
                     *             "n_params": 4443392,
                     *             "n_vocab": 1984,
                     *             "size": 4794464,
                     *             "n_slots": 16
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next_cursor": null,
                     *         "has_more": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_cursor`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                /** @description The name of the model. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ggufd-mini",
                     *       "object": "model",
                     *       "created": 1767225600,
                     *       "owned_by": "ggufd",
                     *       "root": "ggufd-mini",
                     *       "max_model_len": 2048,
                     *       "capabilities": [
                     *         "completion",
                     *         "tools",
                     *         "structured_output"
                     *       ],
                     *       "meta": {
                     *         "name": "ggufd mini",
                     *         "architecture": "llama",
                     *         "n_ctx": 2048,
                     *         "n_ctx_train": 2048,
                     *         "n_params": 4443392,
                     *         "n_vocab": 1984,
                     *         "size": 4794464,
                     *         "n_slots": 16
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createCompletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TextCompletionRequest"];
            };
        };
        responses: {
            /** @description The completions, or, with `stream`, server-sent events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "cmpl-1b1c8e1e",
                     *       "object": "text_completion",
                     *       "created": 1767225600,
                     *       "model": "ggufd-mini",
                     *       "system_fingerprint": "ggufd_da58c38a9978",
                     *       "choices": [
                     *         {
                     *           "index": 0,
                     *           "text": " Paris.",
                     *           "logprobs": null,
                     *           "finish_reason": "stop"
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 6,
                     *         "completion_tokens": 3,
                     *         "total_tokens": 9,
                     *         "prompt_tokens_details": {
                     *           "cached_tokens": 0
                     *         },
                     *         "completion_tokens_details": {
                     *           "reasoning_tokens": 0,
                     *           "accepted_prediction_tokens": 0,
                     *           "rejected_prediction_tokens": 0
                     *         }
                     *       },
                     *       "timings": {
                     *         "cache_n": 0,
                     *         "prompt_n": 6,
                     *         "prompt_ms": 8.1,
                     *         "predicted_n": 3,
                     *         "predicted_ms": 5.2,
                     *         "prompt_per_second": 740.7,
                     *         "predicted_per_second": 384.6
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TextCompletion"];
                    /**
                     * @example {
                     *       "id": "cmpl-1b1c8e1e",
                     *       "object": "text_completion",
                     *       "created": 1767225600,
                     *       "model": "ggufd-mini",
                     *       "system_fingerprint": "ggufd_da58c38a9978",
                     *       "choices": [
                     *         {
                     *           "index": 0,
                     *           "text": " Paris",
                     *           "logprobs": null,
                     *           "finish_reason": null
                     *         }
                     *       ]
                     *     }
                     */
                    "text/event-stream": components["schemas"]["TextCompletionEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    infill: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "input_prefix": "def twice(x):\n    return ",
                 *       "input_suffix": "\n",
                 *       "n_predict": 16
                 *     }
                 */
                "application/json": components["schemas"]["InfillRequest"];
            };
        };
        responses: {
            /** @description What fills the gap. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "index": 0,
                     *       "content": "2 * x",
                     *       "tokens_predicted": 4,
                     *       "tokens_evaluated": 14,
                     *       "stop": true,
                     *       "model": "ggufd-mini",
                     *       "stop_type": "eos",
                     *       "stopping_word": "",
                     *       "has_new_line": false,
                     *       "truncated": false,
                     *       "tokens_cached": 0,
                     *       "timings": {
                     *         "cache_n": 0,
                     *         "prompt_n": 14,
                     *         "prompt_ms": 8.1,
                     *         "predicted_n": 4,
                     *         "predicted_ms": 5.2,
                     *         "prompt_per_second": 1728.4,
                     *         "predicted_per_second": 576.9
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InfillAnswer"];
                    /**
                     * @example {
                     *       "index": 0,
                     *       "content": "2",
                     *       "tokens_predicted": 1,
                     *       "tokens_evaluated": 14,
                     *       "stop": false
                     *     }
                     */
                    "text/event-stream": components["schemas"]["InfillEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    complete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "The capital of France is",
                 *       "n_predict": 3
                 *     }
                 */
                "application/json": components["schemas"]["NativeCompletionRequest"];
            };
        };
        responses: {
            /** @description The answer, a list of them for several prompts, or, with `stream`, server-sent events. With `response_fields` an answer has only these. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "index": 0,
                     *       "content": " Paris.",
                     *       "tokens": [],
                     *       "tokens_predicted": 3,
                     *       "tokens_evaluated": 6,
                     *       "stop": true,
                     *       "stop_type": "limit",
                     *       "stopping_word": "",
                     *       "has_new_line": false,
                     *       "truncated": false,
                     *       "tokens_cached": 0,
                     *       "timings": {
                     *         "cache_n": 0,
                     *         "prompt_n": 6,
                     *         "prompt_ms": 8.1,
                     *         "predicted_n": 3,
                     *         "predicted_ms": 5.2,
                     *         "prompt_per_second": 740.7,
                     *         "predicted_per_second": 384.6
                     *       },
                     *       "model": "ggufd-mini",
                     *       "prompt": "The capital of France is",
                     *       "generation_settings": {
                     *         "n_ctx": 2048,
                     *         "n_predict": 3,
                     *         "max_tokens": 3,
                     *         "n_probs": 0,
                     *         "stop": [],
                     *         "stream": false,
                     *         "ignore_eos": false,
                     *         "logit_bias": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NativeCompletions"];
                    /**
                     * @example {
                     *       "index": 0,
                     *       "content": " Paris",
                     *       "tokens": [
                     *         12366
                     *       ],
                     *       "tokens_predicted": 1,
                     *       "tokens_evaluated": 6,
                     *       "stop": false
                     *     }
                     */
                    "text/event-stream": components["schemas"]["NativeEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    completeToo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "The capital of France is",
                 *       "n_predict": 3
                 *     }
                 */
                "application/json": components["schemas"]["NativeCompletionRequest"];
            };
        };
        responses: {
            /** @description The answer, a list of them for several prompts, or, with `stream`, server-sent events. With `response_fields` an answer has only these. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "index": 0,
                     *       "content": " Paris.",
                     *       "tokens": [],
                     *       "tokens_predicted": 3,
                     *       "tokens_evaluated": 6,
                     *       "stop": true,
                     *       "stop_type": "limit",
                     *       "stopping_word": "",
                     *       "has_new_line": false,
                     *       "truncated": false,
                     *       "tokens_cached": 0,
                     *       "timings": {
                     *         "cache_n": 0,
                     *         "prompt_n": 6,
                     *         "prompt_ms": 8.1,
                     *         "predicted_n": 3,
                     *         "predicted_ms": 5.2,
                     *         "prompt_per_second": 740.7,
                     *         "predicted_per_second": 384.6
                     *       },
                     *       "model": "ggufd-mini",
                     *       "prompt": "The capital of France is",
                     *       "generation_settings": {
                     *         "n_ctx": 2048,
                     *         "n_predict": 3,
                     *         "max_tokens": 3,
                     *         "n_probs": 0,
                     *         "stop": [],
                     *         "stream": false,
                     *         "ignore_eos": false,
                     *         "logit_bias": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NativeCompletions"];
                    /**
                     * @example {
                     *       "index": 0,
                     *       "content": " Paris",
                     *       "tokens": [
                     *         12366
                     *       ],
                     *       "tokens_predicted": 1,
                     *       "tokens_evaluated": 6,
                     *       "stop": false
                     *     }
                     */
                    "text/event-stream": components["schemas"]["NativeEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getProps: {
        parameters: {
            query?: {
                /** @description The model's name. Default: the served model. */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server and a model. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "default_generation_settings": {
                     *         "n_ctx": 2048
                     *       },
                     *       "total_slots": 16,
                     *       "model_alias": "ggufd-mini",
                     *       "model_path": "ggufd-mini.gguf",
                     *       "chat_template": "{% for message in messages %}{{ message.content }}{% endfor %}",
                     *       "modalities": {
                     *         "vision": false,
                     *         "audio": false
                     *       },
                     *       "build_info": "ggufd 1.0.0",
                     *       "is_sleeping": false
                     *     }
                     */
                    "application/json": components["schemas"]["NativeProps"];
                };
            };
            /** @description Bad Request: `invalid_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getSlots: {
        parameters: {
            query?: {
                /** @description The model's name. Default: the served model. */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The slots of a model. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 0,
                     *         "n_ctx": 2048,
                     *         "speculative": false,
                     *         "is_processing": true,
                     *         "id_task": 7,
                     *         "n_held": 104,
                     *         "n_prompt_tokens": 120,
                     *         "n_prompt_tokens_cache": 96,
                     *         "next_token": [
                     *           {
                     *             "has_next_token": true,
                     *             "n_remain": 56,
                     *             "n_decoded": 8
                     *           }
                     *         ]
                     *       },
                     *       {
                     *         "id": 1,
                     *         "n_ctx": 2048,
                     *         "speculative": false,
                     *         "is_processing": false,
                     *         "n_held": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NativeSlots"];
                };
            };
            /** @description Bad Request: `invalid_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    commandSlot: {
        parameters: {
            query: {
                /** @description The model's name. Default: the served model. */
                model?: string;
                /** @description Whether what it holds is written to a file, read from one, or forgotten. */
                action: "save" | "restore" | "erase";
            };
            header?: never;
            path: {
                /** @description Number of the slot. */
                id: string;
            };
            cookie?: never;
        };
        /** @description Not needed to erase. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filename": "manual"
                 *     }
                 */
                "application/json": components["schemas"]["SlotCommand"];
            };
        };
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id_slot": 0,
                     *       "filename": "manual",
                     *       "n_saved": 812,
                     *       "n_written": 6721920,
                     *       "timings": {
                     *         "save_ms": 4.1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SlotCommandAnswer"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`, `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`, `storage_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    tokenize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Hello"
                 *     }
                 */
                "application/json": components["schemas"]["TokenizeRequest"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokens": [
                     *         15496
                     *       ],
                     *       "count": 1,
                     *       "max_model_len": 2048
                     *     }
                     */
                    "application/json": components["schemas"]["TokenizeResponse"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    detokenize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tokens": [
                 *         15496
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DetokenizeRequest"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": "Hello",
                     *       "prompt": "Hello"
                     *     }
                     */
                    "application/json": components["schemas"]["DetokenizeResponse"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    applyTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello!"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "prompt": "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
                     *     }
                     */
                    "application/json": components["schemas"]["ApplyTemplateResponse"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createEmbeddings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-small",
                 *       "input": [
                 *         "The cat sleeps.",
                 *         "A dog barks."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EmbeddingRequest"];
            };
        };
        responses: {
            /** @description The vectors. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "object": "embedding",
                     *           "index": 0,
                     *           "embedding": [
                     *             0.6,
                     *             -0.8,
                     *             0
                     *           ]
                     *         },
                     *         {
                     *           "object": "embedding",
                     *           "index": 1,
                     *           "embedding": [
                     *             0,
                     *             0.8,
                     *             0.6
                     *           ]
                     *         }
                     *       ],
                     *       "model": "bge-small",
                     *       "usage": {
                     *         "prompt_tokens": 12,
                     *         "total_tokens": 12
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmbeddingList"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    embed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "The cat sleeps."
                 *     }
                 */
                "application/json": components["schemas"]["NativeEmbeddingRequest"];
            };
        };
        responses: {
            /** @description The vectors. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "index": 0,
                     *         "embedding": [
                     *           [
                     *             0.6,
                     *             -0.8,
                     *             0
                     *           ]
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NativeEmbeddings"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    embedToo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "The cat sleeps."
                 *     }
                 */
                "application/json": components["schemas"]["NativeEmbeddingRequest"];
            };
        };
        responses: {
            /** @description The vectors. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "index": 0,
                     *         "embedding": [
                     *           [
                     *             0.6,
                     *             -0.8,
                     *             0
                     *           ]
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NativeEmbeddings"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createRanking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-reranker",
                 *       "query": "What sleeps?",
                 *       "documents": [
                 *         "A dog barks.",
                 *         "The cat sleeps."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RerankRequest"];
            };
        };
        responses: {
            /** @description The documents' places in the request with their scores. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rerank-1b1c8e1e",
                     *       "object": "list",
                     *       "model": "bge-reranker",
                     *       "results": [
                     *         {
                     *           "index": 1,
                     *           "relevance_score": 0.98
                     *         },
                     *         {
                     *           "index": 0,
                     *           "relevance_score": 0.01
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 22,
                     *         "total_tokens": 22
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Ranking"] | components["schemas"]["TextRanking"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createRankingByCohere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-reranker",
                 *       "query": "What sleeps?",
                 *       "documents": [
                 *         "A dog barks.",
                 *         "The cat sleeps."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RerankRequest"];
            };
        };
        responses: {
            /** @description The documents' places in the request with their scores. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rerank-1b1c8e1e",
                     *       "object": "list",
                     *       "model": "bge-reranker",
                     *       "results": [
                     *         {
                     *           "index": 1,
                     *           "relevance_score": 0.98
                     *         },
                     *         {
                     *           "index": 0,
                     *           "relevance_score": 0.01
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 22,
                     *         "total_tokens": 22
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Ranking"] | components["schemas"]["TextRanking"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createUnversionedRanking: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-reranker",
                 *       "query": "What sleeps?",
                 *       "documents": [
                 *         "A dog barks.",
                 *         "The cat sleeps."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RerankRequest"];
            };
        };
        responses: {
            /** @description The documents' places in the request with their scores. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rerank-1b1c8e1e",
                     *       "object": "list",
                     *       "model": "bge-reranker",
                     *       "results": [
                     *         {
                     *           "index": 1,
                     *           "relevance_score": 0.98
                     *         },
                     *         {
                     *           "index": 0,
                     *           "relevance_score": 0.01
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 22,
                     *         "total_tokens": 22
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Ranking"] | components["schemas"]["TextRanking"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createScores: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-reranker",
                 *       "text_1": "What sleeps?",
                 *       "text_2": [
                 *         "A dog barks.",
                 *         "The cat sleeps."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ScoreRequest"];
            };
        };
        responses: {
            /** @description The scores, in the order of the pairs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "score-1b1c8e1e",
                     *       "object": "list",
                     *       "created": 1767225600,
                     *       "model": "bge-reranker",
                     *       "data": [
                     *         {
                     *           "index": 0,
                     *           "object": "score",
                     *           "score": 0.01
                     *         },
                     *         {
                     *           "index": 1,
                     *           "object": "score",
                     *           "score": 0.98
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 22,
                     *         "total_tokens": 22
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ScoreList"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createResponse: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResponseRequest"];
            };
        };
        responses: {
            /** @description The response, or, with `stream`, server-sent events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "resp_1b1c",
                     *       "object": "response",
                     *       "created_at": 1767225600,
                     *       "completed_at": 1767225601,
                     *       "status": "completed",
                     *       "background": false,
                     *       "error": null,
                     *       "incomplete_details": null,
                     *       "model": "ggufd-mini",
                     *       "output": [
                     *         {
                     *           "type": "message",
                     *           "id": "msg_9a3e",
                     *           "role": "assistant",
                     *           "status": "completed",
                     *           "content": [
                     *             {
                     *               "type": "output_text",
                     *               "text": "I am ggufd mini.",
                     *               "annotations": [],
                     *               "logprobs": []
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "usage": {
                     *         "input_tokens": 14,
                     *         "input_tokens_details": {
                     *           "cached_tokens": 0,
                     *           "cache_write_tokens": 0
                     *         },
                     *         "output_tokens": 6,
                     *         "output_tokens_details": {
                     *           "reasoning_tokens": 0
                     *         },
                     *         "total_tokens": 20
                     *       },
                     *       "previous_response_id": null,
                     *       "conversation": null,
                     *       "instructions": null,
                     *       "tools": [],
                     *       "tool_choice": "auto",
                     *       "parallel_tool_calls": true,
                     *       "max_tool_calls": null,
                     *       "max_output_tokens": null,
                     *       "temperature": null,
                     *       "top_p": null,
                     *       "top_logprobs": 0,
                     *       "text": {
                     *         "format": {
                     *           "type": "text"
                     *         },
                     *         "verbosity": "medium"
                     *       },
                     *       "reasoning": {
                     *         "effort": null,
                     *         "summary": null
                     *       },
                     *       "truncation": "disabled",
                     *       "metadata": {},
                     *       "store": true,
                     *       "service_tier": "default",
                     *       "safety_identifier": null,
                     *       "prompt_cache_key": null
                     *     }
                     */
                    "application/json": components["schemas"]["Response"];
                    /**
                     * @example {
                     *       "type": "response.output_text.delta",
                     *       "sequence_number": 4,
                     *       "item_id": "msg_9a3e",
                     *       "output_index": 0,
                     *       "content_index": 0,
                     *       "delta": "I",
                     *       "logprobs": []
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ResponseStreamEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `previous_response_not_found`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`, `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    countInputTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "ggufd-mini",
                 *       "input": "Hello! Who are you?"
                 *     }
                 */
                "application/json": components["schemas"]["ResponseRequest"];
            };
        };
        responses: {
            /** @description The tokens of the prompt. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "response.input_tokens",
                     *       "input_tokens": 14
                     *     }
                     */
                    "application/json": components["schemas"]["InputTokenCount"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `previous_response_not_found`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `model_not_found`, `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    refuseCompaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getResponse: {
        parameters: {
            query?: {
                /** @description true: its events, if it was created with `background` and `stream`. */
                stream?: boolean;
                /** @description The `sequence_number` of the last event that is already known. */
                starting_after?: number;
            };
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response, or, with `stream`, its events from the beginning. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "resp_1b1c",
                     *       "object": "response",
                     *       "created_at": 1767225600,
                     *       "completed_at": 1767225601,
                     *       "status": "completed",
                     *       "background": false,
                     *       "error": null,
                     *       "incomplete_details": null,
                     *       "model": "ggufd-mini",
                     *       "output": [
                     *         {
                     *           "type": "message",
                     *           "id": "msg_9a3e",
                     *           "role": "assistant",
                     *           "status": "completed",
                     *           "content": [
                     *             {
                     *               "type": "output_text",
                     *               "text": "I am ggufd mini.",
                     *               "annotations": [],
                     *               "logprobs": []
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "usage": {
                     *         "input_tokens": 14,
                     *         "input_tokens_details": {
                     *           "cached_tokens": 0,
                     *           "cache_write_tokens": 0
                     *         },
                     *         "output_tokens": 6,
                     *         "output_tokens_details": {
                     *           "reasoning_tokens": 0
                     *         },
                     *         "total_tokens": 20
                     *       },
                     *       "previous_response_id": null,
                     *       "conversation": null,
                     *       "instructions": null,
                     *       "tools": [],
                     *       "tool_choice": "auto",
                     *       "parallel_tool_calls": true,
                     *       "max_tool_calls": null,
                     *       "max_output_tokens": null,
                     *       "temperature": null,
                     *       "top_p": null,
                     *       "top_logprobs": 0,
                     *       "text": {
                     *         "format": {
                     *           "type": "text"
                     *         },
                     *         "verbosity": "medium"
                     *       },
                     *       "reasoning": {
                     *         "effort": null,
                     *         "summary": null
                     *       },
                     *       "truncation": "disabled",
                     *       "metadata": {},
                     *       "store": true,
                     *       "service_tier": "default",
                     *       "safety_identifier": null,
                     *       "prompt_cache_key": null
                     *     }
                     */
                    "application/json": components["schemas"]["Response"];
                    /**
                     * @example {
                     *       "type": "response.output_text.delta",
                     *       "sequence_number": 4,
                     *       "item_id": "msg_9a3e",
                     *       "output_index": 0,
                     *       "content_index": 0,
                     *       "delta": "I",
                     *       "logprobs": []
                     *     }
                     */
                    "text/event-stream": components["schemas"]["ResponseStreamEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    deleteResponse: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "resp_1b1c",
                     *       "object": "response",
                     *       "deleted": true
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedResponse"];
                };
            };
            /** @description Bad Request: `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    cancelResponse: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response as it stays. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "resp_1b1c",
                     *       "object": "response",
                     *       "created_at": 1767225600,
                     *       "completed_at": 1767225601,
                     *       "status": "cancelled",
                     *       "background": true,
                     *       "error": null,
                     *       "incomplete_details": null,
                     *       "model": "ggufd-mini",
                     *       "output": [],
                     *       "usage": {
                     *         "input_tokens": 14,
                     *         "input_tokens_details": {
                     *           "cached_tokens": 0,
                     *           "cache_write_tokens": 0
                     *         },
                     *         "output_tokens": 6,
                     *         "output_tokens_details": {
                     *           "reasoning_tokens": 0
                     *         },
                     *         "total_tokens": 20
                     *       },
                     *       "previous_response_id": null,
                     *       "conversation": null,
                     *       "instructions": null,
                     *       "tools": [],
                     *       "tool_choice": "auto",
                     *       "parallel_tool_calls": true,
                     *       "max_tool_calls": null,
                     *       "max_output_tokens": null,
                     *       "temperature": null,
                     *       "top_p": null,
                     *       "top_logprobs": 0,
                     *       "text": {
                     *         "format": {
                     *           "type": "text"
                     *         },
                     *         "verbosity": "medium"
                     *       },
                     *       "reasoning": {
                     *         "effort": null,
                     *         "summary": null
                     *       },
                     *       "truncation": "disabled",
                     *       "metadata": {},
                     *       "store": true,
                     *       "service_tier": "default",
                     *       "safety_identifier": null,
                     *       "prompt_cache_key": null
                     *     }
                     */
                    "application/json": components["schemas"]["Response"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    listInputItems: {
        parameters: {
            query?: {
                /** @description Maximum number of items. Default: 20. */
                limit?: number;
                /** @description Default: desc, the latest first. */
                order?: "asc" | "desc";
                /** @description The id of the last item of the previous page. */
                after?: string;
            };
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of items. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "type": "message",
                     *           "id": "msg_2f6b",
                     *           "role": "user",
                     *           "status": "completed",
                     *           "content": [
                     *             {
                     *               "type": "input_text",
                     *               "text": "Hello! Who are you?"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "first_id": "msg_2f6b",
                     *       "last_id": "msg_2f6b",
                     *       "has_more": false
                     *     }
                     */
                    "application/json": components["schemas"]["ResponseItemList"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "role": "system",
                 *           "content": "Be brief."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewConversation"];
            };
        };
        responses: {
            /** @description The conversation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "conv_77d0",
                     *       "object": "conversation",
                     *       "created_at": 1767225600,
                     *       "metadata": {
                     *         "topic": "greetings"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conversation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "conv_77d0",
                     *       "object": "conversation",
                     *       "created_at": 1767225600,
                     *       "metadata": {
                     *         "topic": "greetings"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description Bad Request: `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    updateConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metadata": {
                 *         "topic": "greetings"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ConversationChange"];
            };
        };
        responses: {
            /** @description The conversation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "conv_77d0",
                     *       "object": "conversation",
                     *       "created_at": 1767225600,
                     *       "metadata": {
                     *         "topic": "greetings"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    deleteConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "conv_77d0",
                     *       "object": "conversation.deleted",
                     *       "deleted": true
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedConversation"];
                };
            };
            /** @description Bad Request: `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    listConversationItems: {
        parameters: {
            query?: {
                /** @description Maximum number of items. Default: 20. */
                limit?: number;
                /** @description Default: desc, the latest first. */
                order?: "asc" | "desc";
                /** @description The id of the last item of the previous page. */
                after?: string;
            };
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of items. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "type": "message",
                     *           "id": "msg_2f6b",
                     *           "role": "user",
                     *           "status": "completed",
                     *           "content": [
                     *             {
                     *               "type": "input_text",
                     *               "text": "Hello! Who are you?"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "first_id": "msg_2f6b",
                     *       "last_id": "msg_2f6b",
                     *       "has_more": false
                     *     }
                     */
                    "application/json": components["schemas"]["ResponseItemList"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createConversationItems: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello! Who are you?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewConversationItems"];
            };
        };
        responses: {
            /** @description A page of items. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "type": "message",
                     *           "id": "msg_2f6b",
                     *           "role": "user",
                     *           "status": "completed",
                     *           "content": [
                     *             {
                     *               "type": "input_text",
                     *               "text": "Hello! Who are you?"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "first_id": "msg_2f6b",
                     *       "last_id": "msg_2f6b",
                     *       "has_more": false
                     *     }
                     */
                    "application/json": components["schemas"]["ResponseItemList"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getConversationItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "message",
                     *       "id": "msg_2f6b",
                     *       "role": "user",
                     *       "status": "completed",
                     *       "content": [
                     *         {
                     *           "type": "input_text",
                     *           "text": "Hello! Who are you?"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResponseItem"];
                };
            };
            /** @description Bad Request: `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    deleteConversationItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
            };
            path: {
                id: string;
                item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conversation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "conv_77d0",
                     *       "object": "conversation",
                     *       "created_at": 1767225600,
                     *       "metadata": {
                     *         "topic": "greetings"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description Bad Request: `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    createMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Any is accepted. */
                "anthropic-version"?: string;
                /** @description Ignored. */
                "anthropic-beta"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessagesRequest"];
            };
        };
        responses: {
            /**
             * @description The message, or, with `stream`, server-sent events. The name of an event is the `type` of its data: `message_start`, then for
             *     each block `content_block_start`, its deltas and `content_block_stop`, then `message_delta` and `message_stop`. A `ping` keeps a silent stream
             *     open. An error after the first event is the last event instead, `error`.
             *
             *     ```
             *     event: content_block_delta
             *     data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I"}}
             *     ```
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "msg_1b1c8e1e",
                     *       "type": "message",
                     *       "role": "assistant",
                     *       "model": "ggufd-mini",
                     *       "content": [
                     *         {
                     *           "type": "text",
                     *           "text": "I am ggufd mini.",
                     *           "citations": []
                     *         }
                     *       ],
                     *       "stop_reason": "end_turn",
                     *       "stop_sequence": null,
                     *       "stop_details": null,
                     *       "container": null,
                     *       "diagnostics": null,
                     *       "usage": {
                     *         "input_tokens": 14,
                     *         "cache_creation_input_tokens": 0,
                     *         "cache_read_input_tokens": 0,
                     *         "output_tokens": 6,
                     *         "output_tokens_details": {
                     *           "thinking_tokens": 0
                     *         },
                     *         "server_tool_use": null,
                     *         "cache_creation": {
                     *           "ephemeral_1h_input_tokens": 0,
                     *           "ephemeral_5m_input_tokens": 0
                     *         },
                     *         "inference_geo": null,
                     *         "service_tier": "standard",
                     *         "speed": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                    /**
                     * @example {
                     *       "type": "content_block_delta",
                     *       "index": 0,
                     *       "delta": {
                     *         "type": "text_delta",
                     *         "text": "I"
                     *       }
                     *     }
                     */
                    "text/event-stream": components["schemas"]["MessagesEvent"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description 529: `server_overloaded`. */
            529: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
        };
    };
    countMessageTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Any is accepted. */
                "anthropic-version"?: string;
                /** @description Ignored. */
                "anthropic-beta"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "ggufd-mini",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello! Who are you?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CountTokensRequest"];
            };
        };
        responses: {
            /** @description The tokens of the prompt. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "input_tokens": 14
                     *     }
                     */
                    "application/json": components["schemas"]["MessageTokensCount"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesError"];
                };
            };
        };
    };
    createOllamaChat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "ggufd-mini",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "Hello! Who are you?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OllamaChatRequest"];
            };
        };
        responses: {
            /** @description Lines of JSON, of which the last has `done: true`; an error after the first line is the last line instead. With `stream: false`, or if there is nothing to answer, one JSON value. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "model": "ggufd-mini",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "done": true,
                     *       "done_reason": "stop",
                     *       "total_duration": 36100000,
                     *       "load_duration": 0,
                     *       "prompt_eval_count": 14,
                     *       "prompt_eval_duration": 20800000,
                     *       "eval_count": 6,
                     *       "eval_duration": 13400000,
                     *       "message": {
                     *         "role": "assistant",
                     *         "content": "I am ggufd mini."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaChatResponse"];
                    /**
                     * @example {
                     *       "model": "ggufd-mini",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "done": true,
                     *       "done_reason": "stop",
                     *       "total_duration": 36100000,
                     *       "load_duration": 0,
                     *       "prompt_eval_count": 14,
                     *       "prompt_eval_duration": 20800000,
                     *       "eval_count": 6,
                     *       "eval_duration": 13400000,
                     *       "message": {
                     *         "role": "assistant",
                     *         "content": "I am ggufd mini."
                     *       }
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["OllamaChatLine"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    createOllamaAnswer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "ggufd-mini",
                 *       "prompt": "Hello! Who are you?",
                 *       "stream": false
                 *     }
                 */
                "application/json": components["schemas"]["OllamaGenerateRequest"];
            };
        };
        responses: {
            /** @description Lines of JSON, of which the last has `done: true`; an error after the first line is the last line instead. With `stream: false`, or if there is nothing to answer, one JSON value. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "model": "ggufd-mini",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "done": true,
                     *       "done_reason": "stop",
                     *       "total_duration": 36100000,
                     *       "load_duration": 0,
                     *       "prompt_eval_count": 14,
                     *       "prompt_eval_duration": 20800000,
                     *       "eval_count": 6,
                     *       "eval_duration": 13400000,
                     *       "response": "I am ggufd mini."
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaGenerateResponse"];
                    /**
                     * @example {
                     *       "model": "ggufd-mini",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "done": true,
                     *       "done_reason": "stop",
                     *       "total_duration": 36100000,
                     *       "load_duration": 0,
                     *       "prompt_eval_count": 14,
                     *       "prompt_eval_duration": 20800000,
                     *       "eval_count": 6,
                     *       "eval_duration": 13400000,
                     *       "response": "I am ggufd mini."
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["OllamaGenerateLine"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    listOllamaModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "models": [
                     *         {
                     *           "name": "ggufd-mini:latest",
                     *           "model": "ggufd-mini:latest",
                     *           "size": 4794464,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "details": {
                     *             "parent_model": "",
                     *             "format": "gguf",
                     *             "family": "llama",
                     *             "families": [
                     *               "llama"
                     *             ],
                     *             "parameter_size": "4.44M",
                     *             "quantization_level": "Q8_0"
                     *           },
                     *           "modified_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaListedModels"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    listRunningOllamaModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "models": [
                     *         {
                     *           "name": "ggufd-mini:latest",
                     *           "model": "ggufd-mini:latest",
                     *           "size": 4794464,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "details": {
                     *             "parent_model": "",
                     *             "format": "gguf",
                     *             "family": "llama",
                     *             "families": [
                     *               "llama"
                     *             ],
                     *             "parameter_size": "4.44M",
                     *             "quantization_level": "Q8_0"
                     *           },
                     *           "expires_at": "2126-01-01T00:00:00.000Z",
                     *           "size_vram": 0,
                     *           "context_length": 2048
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaRunningModels"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    showOllamaModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "ggufd-mini"
                 *     }
                 */
                "application/json": components["schemas"]["OllamaShowRequest"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "license": "",
                     *       "modelfile": "",
                     *       "parameters": "num_ctx 2048",
                     *       "template": "",
                     *       "system": "",
                     *       "details": {
                     *         "parent_model": "",
                     *         "format": "gguf",
                     *         "family": "llama",
                     *         "families": [
                     *           "llama"
                     *         ],
                     *         "parameter_size": "4.44M",
                     *         "quantization_level": "Q8_0"
                     *       },
                     *       "messages": [],
                     *       "model_info": {
                     *         "general.architecture": "llama",
                     *         "llama.context_length": 2048
                     *       },
                     *       "capabilities": [
                     *         "completion",
                     *         "tools"
                     *       ],
                     *       "modified_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaShownModel"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    createOllamaEmbeddings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-small",
                 *       "input": [
                 *         "The cat sleeps.",
                 *         "A dog barks."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OllamaEmbedRequest"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "model": "bge-small",
                     *       "total_duration": 14100000,
                     *       "load_duration": 0,
                     *       "prompt_eval_count": 12,
                     *       "embeddings": [
                     *         [
                     *           0.6,
                     *           -0.8,
                     *           0
                     *         ],
                     *         [
                     *           0,
                     *           0.8,
                     *           0.6
                     *         ]
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaEmbedResponse"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    createOllamaEmbedding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "bge-small",
                 *       "prompt": "The cat sleeps."
                 *     }
                 */
                "application/json": components["schemas"]["OllamaEmbeddingsRequest"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "embedding": [
                     *         1.2,
                     *         -1.6,
                     *         0
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OllamaEmbeddingsResponse"];
                };
            };
            /** @description Bad Request: `invalid_request`, `context_length_exceeded`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Not Found: `model_not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Service Unavailable: `model_loading`, `model_unavailable`, `shutting_down`, `server_overloaded`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    getOllamaVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0"
                     *     }
                     */
                    "application/json": {
                        /** @description Of ggufd. */
                        version: string;
                    };
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    refuseOllamaPull: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    refuseOllamaPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    refuseOllamaCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    refuseOllamaCopy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    refuseOllamaDelete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    refuseOllamaBlobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bad Request: `invalid_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Implemented: `unsupported_operation`. */
            501: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OllamaError"];
                };
            };
        };
    };
    listTodos: {
        parameters: {
            query?: {
                /** @description Maximum number of items in a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with the same sort and filters. */
                cursor?: string;
                /** @description The order: fields, separated by commas, most significant first, with `-` for descending order. Ties are in order of ids. For example `-completed,title`. */
                sort?: string;
                /** @description Only items that are done, or only those that are not. */
                completed?: boolean;
                /** @description Only items whose title contains this text; case-insensitive. */
                title?: string;
            };
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Entity tags, separated by commas, or `*`: 304 if the response has one of them. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 1,
                     *           "title": "milk",
                     *           "completed": false,
                     *           "created_at": "2026-11-21T20:59:59.000Z",
                     *           "updated_at": "2026-11-21T20:59:59.000Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next_cursor": null,
                     *         "has_more": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TodoList"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `invalid_request`, `invalid_cursor`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description A retry with the same key and body within a day has the response of the first request; no second item is created. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "milk"
                 *     }
                 */
                "application/json": components["schemas"]["NewTodo"];
            };
        };
        responses: {
            /** @description The item as it was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    /** @description Path of the item. */
                    Location: string;
                    /** @description An earlier request with the same key created the item. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "title": "milk",
                     *       "completed": false,
                     *       "created_at": "2026-11-21T20:59:59.000Z",
                     *       "updated_at": "2026-11-21T20:59:59.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Todo"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `idempotency_key_reused`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`, `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Entity tags, separated by commas, or `*`: 304 if the response has one of them. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "title": "milk",
                     *       "completed": false,
                     *       "created_at": "2026-11-21T20:59:59.000Z",
                     *       "updated_at": "2026-11-21T20:59:59.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Todo"];
                };
            };
            /** @description The cached response is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Entity tags, separated by commas, or `*`: the item is only changed if it still has one of them, otherwise 409. */
                "If-Match"?: string;
                /** @description Entity tags, separated by commas, or `*`: the item is only changed if it has none of them, otherwise 409. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "oat milk",
                 *       "completed": true
                 *     }
                 */
                "application/json": components["schemas"]["TodoReplacement"];
            };
        };
        responses: {
            /** @description The updated item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "title": "milk",
                     *       "completed": false,
                     *       "created_at": "2026-11-21T20:59:59.000Z",
                     *       "updated_at": "2026-11-21T20:59:59.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Todo"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `etag_mismatch`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed`, `validation_failed`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`, `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Entity tags, separated by commas, or `*`: the item is only changed if it still has one of them, otherwise 409. */
                "If-Match"?: string;
                /** @description Entity tags, separated by commas, or `*`: the item is only changed if it has none of them, otherwise 409. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `etag_mismatch`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`, `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that the client expects. On a path without a prefix (`/todos`) it selects the version. */
                "Accept-Version"?: components["parameters"]["AcceptVersion"];
                /** @description Alias of `Accept-Version`. */
                "API-Version"?: components["parameters"]["ApiVersion"];
                /** @description Entity tags, separated by commas, or `*`: the item is only changed if it still has one of them, otherwise 409. */
                "If-Match"?: string;
                /** @description Entity tags, separated by commas, or `*`: the item is only changed if it has none of them, otherwise 409. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "completed": true
                 *     }
                 */
                "application/json": components["schemas"]["TodoUpdate"];
            };
        };
        responses: {
            /** @description The updated item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "title": "milk",
                     *       "completed": false,
                     *       "created_at": "2026-11-21T20:59:59.000Z",
                     *       "updated_at": "2026-11-21T20:59:59.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Todo"];
                };
            };
            /** @description Bad Request: `invalid_request`, `unsupported_version`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `etag_mismatch`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed`, `validation_failed`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`, `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPlainTodos: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All items, in the order of their creation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "title": "milk",
                     *         "completed": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PlainTodo"][];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    createPlainTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description `return=minimal` requests the minimal response (RFC 7240). */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "milk"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What is to be done; stored verbatim. Lengths are in characters (Unicode code points).
                     * @example milk
                     */
                    title: string;
                    /**
                     * @description Whether it is done: any JSON value, coerced by truthiness.
                     * @example false
                     */
                    completed?: unknown;
                };
            };
        };
        responses: {
            /** @description The item. The minimal response is `{"success":true}`. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Vary: components["headers"]["Vary"];
                    /** @description Present when the response is minimal. */
                    "Preference-Applied"?: "return=minimal";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "title": "milk",
                     *       "completed": false
                     *     }
                     */
                    "application/json": components["schemas"]["PlainTodo"] | components["schemas"]["Success"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    deletePlainTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description `return=minimal` requests the minimal response (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item was deleted. The minimal response is `{"success":true}`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Vary: components["headers"]["Vary"];
                    /** @description Present when the response is minimal. */
                    "Preference-Applied"?: "return=minimal";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        deleted: true;
                    } | components["schemas"]["Success"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    updatePlainTodo: {
        parameters: {
            query?: never;
            header?: {
                /** @description `return=minimal` requests the minimal response (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "completed": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether it is done: any JSON value, coerced by truthiness.
                     * @example true
                     */
                    completed?: unknown;
                };
            };
        };
        responses: {
            /** @description The item was changed. The minimal response is `{"success":true}`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Vary: components["headers"]["Vary"];
                    /** @description Present when the response is minimal. */
                    "Preference-Applied"?: "return=minimal";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "updated": true
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        updated: true;
                    } | components["schemas"]["Success"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    getIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The name of the server and the paths of its main resources. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "ggufd",
                     *       "version": "0.1.0",
                     *       "models": "/v1/models",
                     *       "health": "/health",
                     *       "openapi": "/openapi.json",
                     *       "docs": "/docs"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceIndex"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready for traffic. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not ready for traffic: the model is loading or restarting, or the server is shutting down. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "loading model",
                     *       "progress": 0.4
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready for traffic. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not ready for traffic: the model is loading or restarting, or the server is shutting down. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "loading model",
                     *       "progress": 0.4
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready for traffic. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics, in Prometheus' text format. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # HELP ggufd:num_requests_running Answers that have a slot.
                     *     # TYPE ggufd:num_requests_running gauge
                     *     ggufd:num_requests_running{model_name="ggufd-mini"} 3
                     */
                    "text/plain": string;
                };
            };
            /** @description Unauthorized: `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Forbidden: `permission_denied`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getOpenApiJson: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has cached: 304 if the response has one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The description of this interface. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The cached copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getOpenApiYaml: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has cached: 304 if the response has one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The description of this interface. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    "application/yaml": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The cached copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. It loads nothing from other origins. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Content-Security-Policy": string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html>… */
                    "text/html": string;
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    getDocsFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has cached: 304 if the response has one of them. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                file: "initialiser.js" | "page.css" | "favicon-32x32.png" | "swagger-ui-bundle.js" | "swagger-ui.css";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description An entity tag; only files of Swagger UI have one. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example body { margin: 0; } */
                    "text/css": string;
                    /** @example SwaggerUIBundle({}); */
                    "text/javascript": string;
                    "image/png": unknown;
                };
            };
            /** @description The cached copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description An entity tag; only files of Swagger UI have one. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `invalid_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
        };
    };
    listSimplerTodos: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All items, in the order of their creation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "title": "milk",
                     *         "completed": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PlainTodo"][];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    createSimplerTodo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "milk"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What is to be done; stored verbatim. Lengths are in characters (Unicode code points).
                     * @example milk
                     */
                    title: string;
                    /**
                     * @description Whether it is done: any JSON value, coerced by truthiness.
                     * @example false
                     */
                    completed?: unknown;
                };
            };
        };
        responses: {
            /** @description The item was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Success"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    deleteSimplerTodo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item was deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Success"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
    updateSimplerTodo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the item. */
                id: number;
            };
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "completed": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether it is done: any JSON value, coerced by truthiness.
                     * @example true
                     */
                    completed?: unknown;
                };
            };
        };
        responses: {
            /** @description The item was changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true
                     *     }
                     */
                    "application/json": components["schemas"]["Success"];
                };
            };
            /** @description Bad Request: `invalid_request`, `invalid_request`, `invalid_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Not Found: `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Payload Too Large: `payload_too_large`. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type`. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too Many Requests: `too_many_changes`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Request Header Fields Too Large: `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAiError"];
                };
            };
            /** @description Internal Server Error: `internal_error`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable`, `shutting_down`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Insufficient Storage: `storage_full`. */
            507: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    /** @description When the route was deprecated, in Unix time (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the route may be removed (RFC 8594). */
                    Sunset?: string;
                    /** @description The route that replaces it. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
        };
    };
}
