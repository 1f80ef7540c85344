import {
  type AssistantMessage,
  type FilePart,
  type Message,
  type ModelContent,
  type Part,
  renderPart,
  type ToolPart,
  type UserMessage,
} from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { type CountText, RECORDED, trueWritten } from '../../replay/count.ts';
import type { Trace, TraceStep, TraceTurn } from '../../replay/trace.ts';
import { AMOUNT } from '../../scenario/file/amounts.ts';
import { STEP_MS, TURN_MS } from '../../scenario/file/build-session.ts';
import { FILLER_CHARACTERS, isFiller } from '../../scenario/file/contents.ts';
import { FINISHES, MEDIA_TYPE } from '../../scenario/file/session-schema.ts';
import { isAllowedValue } from '../../session/redact/allowed.ts';
import {
  isPlainInput,
  type Outline,
  type OutlineCall,
  type OutlineImage,
  type OutlineOptions,
  type OutlinePart,
  type OutlineStep,
  type OutlineText,
  type OutlineTurn,
  type StepReport,
} from './outline.ts';

interface Context {
  readonly measure: Measure;
  /** How long somebody waited before a message, beyond what a scenario takes anyway. */
  readonly idleBefore: (message: Message) => number;
  readonly reportOf: (step: TraceStep, place: Place) => StepReport;
}

/** Where a step stands in its turn. */
interface Place {
  readonly isLast: boolean;
}

/** Makes pieces of messages into those of an outline. */
interface Measure {
  /** Texts of a message of the user, of which there may be none. */
  readonly asked: (message: UserMessage) => readonly OutlineText[];
  /** Images and documents as far as they are sent as such. */
  readonly images: (parts: readonly Part[]) => readonly OutlineImage[];
  /** The parts of a step: thoughts, words, then calls. */
  readonly done: (message: AssistantMessage) => readonly OutlinePart[];
}

type Sized = (words: string) => OutlineText;

/** A call of a recording, with the name that its tool has in an outline. */
interface Called {
  readonly tool: string;
  readonly name: string;
  readonly input: unknown;
}

/** An outline's text in place of an input. */
type InputOf = (called: Called) => OutlineText;

/** Gaps below this make no difference to any cache or rule. */
const LEAST_IDLE_SECONDS = 240;
const NO_FINISH = 'none';
const OTHER_FINISH = 'unknown';
const OTHER_ERROR = 'UnknownError';

const BASE64 = /^data:[^,]{0,200};base64,/;
/** Bytes to each character of base64. */
const BASE64_BYTES = 3 / 4;

/** A word of one token, as a scenario fills the argument of an input that has a size. */
const ONE_TOKEN = 'time';
const NO_ARGUMENTS = '{}';

const UNNAMED = 'tool';

/**
 * The outline of a trace, of which a replay decides what one of the trace does: everything that counts and estimates rest
 * on has its size. With texts where whoever asks may see them.
 */
export function outlineOf(trace: Trace, { withTexts }: OutlineOptions): Outline {
  const { factor, perMessageTokens } = trace.basis;
  const isPlain = factor === 1 && perMessageTokens === 0;
  const context: Context = {
    measure: createMeasure(trace.count, { withTexts }),
    idleBefore: createIdle(),
    reportOf: (step, place) => reportOf(step, { trace, withTexts, ...place }),
  };
  return {
    ...(!isPlain && { scale: { factor, perMessageTokens } }),
    turns: trace.turns.map((turn) => turnOf(turn, context)),
  };
}

/** A measure by what is counted; it keeps texts where they are wanted. */
function createMeasure(count: CountText, { withTexts }: OutlineOptions): Measure {
  const sized: Sized = (words) => {
    const tokens = count(words);
    if (withTexts && words !== '' && !isFiller(words)) return { tokens, text: words };
    const isUsual = words.length === FILLER_CHARACTERS * tokens;
    return isUsual ? { tokens } : { tokens, characters: words.length };
  };
  const nameOf = withTexts ? writtenName : createToolNames();
  const inputOf = createInputs(count, { withTexts });
  return {
    asked: ({ parts }) => parts.flatMap((part) => textsOf(part, 'user', sized)),
    images: (parts) => parts.filter((part) => part.type === 'file').flatMap(imagesOf),
    done: ({ parts }) => {
      const ofType = (type: 'text' | 'reasoning') =>
        parts
          .filter((part) => part.type === type)
          .flatMap((part) => textsOf(part, 'assistant', sized))
          .map((text): OutlinePart => ({ type, ...text }));
      const tools = parts.filter((part) => part.type === 'tool');
      const calls = tools.map((part) => callOf(part, { name: nameOf(part.tool), inputOf, sized }));
      return [...ofType('reasoning'), ...ofType('text'), ...calls];
    },
  };
}

/** A name as it can stand in a scenario, where none is empty. */
function writtenName(tool: string): string {
  return tool || UNNAMED;
}

/** Known tools keep their names; each of the others has one that tells nothing. */
function createToolNames(): (tool: string) => string {
  const own = new Map<string, string>();
  return (tool) => {
    if (isAllowedValue('tool', tool)) return tool;
    return keepIn(own, tool, () => `tool-${own.size + 1}`);
  };
}

/** Inputs by the size that the whole call has, its name and what is around its argument included; texts where they are wanted. */
function createInputs(count: CountText, { withTexts }: OutlineOptions): InputOf {
  return (called) => {
    const { tool, name, input } = called;
    const filler = fillerOf(input);
    const json = JSON.stringify(input) ?? '';
    if (filler === undefined && withTexts && isWritable(input)) {
      return { tokens: count(json), text: json };
    }
    const call = `${tool} ${json}`;
    const tokens = count(call) - (count(writtenCall(name, ONE_TOKEN)) - 1);
    const characters = call.length - writtenCall(name, '').length;
    if (characters < 0) return { tokens: 0, text: NO_ARGUMENTS };
    return toSize(Math.max(0, tokens), characters);
  };
}

/** The filler that an input is nothing but, as a scenario builds one of a size. */
function fillerOf(input: unknown): string | undefined {
  const [value, ...others] = Object.values(Object(input));
  const isSize = others.length === 0 && typeof value === 'string' && isFiller(value);
  return isSize ? value : undefined;
}

/** A number, or a text that looks like one, would be a size in a scenario. */
function isWritable(input: unknown): boolean {
  if (input === undefined || input === null) return false;
  return typeof input === 'string' ? !AMOUNT.test(input) : typeof input !== 'number';
}

function writtenCall(name: string, content: string): string {
  return `${name} ${JSON.stringify({ content })}`;
}

/** Without characters it is what any call has where it is that small. */
function toSize(tokens: number, characters: number): OutlineText {
  const isUsual = characters === FILLER_CHARACTERS * tokens;
  return isUsual && !isPlainInput({ tokens }) ? { tokens } : { tokens, characters };
}

function textsOf(part: Part, role: 'user' | 'assistant', sized: Sized): readonly OutlineText[] {
  const kind = part.type === 'text' && part.synthetic === true ? { isSynthetic: true } : {};
  return renderPart(part, role, RECORDED).flatMap((content) =>
    'text' in content ? [{ ...sized(content.text), ...kind }] : [],
  );
}

/** Nothing of a file that stands in a text of its own. */
function imagesOf(file: FilePart): readonly OutlineImage[] {
  if (renderPart(file, 'user', RECORDED).length === 0) return [];
  const { mime, url } = file;
  const head = BASE64.exec(url)?.[0];
  const bytes = head === undefined ? 0 : Math.floor((url.length - head.length) * BASE64_BYTES);
  return [{ bytes, ...(MEDIA_TYPE.test(mime) && { mime }) }];
}

function callOf(
  part: ToolPart,
  {
    name,
    inputOf,
    sized,
  }: { readonly name: string; readonly inputOf: InputOf; readonly sized: Sized },
): OutlineCall {
  const { status, input } = part.state;
  const isOpen = status === 'pending' || status === 'running';
  const result = renderPart(part, 'assistant', RECORDED).find(isResult);
  const images = (result?.attachments ?? []).flatMap(imagesOf);
  return {
    type: 'tool',
    tool: name,
    status: isOpen ? 'pending' : status,
    input: inputOf({ tool: part.tool, name, input }),
    output: isOpen ? { tokens: 0 } : sized(result?.output ?? ''),
    ...(images.length > 0 && { images }),
  };
}

function isResult(
  content: ModelContent,
): content is ModelContent & { readonly type: 'tool-result' } {
  return content.type === 'tool-result';
}

function createIdle(): (message: Message) => number {
  let lastMs: number | undefined;
  return ({ role, createdAt }) => {
    const usualMs = role === 'user' ? TURN_MS : STEP_MS;
    const gapMs = createdAt - (lastMs ?? createdAt);
    lastMs = createdAt;
    const isLong = gapMs >= LEAST_IDLE_SECONDS * MS_PER_SECOND;
    return isLong ? Math.round((gapMs - usualMs) / MS_PER_SECOND) : 0;
  };
}

function reportOf(
  { message, outputTokens, reasoningTokens }: TraceStep,
  {
    trace: { basis, count },
    withTexts,
    ...place
  }: Place & OutlineOptions & { readonly trace: Trace },
): StepReport {
  const { parts, error } = message;
  const scale = { factor: basis.factor, count };
  const thoughts = parts.filter(({ type }) => type === 'reasoning');
  const isCounted =
    outputTokens === trueWritten(parts, scale) && reasoningTokens === trueWritten(thoughts, scale);
  return {
    ...(!isCounted && { outputTokens, reasoningTokens }),
    ...finishOf(message, place),
    ...(error && { error: withTexts ? error.name : namedError(error.name) }),
  };
}

/** Nothing where it is the one that the place of the step tells. */
function finishOf({ finish = NO_FINISH }: AssistantMessage, { isLast }: Place) {
  if (finish === (isLast ? 'stop' : 'tool-calls')) return {};
  return { finish: FINISHES.find((one) => one === finish) ?? OTHER_FINISH };
}

function namedError(name: string): string {
  return isAllowedValue('name', name) ? name : OTHER_ERROR;
}

function turnOf({ message, steps }: TraceTurn, context: Context): OutlineTurn {
  const { measure, idleBefore } = context;
  const idleSeconds = idleBefore(message);
  const [user = { tokens: 0 }, ...more] = measure.asked(message);
  const images = measure.images(message.parts);
  return {
    idleSeconds,
    user,
    ...(more.length > 0 && { more }),
    ...(images.length > 0 && { images }),
    steps: steps.map((step, index) =>
      stepOf(step, { isLast: index === steps.length - 1 }, context),
    ),
  };
}

function stepOf(step: TraceStep, place: Place, context: Context): OutlineStep {
  const { measure, idleBefore, reportOf: report } = context;
  const idleSeconds = idleBefore(step.message);
  return { idleSeconds, parts: measure.done(step.message), ...report(step, place) };
}
