import { type RunState, RunStateSchema } from '../../events.ts';
import { badValue, named } from '../../lib/names.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import type { ScenarioResult, ScenarioRunResult } from '../../report/check-report.ts';
import { codeSpan, shownLines } from '../../report/markup.ts';
import { countOf } from '../../report/numbers.ts';
import { describeEnding } from '../../report/report.ts';
import { COMPARISON, type Comparison, parseComparison } from '../../scenario/file/amounts.ts';
import { scenarioOf, scenarioText } from '../../scenario/file/read-scenario.ts';
import type { ScenarioFile } from '../../scenario/file/schema.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { AnyLawName, CheckedLaws } from '../adapter/run-compactor.ts';
import { isAsExpected, shownValue } from '../gate/expectations.ts';
import { sum, keepIn } from '../../lib/collections.ts';
import {
  type AssistantMessage,
  type Message,
  type Part,
  renderPart,
  type ToolPart,
} from '../../../engine/index.ts';
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

type Shows<Value> = (value: Value) => Promise<boolean>;

type Path = readonly string[];

const SIZES: Readonly<Record<string, string>> = {
  idleSeconds: '',
  tokens: 'characters',
  input: 'inputCharacters',
  outputTokens: 'reasoningTokens',
};

export type Target =
  | { readonly type: 'law'; readonly law: AnyLawName }
  | { readonly type: 'state'; readonly state: RunState }
  | {
      readonly type: 'metric';
      readonly metric: MetricName;
      readonly compare: Comparison;
      readonly text: string;
    };

type Shown = Pick<ScenarioRunResult, 'events' | 'state' | 'reason' | 'metrics'>;

export interface SearchOptions {
  readonly original: Outline;
  readonly target: Target;
  readonly frame: Omit<ScenarioFile, 'session'>;
  readonly overheadTokens: number;
  /** True if the scenario can state its expectations: nobody's own compaction stands in a file. */
  readonly isInFile: boolean;
  readonly check: (scenario: Scenario) => Promise<ScenarioResult>;
  readonly onTry?: (smallest: Outline, tries: number) => Promise<void>;
  /** Ends the search with the smallest so far; where nothing has gone yet, it throws. */
  readonly signal?: AbortSignal;
}

export type SearchResult = Awaited<ReturnType<typeof searchMinimal>>;

const EXPRESSION = /^\s*(?<name>\w+)\s*(?<rest>.+?)\s*$/;
const STATES: readonly RunState[] = RunStateSchema.options;
const FENCE = '````';

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

export function parseLaw(name: string, laws: CheckedLaws): Target {
  named('law', laws, name);
  return { type: 'law', law: name as AnyLawName };
}

export function parseExpression(text: string): Target {
  const { name = '', rest = '' } = EXPRESSION.exec(text)?.groups ?? {};
  if (name === 'state') {
    const state = STATES.find((one) => rest.replace(/^=\s*/, '= ') === `= ${one}`);
    if (state === undefined) throw bad(text, ` with one of ${STATES.join(', ')}`);
    return { type: 'state', state };
  }
  if (!COMPARISON.test(rest)) throw bad(text);
  named('metric', metrics, name);
  return { type: 'metric', metric: name as MetricName, compare: parseComparison(rest), text: rest };
}

export function isShown(target: Target, { events, metrics: values, state }: Shown): boolean {
  switch (target.type) {
    case 'law':
      return events.some((event) => event.type === 'law-violated' && event.law === target.law);
    case 'state':
      return state === target.state;
    case 'metric':
      return isAsExpected(target.compare, values[target.metric] ?? undefined);
  }
}

/** The target in words that follow "shows". */
export function describeTarget(target: Target): string {
  if (target.type === 'law') return `a violation of ${target.law}`;
  return target.type === 'state' ? `state ${target.state}` : `${target.metric} ${target.text}`;
}

/** The run's value in place of a target, in words that follow "got". */
export function describeShown(target: Target, shown: Shown) {
  // A reason may be a sentence.
  const ending = describeEnding(shown).replace(/\.$/, '');
  if (target.type !== 'metric') return `a run without it that ends ${ending}`;
  const { metric } = target;
  return `${metric} ${shownValue(shown.metrics[metric] ?? undefined)} in a run that ends ${ending}`;
}

export async function searchMinimal(options: SearchOptions) {
  const { original, target, frame, isInFile, onTry, signal } = options;
  const first = await runOutline(original, options);
  if (!isShown(target, first))
    return { state: 'absent' as const, got: describeShown(target, first) };
  let [minimal, result, tries] = [original, first, 0];
  const shows = async (outline: Outline): Promise<boolean> => {
    await onTry?.(minimal, tries);
    signal?.throwIfAborted();
    tries += 1;
    if (!outline.units.some((unit) => 'step' in unit)) return false;
    const run = await runOutline(outline, options);
    // A trial that a wish to stop broke off shows nothing.
    signal?.throwIfAborted();
    if (!isShown(target, run)) return false;
    [minimal, result] = [outline, run];
    return true;
  };
  let wasStopped = false;
  await minimize(original, shows).catch((error: unknown) => {
    if (signal?.aborted !== true || minimal === original) throw error;
    wasStopped = true;
  });
  const { state } = result;
  const expect = isInFile
    ? ({ state, ...expectationOf(target) } as typeof frame.expect)
    : frame.expect;
  const scenario = shownLines(scenarioText({ ...fileOf(minimal, options), expect }));
  return { state: 'found' as const, wasStopped, minimal, scenario, result };
}

export function renderIssue(
  { minimal, scenario, result }: Extract<SearchResult, { readonly state: 'found' }>,
  { original, target, frame }: SearchOptions,
  { name, options }: { readonly name: string; readonly options: readonly string[] },
): string {
  const [before, after] = [original, minimal].map((outline) => {
    const { turns, steps, tokens } = sizeOf(outline);
    return `${countOf(turns, 'turn')}, ${countOf(steps, 'step')} and ${countOf(tokens, 'token')}`;
  });
  const command = ['npx compaction-bench check minimal.yaml', ...options].join(' ');
  const { model } = frame;
  return `${[
    `## ${codeSpan(name)} shows ${describeTarget(target)}`,
    `On ${codeSpan(typeof model === 'string' ? model : model.id)}. The smallest session found that shows it has ${after}; the original has ${before}.`,
    '### To see it',
    `Save this as ${codeSpan('minimal.yaml')} and run ${codeSpan(command)}:`,
    `${FENCE}yaml\n${scenario.trimEnd()}\n${FENCE}`,
    `The run ends ${codeSpan(result.state)}${result.reason === undefined ? '' : `: ${codeSpan(result.reason)}`}.`,
  ].join('\n\n')}\n`;
}

export function fileOf(
  { calibration, units }: Outline,
  { frame, overheadTokens }: Pick<SearchOptions, 'frame' | 'overheadTokens'>,
) {
  const script = units.flatMap(({ idleSeconds, ...item }) =>
    idleSeconds === 0 ? [item] : [{ idle: `${idleSeconds}s` }, item],
  );
  const session = { overhead: overheadTokens, ...(calibration && { calibration }), script };
  return { ...frame, session };
}

/** The smallest outline that still shows it: turns go first, then steps, then sizes and pauses. */
export async function minimize(outline: Outline, shows: Shows<Outline>) {
  let left = await leaveOut(outline, shows);
  for (;;) {
    for (const { path, value } of sizesIn(left)) {
      const before = left;
      const smallest = await reduceNumber(value, (size) => shows(withSize(before, path, size)));
      if (smallest !== value) left = withSize(left, path, smallest);
    }
    const { length } = left.units;
    left = await leaveOut(left, shows);
    if (left.units.length === length) return left;
  }
}

export function sizeOf({ calibration, units }: Outline) {
  const sizes = units.flatMap((unit) => sizesIn(unit));
  const written = sizes.filter(({ path }) => ['tokens', 'input'].includes(path.at(-1) ?? ''));
  return {
    turns: units.filter((unit) => 'user' in unit).length,
    steps: units.filter((unit) => 'step' in unit).length,
    tokens: Math.round((calibration?.factor ?? 1) * sum(written.map(({ value }) => value))),
  };
}

/** The items without which nothing is shown, by delta debugging. */
export async function reduceList<Item>(items: readonly Item[], shows: Shows<readonly Item[]>) {
  let left = items;
  let size = Math.ceil(left.length / 2);
  while (size > 0 && left.length > 0) {
    const before = left.length;
    // From the end, where later pieces rest on earlier ones.
    for (let end = left.length; end > 0; end -= size) {
      const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
      if (await shows(without)) left = without;
    }
    // Where single items went, others may be able to go now.
    if (size > 1) size = Math.min(Math.ceil(size / 2), left.length);
    else if (left.length === before) return left;
  }
  return left;
}

/** The smallest number from 0 that still shows it. */
export async function reduceNumber(number: number, shows: Shows<number>) {
  if (number === 0 || (await shows(0))) return 0;
  // Few of the many numbers of a session can go down at all; the others cost two tries, not a whole search.
  if (number === 1 || !(await shows(number - 1))) return number;
  let [low, high] = [0, number - 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await shows(middle)) high = middle;
    else low = middle;
  }
  return high;
}

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

function expectationOf(target: Target) {
  if (target.type === 'metric') return { metrics: { [target.metric]: target.text } };
  return target.type === 'law' ? { violates: [target.law] } : {};
}

function bad(text: string, more = '') {
  return badValue('--expect', `like 'compactions > 3' or 'state = refused'${more}`, text);
}

async function runOutline(outline: Outline, options: SearchOptions) {
  const { runs } = await options.check(scenarioOf('minimal.yaml', fileOf(outline, options)));
  const [run] = runs;
  if (run === undefined) throw new TypeError('Expected a scenario with a run.');
  return run;
}

async function leaveOut(outline: Outline, shows: Shows<Outline>) {
  const turns: Unit[][] = [];
  for (const unit of outline.units) {
    if ('user' in unit) turns.push([unit]);
    else turns.at(-1)?.push(unit);
  }
  const showsTurns = (left: readonly Unit[][]) => shows({ ...outline, units: left.flat() });
  const units = (await reduceList(turns, showsTurns)).flat();
  const withSteps = (left: readonly Unit[]) => {
    const kept = new Set(left);
    return { ...outline, units: units.filter((unit) => 'user' in unit || kept.has(unit)) };
  };
  const steps = units.filter((unit) => 'step' in unit);
  return withSteps(await reduceList(steps, (left) => shows(withSteps(left))));
}

function sizesIn(
  value: unknown,
  path: Path = [],
): readonly { readonly path: Path; readonly value: number }[] {
  return Object.entries(Object(value)).flatMap(([key, field]) => {
    if (typeof field === 'object') return sizesIn(field, [...path, key]);
    const isSize = typeof field === 'number' && Object.hasOwn(SIZES, key);
    return isSize ? [{ path: [...path, key], value: field }] : [];
  });
}

function withSize<Value>(value: Value, [key = '', ...rest]: Path, size: number) {
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value);
  copy[key] = rest.length === 0 ? size : withSize(copy[key], rest, size);
  if (rest.length === 0) delete copy[SIZES[key] ?? ''];
  return copy as Value;
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
      'text' in content ? [{ ...sizeOfText(content.text, words), ...kind }] : [],
    );
  });
  return { ...first, ...(more.length > 0 && { more }) };
}

function sizeOfText(text: string, { count }: Words) {
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
    output: sizeOfText(result?.output ?? '', words),
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
