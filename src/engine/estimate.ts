import { foldOver, type List } from './history.ts';
import type { Message, Part } from './message.ts';
import type { EstimatorOptions, Policy, RenderPolicy } from './policy.ts';
import { type ModelContent, renderMessage, renderPart, renderResult } from './render.ts';

/** The settings that an estimate depends on. */
export type Weights = Pick<Policy, 'estimator' | 'render'>;

interface JsonSize {
  readonly chars: number;
  /** By the policy's own counter; 0 where characters are counted. */
  readonly counted: number;
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
  return foldOver(messages, {
    by: { name: 'weight', rules: [policy.estimator, policy.render] },
    start: 0,
    add: (total, message) =>
      renderMessage(message, policy.render).reduce(
        (sum, { content }) =>
          content.reduce((all, piece) => all + estimateContent(piece, policy), sum),
        total,
      ),
  });
}

/** Tokens that a policy believes a part to have in a request. */
export function estimatePart(part: Part, role: Message['role'], policy: Weights): number {
  return renderPart(part, role, policy.render).reduce(
    (total, piece) => total + estimateContent(piece, policy),
    0,
  );
}

/** Tokens that a policy believes the tool results of a message to have. */
export function estimateResults(message: Message, policy: Weights): number {
  return message.parts.reduce(
    (total, part) =>
      part.type === 'tool'
        ? total + estimateContent(renderResult(part, policy.render), policy)
        : total,
    0,
  );
}

/** Estimates messages by their JSON, each written out once. Source: OpenCode 1.14.19. */
export function jsonEstimator(policy: Weights): (messages: readonly Message[]) => number {
  const { estimator } = policy;
  const sizes = new Map<Message, JsonSize>();
  const sizeOf = (message: Message) => {
    const size = sizes.get(message) ?? jsonSizeOf(message, policy);
    sizes.set(message, size);
    return size;
  };
  return (messages) => {
    const all = messages.map(sizeOf);
    const sum = (of: keyof JsonSize) => all.reduce((total, size) => total + size[of], 0);
    if (estimator.count !== undefined) return Math[estimator.rounding](sum('counted'));
    const [brackets, commas] = [2, Math.max(0, sum('count') - 1)];
    return estimateTokens(brackets + sum('chars') + commas, estimator);
  };
}

/** Characters of a message as JSON, in the form in which a model gets it. */
export function jsonChars(message: Message, render: RenderPolicy): number {
  return jsonsOf(message, render).reduce((total, { length }) => total + length, 0);
}

/** Tokens that a policy believes a text to have: by its own counter, else by its characters. */
export function estimateText(text: string, { estimator }: Pick<Policy, 'estimator'>): number {
  const { count } = estimator;
  if (count === undefined) return estimateTokens(text.length, estimator);
  return Math[estimator.rounding](count(text));
}

function estimateContent(content: ModelContent, policy: Weights): number {
  const { estimator } = policy;
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return estimateText(content.text, policy);
    case 'file':
      return mediaTokens(content.mime, estimator);
    case 'tool-call':
      return estimateText(content.tool + (JSON.stringify(content.input) ?? ''), policy);
    case 'tool-result': {
      const media = content.attachments.reduce(
        (total, { mime }) => total + mediaTokens(mime, estimator),
        0,
      );
      return media + estimateText(content.output, policy);
    }
  }
}

function mediaTokens(mime: string, estimator: EstimatorOptions): number {
  const { imageTokens = IMAGE_TOKENS, documentTokens = DOCUMENT_TOKENS } = estimator;
  return mime === 'application/pdf' ? documentTokens : imageTokens;
}

function jsonsOf(message: Message, render: RenderPolicy): readonly string[] {
  return renderMessage(message, render).map((one) => JSON.stringify(one));
}

function jsonSizeOf(message: Message, { estimator, render }: Weights): JsonSize {
  const jsons = jsonsOf(message, render);
  const { count: countText = () => 0 } = estimator;
  return {
    chars: jsons.reduce((total, { length }) => total + length, 0),
    counted: jsons.reduce((total, json) => total + countText(json), 0),
    count: jsons.length,
  };
}
