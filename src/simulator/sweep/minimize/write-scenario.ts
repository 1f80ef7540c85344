import type { TokenScale } from '../../events.ts';
import { keepIn } from '../../lib/collections.ts';
import { shownLines } from '../../report/markup.ts';
import { scenarioOf, valueOfYaml } from '../../scenario/file/read-scenario.ts';
import type { ScenarioFile } from '../../scenario/file/schema.ts';
import type { Calibration } from '../../scenario/file/session-schema.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { SettingValue } from '../../scenario/settings.ts';
import {
  isPlainInput,
  type Outline,
  type OutlineCall,
  type OutlineImage,
  type OutlineStep,
  type OutlineText,
  type OutlineTurn,
  type StepReport,
} from './outline.ts';
import type { Target } from './target.ts';

/** The parts of a scenario besides its session. */
export interface ScenarioFrame {
  readonly why: string;
  readonly overheadTokens: number;
  readonly model: string;
  /** Settings of the model, as a scenario's model has them. */
  readonly modelSet: Readonly<Record<string, SettingValue>>;
  readonly policy: string;
  readonly policySet: Readonly<Record<string, SettingValue>>;
  readonly summarizer: string;
  readonly seed: number;
  /** Absent while nothing is expected yet. */
  readonly expect?: { readonly state: string; readonly target: Target } | undefined;
}

/** The name of a tool whose call can be written on one line. */
const LINE_NAME = /^[\w.:/-]+$/;
/** A call that is a text of YAML without quotes: no colon, dash or mark that means something there. */
const PLAIN_CALL = /^[A-Za-z]\w* \d+(?: error)?$/;

const REPORT = [
  'outputTokens',
  'reasoningTokens',
  'finish',
  'error',
] as const satisfies readonly (keyof StepReport)[];

const FILE = 'minimal.yaml';
const NO_TURNS: Outline = { turns: [] };

/** A scenario file of an outline. Words are JSON, which is YAML too; what a terminal might obey in them is spelled out. */
export function writeScenario(outline: Outline, frame: ScenarioFrame): string {
  const { why, overheadTokens, model, modelSet, policy, policySet, summarizer, seed } = frame;
  const set = Object.keys(policySet).length === 0 ? '' : `, set: ${flow(policySet)}`;
  const lines = [
    `why: ${JSON.stringify(why)}`,
    'session:',
    `  overhead: ${overheadTokens}`,
    ...(outline.scale === undefined
      ? []
      : [`  calibration: ${flow(calibrationOf(outline.scale))}`]),
    '  script:',
    ...scriptLines(outline).map((line) => `    - ${line}`),
    `model: ${flow({ id: model, ...modelSet })}`,
    `policy: { preset: ${policy}${set} }`,
    `summarizer: ${JSON.stringify(summarizer)}`,
    `seed: ${seed}`,
    `expect: ${expectOf(frame)}`,
    '',
  ];
  return shownLines(lines.join('\n'));
}

/**
 * Makes of outlines the scenarios of the files that they would become. Most lines of one stand in the next, too: each
 * is parsed once, for parsing whole files takes longer than running them.
 */
export function createToScenario(frame: ScenarioFrame): (outline: Outline) => Scenario {
  const known = new Map<string, unknown>();
  const { session, ...rest } = valueOfYaml(writeScenario(NO_TURNS, frame)) as ScenarioFile;
  const itemOf = (line: string): unknown => keepIn(known, line, () => valueOfYaml(line));
  return (outline) => {
    const script = scriptLines(outline).map(itemOf);
    const calibration = outline.scale && calibrationOf(outline.scale);
    const scaled = { ...session, ...(calibration && { calibration }), script };
    return scenarioOf(FILE, { ...rest, session: scaled } as ScenarioFile);
  };
}

function flow(values: Readonly<Record<string, SettingValue>>): string {
  const fields = Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return braced(fields);
}

function braced(fields: readonly string[]): string {
  return `{ ${fields.join(', ')} }`;
}

function calibrationOf({ factor, perMessageTokens }: TokenScale): Calibration {
  return { factor, perMessage: perMessageTokens };
}

function scriptLines({ turns }: Outline): readonly string[] {
  return turns.flatMap(turnLines);
}

function turnLines({
  idleSeconds,
  user,
  more = [],
  images,
  steps,
}: OutlineTurn): readonly string[] {
  return [
    ...idleLine(idleSeconds),
    `user: ${saidOf([user, ...more], imagesOf(images))}`,
    ...steps.flatMap((step) => [...idleLine(step.idleSeconds), `step: ${stepOf(step)}`]),
  ];
}

function idleLine(seconds: number): readonly string[] {
  return seconds === 0 ? [] : [`idle: ${seconds}s`];
}

function saidOf(
  [first = { tokens: 0 }, ...more]: readonly OutlineText[],
  fields: readonly string[] = [],
): string {
  if (more.length === 0 && fields.length === 0) return contentOf(first);
  const rest = more.map((text) => braced(contentFields(text)));
  const others = rest.length === 0 ? [] : [`more: [${rest.join(', ')}]`];
  return braced([...contentFields(first), ...others, ...fields]);
}

function contentOf(text: OutlineText): string {
  return isPlainText(text) ? String(text.tokens) : braced(contentFields(text));
}

function isPlainText({ text, characters, isSynthetic }: OutlineText): boolean {
  return text === undefined && characters === undefined && isSynthetic === undefined;
}

function contentFields({ tokens, characters, text, isSynthetic }: OutlineText): readonly string[] {
  return [
    text === undefined ? `tokens: ${tokens}` : `text: ${JSON.stringify(text)}`,
    ...(characters === undefined ? [] : [`characters: ${characters}`]),
    ...(isSynthetic ? ['synthetic: true'] : []),
  ];
}

function imagesOf(images: readonly OutlineImage[] | undefined): readonly string[] {
  if (images === undefined) return [];
  return [`images: [${images.map((image) => flow({ ...image })).join(', ')}]`];
}

function stepOf({ parts, ...step }: OutlineStep): string {
  const fields = (['reasoning', 'text'] as const).flatMap((type) => {
    const texts = parts.flatMap((part) => (part.type === type ? [part as OutlineText] : []));
    return texts.length === 0 ? [] : [`${type}: ${saidOf(texts)}`];
  });
  const tools = parts.flatMap((part) => (part.type === 'tool' ? [toolOf(part)] : []));
  const calls = tools.length === 0 ? [] : [`tools: [${tools.join(', ')}]`];
  const all = [...fields, ...calls, ...reportFields(step)];
  return all.length === 0 ? '0' : braced(all);
}

function toolOf({ tool, status, input, output, images }: OutlineCall): string {
  const isPlain = isPlainInput(input) && images === undefined && LINE_NAME.test(tool);
  if (status === 'pending' && isPlain) return JSON.stringify(`${tool} pending`);
  const ending = status === 'error' ? ' error' : '';
  if (isPlain && isPlainText(output)) {
    const call = `${tool} ${output.tokens}${ending}`;
    return PLAIN_CALL.test(call) ? call : JSON.stringify(call);
  }
  return braced([
    `tool: ${JSON.stringify(tool)}`,
    ...inputFields(input),
    ...(status === 'pending' ? [] : [`output: ${contentOf(output)}`]),
    ...(status === 'completed' ? [] : [`status: ${status}`]),
    ...imagesOf(images),
  ]);
}

function inputFields(input: OutlineText): readonly string[] {
  if (isPlainInput(input)) return [];
  const { tokens, characters, text } = input;
  const size = characters === undefined ? [] : [`inputCharacters: ${characters}`];
  return [`input: ${text ?? tokens}`, ...size];
}

function reportFields(step: StepReport): readonly string[] {
  return REPORT.flatMap((name) =>
    step[name] === undefined ? [] : [`${name}: ${JSON.stringify(step[name])}`],
  );
}

function expectOf({ expect }: ScenarioFrame): string {
  if (expect === undefined) return '{}';
  const { state, target } = expect;
  const fields = [`state: ${state}`];
  if (target.type === 'law') fields.push(`violates: [${target.law}]`);
  if (target.type === 'metric') {
    fields.push(`metrics: { ${target.metric}: ${JSON.stringify(target.text)} }`);
  }
  return braced(fields);
}
