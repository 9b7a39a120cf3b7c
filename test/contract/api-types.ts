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
            tools?: components["schemas"]["Tool"][] | null;
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
            tool_calls?: components["schemas"]["RequestToolCall"][] | null;
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
        /** @description A call that the assistant made earlier. */
        RequestToolCall: {
            id: string;
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
            /** @constant */
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
        /** @description Whether the model may or must call functions, and which. Default: auto. */
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
                tools: ({
                    /** @constant */
                    type: "function";
                    function: {
                        name: string;
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                })[];
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
        /** @description A function call that the model requests. */
        ToolCall: {
            id: string;
            /** @constant */
            type: "function";
            function: {
                name: string;
                /** @description JSON in a string. */
                arguments: string;
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
            /** @description One choice, or none in the chunk with the usage. */
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
            /** @description In the chunk with the finish reason. */
            timings?: components["schemas"]["Timings"];
        };
        /** @description The first delta of a call has its function's name and empty arguments; the arguments follow. */
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
            /** @description Bad Request: `invalid_request`, `invalid_json`, `unsupported_parameter`, `context_length_exceeded`, `chat_template_error`, `unsupported_version`. */
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
            /** @description Too Many Requests: `too_many_changes`. */
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
            /** @description Too Many Requests: `too_many_changes`. */
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
            /** @description Too Many Requests: `too_many_changes`. */
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
            /** @description Too Many Requests: `too_many_changes`. */
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
