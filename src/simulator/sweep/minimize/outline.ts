import {
  type AssistantMessage,
  type Message,
  type Part,
  renderPart,
  type ToolPart,
} from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { type CountText, RECORDED, trueWritten } from '../../replay/count.ts';
import type { Trace, TraceStep } from '../../replay/trace.ts';
import { STEP_MS, TURN_MS } from '../../scenario/file/build-session.ts';
import { FILLER_CHARACTERS } from '../../scenario/file/contents.ts';
import {
  type Calibration,
  FINISHES,
  type Images,
  MEDIA_TYPE,
  type Step,
  type Tool,
  type User,
} from '../../scenario/file/session-schema.ts';
import { isAllowedValue } from '../../session/redact/allowed.ts';

export interface Outline {
  readonly calibration?: Calibration;
  readonly units: readonly Unit[];
}

export type Unit = { readonly idleSeconds: number } & (
  | { readonly user: User }
  | { readonly step: Step }
);

interface Words {
  readonly count: CountText;
  readonly nameOf: (tool: string) => string;
}

/** Gaps below this make no difference to any cache or rule. */
const LEAST_IDLE_SECONDS = 240;
const BASE64 = /^data:[^,]{0,200};base64,/;
const BASE64_BYTES = 3 / 4;
const ONE_TOKEN = 'time';
const OTHER_ERROR = 'UnknownError';

export function outlineOf(trace: Trace): Outline {
  const { factor, perMessageTokens: perMessage } = trace.basis;
  const own = new Map<string, string>();
  const nameOf = (tool: string) =>
    isAllowedValue('tool', tool) ? tool : keepIn(own, tool, () => `tool-${own.size + 1}`);
  const words = { count: trace.count, nameOf };
  const idleBefore = createIdle();
  const units = trace.turns.flatMap(({ message, steps }): readonly Unit[] => [
    {
      idleSeconds: idleBefore(message),
      user: { ...saidOf(message.parts, 'user', words), ...imagesOf(message.parts) },
    },
    ...steps.map((step, index) => {
      const usual = index === steps.length - 1 ? 'stop' : 'tool-calls';
      const parts = partsOf(step.message, words);
      return {
        idleSeconds: idleBefore(step.message),
        step: { ...parts, ...reportOf(step, usual, trace) },
      };
    }),
  ]);
  const isPlain = factor === 1 && perMessage === 0;
  return { ...(!isPlain && { calibration: { factor, perMessage } }), units };
}

function createIdle(): (message: Message) => number {
  let lastMs: number | undefined;
  return ({ role, createdAt }) => {
    const gapMs = createdAt - (lastMs ?? createdAt);
    lastMs = createdAt;
    if (gapMs < LEAST_IDLE_SECONDS * MS_PER_SECOND) return 0;
    return Math.round((gapMs - (role === 'user' ? TURN_MS : STEP_MS)) / MS_PER_SECOND);
  };
}

function partsOf({ parts }: AssistantMessage, words: Words) {
  const ofType = (type: Part['type']) => parts.filter((part) => part.type === type);
  const [reasoning, text] = [ofType('reasoning'), ofType('text')];
  const tools = parts.flatMap((part) => (part.type === 'tool' ? [callOf(part, words)] : []));
  return {
    ...(reasoning.length > 0 && { reasoning: saidOf(reasoning, 'assistant', words) }),
    ...(text.length > 0 && { text: saidOf(text, 'assistant', words) }),
    ...(tools.length > 0 && { tools }),
  };
}

function saidOf(parts: readonly Part[], role: Message['role'], words: Words) {
  const [first = { tokens: 0 }, ...more] = parts.flatMap((part) => {
    const kind =
      part.type === 'text' && part.synthetic === true ? { synthetic: true as const } : {};
    return renderPart(part, role, RECORDED).flatMap((content) =>
      'text' in content ? [{ ...sizeOf(content.text, words), ...kind }] : [],
    );
  });
  return { ...first, ...(more.length > 0 && { more }) };
}

function sizeOf(text: string, { count }: Words) {
  const tokens = count(text);
  const isUsual = text.length === FILLER_CHARACTERS * tokens;
  return { tokens, ...(!isUsual && { characters: text.length }) };
}

/** Nothing of a file that stands in a text of its own. */
function imagesOf(parts: readonly Part[]): { readonly images?: Images } {
  const images = parts.flatMap((part) => {
    if (part.type !== 'file' || renderPart(part, 'user', RECORDED).length === 0) return [];
    const head = BASE64.exec(part.url)?.[0];
    const bytes = head === undefined ? 0 : (part.url.length - head.length) * BASE64_BYTES;
    const mime = MEDIA_TYPE.test(part.mime) ? { mime: part.mime } : {};
    return [{ bytes: Math.floor(bytes), ...mime }];
  });
  return images.length > 0 ? { images } : {};
}

function callOf(part: ToolPart, words: Words): Tool {
  const { status, input } = part.state;
  const tool = words.nameOf(part.tool);
  const called = `${part.tool} ${JSON.stringify(input) ?? ''}`;
  const call = { tool, ...inputOf(called, tool, words) };
  if (status === 'pending' || status === 'running') return { ...call, status: 'pending' };
  const [result] = renderPart(part, 'assistant', RECORDED).flatMap((content) =>
    content.type === 'tool-result' ? [content] : [],
  );
  return {
    ...call,
    output: sizeOf(result?.output ?? '', words),
    ...(status === 'error' && { status }),
    ...imagesOf(result?.attachments ?? []),
  };
}

function inputOf(call: string, tool: string, { count }: Words) {
  const written = (content: string) => `${tool} ${JSON.stringify({ content })}`;
  const inputCharacters = call.length - written('').length;
  if (inputCharacters < 0) return { input: {} };
  const input = Math.max(0, count(call) - count(written(ONE_TOKEN)) + 1);
  return { input, ...(inputCharacters !== FILLER_CHARACTERS * input && { inputCharacters }) };
}

function reportOf(
  { message, outputTokens, reasoningTokens }: TraceStep,
  usual: string,
  { basis, count }: Trace,
) {
  const { parts, error, finish = 'none' } = message;
  const scale = { factor: basis.factor, count };
  const thoughts = parts.filter(({ type }) => type === 'reasoning');
  const isCounted =
    outputTokens === trueWritten(parts, scale) && reasoningTokens === trueWritten(thoughts, scale);
  const name = error !== undefined && isAllowedValue('name', error.name) ? error.name : OTHER_ERROR;
  return {
    ...(!isCounted && { outputTokens, reasoningTokens }),
    ...(finish !== usual && { finish: FINISHES.find((one) => one === finish) ?? 'unknown' }),
    ...(error && { error: name }),
  };
}
