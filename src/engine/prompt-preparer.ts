import { basename } from "node:path";
import { formatReason } from "../core/format-reason.js";
import type {
  ChatPrompt,
  GenerationDefaults,
  GenerationRequest,
} from "../core/generation-request.js";
import type { MetadataOverride } from "../core/metadata-override.js";
import type { RequestedConstraint } from "../core/output-constraint.js";
import type { OutputFormat, ToolFormat } from "../core/output-format.js";
import { StartupError } from "../core/startup-error.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { loadVocabularyOnly } from "./loading/model-loading.js";
import { type ModelMetadata, readModelMetadata } from "./loading/model-metadata.js";
import { chooseOutputFormat } from "./text/output/choose-output-format.js";
import {
  buildAnswerGrammar,
  buildTextGrammar,
  constrainReading,
} from "./text/output/grammars/answer-grammar.js";
import { answerTextQuestion, type Tokenizers } from "./text/prompt/answer-text-question.js";
import { CHATML_TEMPLATE, ChatTemplate } from "./text/prompt/chat-template.js";
import { isReservedName } from "./text/prompt/jinja/template.js";
import { type PreparedGeneration, prepareGeneration } from "./text/prompt/prepared-generation.js";
import {
  PromptTokenizer,
  RawTokenizer,
  tokenizePrediction,
} from "./text/prompt/prompt-tokenizer.js";
import {
  createReasoningLimit,
  defaultBudget,
  determineReasoningClosing,
  withDefaultBudget,
  withReasoningBudget,
} from "./text/prompt/reasoning-budget.js";
import { readVocabulary, type Vocabulary } from "./text/vocabulary/vocabulary.js";

/** Renders, tokenises and checks prompts. */
export interface PromptPreparer {
  readonly outputFormat: OutputFormat;
  /** Whether the model's chat template contains reasoning. */
  readonly rendersReasoning: boolean;
  /** @throws {GgufdError} `context_length_exceeded`, `chat_template_error`, `invalid_request` */
  prepare(request: GenerationRequest): PreparedGeneration;
  /** Implements {@link TextService}. */
  ask(question: TextQuestion): TextAnswer;
}

/** Settings of a model's prompts and answers that its file does not determine. Plain data. */
export interface PromptSettings {
  readonly toolFormat: ToolFormat;
  /** Jinja template, or `chatml`; absent: the template of the model's file. */
  readonly chatTemplate?: string | undefined;
  /** System message for conversations without one; absent: none is added. */
  readonly systemPrompt?: string | undefined;
  /** Variables of the chat template, which those of a request override. @default {} */
  readonly templateVariables?: ChatPrompt["templateVariables"] | undefined;
  /** Tokens of reasoning for requests without a budget; -1: unlimited. @default -1 */
  readonly reasoningBudget?: number | undefined;
  /** Constraint on answers to requests with neither a constraint nor tools; absent: none. */
  readonly constraint?: RequestedConstraint | undefined;
  readonly defaults: Pick<GenerationDefaults, "maxTokens">;
}

export interface PreparedModel {
  readonly vocabulary: Vocabulary;
  readonly metadata: Pick<ModelMetadata, "chatTemplate">;
  /** Maximum number of tokens per request. */
  readonly contextSize: number;
  readonly settings: PromptSettings;
}

/** Name in configurations for the default template of models without one, as in llama.cpp. */
const CHATML_NAME = "chatml";

/** Selects the Jinja chat template of a model. */
export function selectChatTemplate(
  metadata: Pick<ModelMetadata, "chatTemplate">,
  { chatTemplate }: Pick<PromptSettings, "chatTemplate">,
): string {
  const template = chatTemplate ?? metadata.chatTemplate ?? CHATML_NAME;
  return template === CHATML_NAME ? CHATML_TEMPLATE : template;
}

/**
 * Creates a preparer for a loaded model.
 * @throws {StartupError} the chat template cannot be parsed or does not match the tool format, or
 *   the default constraint is invalid
 */
export function createPreparer({
  vocabulary,
  metadata,
  contextSize,
  settings,
}: PreparedModel): PromptPreparer {
  const { toolFormat, systemPrompt, templateVariables = {}, defaults } = settings;
  assertHonourable(settings.constraint);
  const { reasoningBudget: defaultTokens = -1 } = settings;
  const reservedName = Object.keys(templateVariables).find(isReservedName);
  if (reservedName !== undefined) {
    throw new StartupError(
      `--chat-template-kwargs: ${reservedName}: expected another name; this one is reserved for templates`,
    );
  }
  const template = new ChatTemplate(selectChatTemplate(metadata, settings), {
    bosToken: vocabulary.bosText,
    eosToken: vocabulary.eosText,
  });
  const outputFormat = chooseOutputFormat(template, toolFormat);
  const tokenizer = new PromptTokenizer(vocabulary, {
    template,
    outputFormat,
    contextSize,
    systemPrompt,
    templateVariables,
  });
  const asking: Tokenizers["tokenizer"] = {
    render: (prompt, ending) =>
      tokenizer.render(withReasoningBudget(prompt, defaultBudget(defaultTokens)), ending),
  };
  const limits = { contextSize, vocabularySize: vocabulary.size, maxTokens: defaults.maxTokens };
  const rawTokenizer = new RawTokenizer(vocabulary, { outputFormat, contextSize });
  const closingMark = determineReasoningClosing(template.answerForm, outputFormat.reasoning);
  const controlTexts = new Set(vocabulary.controlTexts);
  const isControlToken = (text: string) => controlTexts.has(text);
  return {
    outputFormat,
    rendersReasoning: tokenizer.rendersReasoning,
    ask: (question) =>
      answerTextQuestion(question, vocabulary, { tokenizer: asking, rawTokenizer }),
    prepare(originalRequest) {
      const request = withDefaultConstraint(
        withDefaultBudget(originalRequest, defaultTokens),
        settings.constraint,
      );
      const { prediction, prompt, reasoningBudget } = request;
      const limit = createReasoningLimit(request, closingMark);
      const encodedPrompt =
        prompt.type === "chat"
          ? tokenizer.encode(withReasoningBudget(prompt, reasoningBudget))
          : rawTokenizer.encode(prompt);
      const prepared = prepareGeneration(request, encodedPrompt, limits);
      const grammar =
        prompt.type === "chat"
          ? buildAnswerGrammar({ ...request, prompt }, prepared.reading, isControlToken)
          : buildTextGrammar(request.constraint);
      const reading =
        prompt.type === "chat" && grammar !== undefined
          ? constrainReading({ ...request, prompt }, prepared.reading)
          : prepared.reading;
      return {
        ...prepared,
        reading,
        ...(limit && { reasoningLimit: limit }),
        ...(grammar && { grammar }),
        ...(prediction !== undefined && {
          predictedTokens: tokenizePrediction(prediction, vocabulary, contextSize),
        }),
      };
    },
  };
}

function assertHonourable(constraint: RequestedConstraint | undefined): void {
  try {
    buildTextGrammar(constraint);
  } catch (error) {
    throw new StartupError(formatReason(error), error);
  }
}

function withDefaultConstraint(
  request: GenerationRequest,
  constraint: RequestedConstraint | undefined,
): GenerationRequest {
  const { prompt } = request;
  const hasTools = prompt.type === "chat" && prompt.tools.length > 0;
  if (constraint === undefined || request.constraint !== undefined || hasTools) return request;
  return { ...request, constraint };
}

/** Settings of a preparer. Plain data. */
export interface PreparerSettings extends PromptSettings {
  readonly modelPath: string;
  /** Metadata values that replace those of the model's file. */
  readonly metadataOverrides: readonly MetadataOverride[];
  /** Maximum number of tokens per request. */
  readonly contextSize: number;
}

/**
 * Loads a preparer without the model's weights.
 * @throws {Error} llama.cpp cannot load the file, although the engine has loaded it before
 */
export async function loadPreparer({
  modelPath,
  metadataOverrides,
  contextSize,
  ...settings
}: PreparerSettings): Promise<PromptPreparer> {
  const model = await loadVocabularyOnly(modelPath, metadataOverrides);
  const metadata = readModelMetadata(model.fileInfo, basename(modelPath));
  return createPreparer({ vocabulary: readVocabulary(model), metadata, contextSize, settings });
}
