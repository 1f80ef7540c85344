import { type EstimatorOptions, estimateTokens } from '../estimate.ts';
import { isPlainStep, type Message, type Part } from '../message.ts';
import { perKey } from '../per-key.ts';
import type { Policy, RenderPolicy } from '../policy.ts';
import { type ModelContent, renderPart, renderResult } from './part.ts';
import { type ModelMessage, render } from '../render.ts';
import { itemsFrom } from '../series/series.ts';

/** What a policy weighs messages by: its estimator, and how it shows them. */
export type Weights = Pick<Policy, 'estimator' | 'render'>;

/** What the parts of steps weigh, and other messages. They never change, and runs of one recording share them. */
type KnownWeights = WeakMap<readonly Part[] | Message, number>;

/** How long the JSON of a message's model messages is, and how many they are. */
interface JsonSize {
  readonly chars: number;
  readonly count: number;
}

/** What an image or document weighs in estimates that do not go by its bytes, where a policy does not say. Source: OpenCode 2.0. */
const IMAGE_TOKENS = 1_500;
const DOCUMENT_TOKENS = 2_000;

const weights = new WeakMap<RenderPolicy, WeakMap<EstimatorOptions, KnownWeights>>();

/** How long inputs of tools are as JSON; an output that is cleared leaves them as they are. */
const knownLength = perKey((input: object) => jsonLength(input));

/** Messages never change, so that each is written out once however often it is weighed. */
const jsonSizes = new WeakMap<RenderPolicy, WeakMap<Message, JsonSize>>();

/** Tokens that a policy believes messages to have in a request. */
export function estimateMessages(messages: readonly Message[], policy: Weights): number {
  const known = knownWeights(policy);
  let total = 0;
  for (const message of itemsFrom(messages, 0)) total += recallWeight(message, policy, known);
  return total;
}

/** Tokens that a policy believes a part to have in a request. */
export function estimatePart(part: Part, role: Message['role'], policy: Weights): number {
  let total = 0;
  for (const piece of renderPart(part, role, policy.render)) {
    total += estimateContent(piece, policy);
  }
  return total;
}

/** Tokens that a policy believes the tool results of a message to have; they came after its usage was measured. */
export function estimateResults(message: Message, policy: Weights): number {
  return message.parts.reduce(
    (total, part) =>
      part.type === 'tool'
        ? total + estimateContent(renderResult(part, policy.render), policy)
        : total,
    0,
  );
}

/** Tokens of messages by the length of their JSON, media at the length of their data. Source: OpenCode 1.14.19. */
export function estimateJson(messages: readonly Message[], policy: Weights): number {
  const sizes = messages.map((message) => jsonSizeOf(message, policy.render));
  const rendered = sizes.reduce((total, { count }) => total + count, 0);
  const chars = sizes.reduce((total, size) => total + size.chars, 0);
  const brackets = 2;
  const commas = Math.max(0, rendered - 1);
  return estimateTokens(brackets + chars + commas, policy.estimator);
}

/** Characters of a message as JSON, in the form in which a model gets it. */
export function jsonChars(message: Message, policy: RenderPolicy): number {
  return jsonSizeOf(message, policy).chars;
}

/** Tokens that a policy believes a text to have. */
export function estimateText(text: string, { estimator }: Pick<Policy, 'estimator'>): number {
  return estimateTokens(text.length, estimator);
}

function knownWeights({ render: rules, estimator }: Weights): KnownWeights {
  const byEstimator = weights.get(rules) ?? new WeakMap<EstimatorOptions, KnownWeights>();
  weights.set(rules, byEstimator);
  const known: KnownWeights = byEstimator.get(estimator) ?? new WeakMap();
  byEstimator.set(estimator, known);
  return known;
}

function recallWeight(message: Message, policy: Weights, known: KnownWeights): number {
  // Of what is sent in part only or in another form, the parts alone do not tell the weight.
  const key = isPlainStep(message) ? message.parts : message;
  const weight = known.get(key);
  if (weight !== undefined) return weight;
  const estimated = estimateMessage(message, policy);
  known.set(key, estimated);
  return estimated;
}

function estimateMessage(message: Message, policy: Weights): number {
  let total = 0;
  for (const { content } of render([message], policy.render)) {
    for (const piece of content) total += estimateContent(piece, policy);
  }
  return total;
}

function inputLength(input: unknown): number {
  return typeof input === 'object' && input !== null ? knownLength(input) : jsonLength(input);
}

function jsonLength(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}

function jsonSizeOf(message: Message, policy: RenderPolicy): JsonSize {
  const known = jsonSizes.get(policy) ?? new WeakMap<Message, JsonSize>();
  jsonSizes.set(policy, known);
  const size = known.get(message) ?? measureJson(message, policy);
  known.set(message, size);
  return size;
}

function measureJson(message: Message, policy: RenderPolicy): JsonSize {
  const rendered: readonly ModelMessage[] = render([message], policy);
  const chars = rendered.reduce((total, one) => total + JSON.stringify(one).length, 0);
  return { chars, count: rendered.length };
}

function estimateContent(content: ModelContent, { estimator }: Weights): number {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(content.text.length, estimator);
    case 'file':
      return mediaTokens(content.mime, estimator);
    case 'tool-call': {
      const length = content.tool.length + inputLength(content.input);
      return estimateTokens(length, estimator);
    }
    case 'tool-result': {
      const media = content.attachments.reduce(
        (total, { mime }) => total + mediaTokens(mime, estimator),
        0,
      );
      return media + estimateTokens(content.output.length, estimator);
    }
  }
}

function mediaTokens(mime: string, estimator: EstimatorOptions): number {
  const { imageTokens = IMAGE_TOKENS, documentTokens = DOCUMENT_TOKENS } = estimator;
  return mime === 'application/pdf' ? documentTokens : imageTokens;
}
