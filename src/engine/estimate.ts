import { type Fold, foldOver, type List } from './history.ts';
import type { Message, Part } from './message.ts';
import type { EstimatorOptions, Policy, RenderPolicy } from './policy.ts';
import { type ModelContent, renderMessage, renderPart, renderResult } from './render.ts';

/** The settings that an estimate depends on. */
export type Weights = Pick<Policy, 'estimator' | 'render'>;

/** How long the JSON of a message's model messages is, and how many they are. */
interface JsonSize {
  readonly chars: number;
  readonly count: number;
}

/** Defaults for media, which are not estimated by their bytes. Source: OpenCode 2.0. */
const IMAGE_TOKENS = 1_500;
const DOCUMENT_TOKENS = 2_000;

/** Tokens that a policy believes a text of that many UTF-16 units to have. Halves round up. */
export function estimateTokens(length: number, options: EstimatorOptions): number {
  return Math[options.rounding](length / options.charsPerToken);
}

/** Tokens of messages in a request, by the policy's estimate. */
export function estimateMessages(messages: List<Message>, policy: Weights): number {
  return foldOver(messages, weightFold(policy));
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

/**
 * Estimates some of these messages by the length of their JSON, media at the length of their data; each is written out
 * once. Source: OpenCode 1.14.19.
 */
export function jsonEstimator(policy: Weights): (messages: readonly Message[]) => number {
  const sizes = new Map<Message, JsonSize>();
  const sizeOf = (message: Message) => {
    const size = sizes.get(message) ?? jsonSizeOf(message, policy.render);
    sizes.set(message, size);
    return size;
  };
  return (messages) => sumSizes(messages.map(sizeOf), policy);
}

/** Characters of a message as JSON, in the form in which a model gets it. */
export function jsonChars(message: Message, policy: RenderPolicy): number {
  return jsonSizeOf(message, policy).chars;
}

/** Tokens that a policy believes a text to have. */
export function estimateText(text: string, { estimator }: Pick<Policy, 'estimator'>): number {
  return estimateTokens(text.length, estimator);
}

function weightFold(policy: Weights): Fold<Message, number> {
  return {
    by: { name: 'weight', rules: [policy.estimator, policy.render] },
    start: 0,
    add: (total, message) => total + estimateMessage(message, policy),
  };
}

function estimateMessage(message: Message, policy: Weights): number {
  let total = 0;
  for (const { content } of renderMessage(message, policy.render)) {
    for (const piece of content) total += estimateContent(piece, policy);
  }
  return total;
}

function estimateContent(content: ModelContent, { estimator }: Weights): number {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(content.text.length, estimator);
    case 'file':
      return mediaTokens(content.mime, estimator);
    case 'tool-call': {
      const length = content.tool.length + (JSON.stringify(content.input) ?? '').length;
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

function jsonSizeOf(message: Message, policy: RenderPolicy): JsonSize {
  const rendered = renderMessage(message, policy);
  const chars = rendered.reduce((total, one) => total + JSON.stringify(one).length, 0);
  return { chars, count: rendered.length };
}

function sumSizes(sizes: readonly JsonSize[], policy: Weights): number {
  const rendered = sizes.reduce((total, { count }) => total + count, 0);
  const chars = sizes.reduce((total, size) => total + size.chars, 0);
  const brackets = 2;
  const commas = Math.max(0, rendered - 1);
  return estimateTokens(brackets + chars + commas, policy.estimator);
}
