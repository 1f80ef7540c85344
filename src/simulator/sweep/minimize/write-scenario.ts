import type { SettingValue } from '../../scenario/setting.ts';
import {
  joinTexts,
  type Outline,
  type OutlinePart,
  type OutlineStep,
  type OutlineText,
  type OutlineTurn,
} from './outline.ts';
import type { Target } from './target.ts';

/** What a scenario says besides its session. */
export interface ScenarioFrame {
  readonly why: string;
  readonly overheadTokens: number;
  readonly model: string;
  /** What is set about the model, as a scenario's model has it. */
  readonly modelSet: Readonly<Record<string, SettingValue>>;
  readonly policy: string;
  readonly policySet: Readonly<Record<string, SettingValue>>;
  readonly summarizer: string;
  readonly seed: number;
  /** Absent while nothing is expected yet. */
  readonly expect?: { readonly state: string; readonly target: Target } | undefined;
}

/** A call's name and path that every call has without any input. */
const PLAIN_INPUT_TOKENS = 15;
/** A call that is a text of YAML without quotes: no colon, dash or mark that means something there. */
const PLAIN_CALL = /^[A-Za-z]\w* \d+(?: error)?$/;

/** A scenario file of an outline. Words are JSON, which is YAML too. */
export function writeScenario(outline: Outline, frame: ScenarioFrame): string {
  const { why, overheadTokens, model, modelSet, policy, policySet, summarizer, seed } = frame;
  const set = Object.keys(policySet).length === 0 ? '' : `, set: ${flow(policySet)}`;
  return [
    `why: ${JSON.stringify(why)}`,
    'session:',
    `  overhead: ${overheadTokens}`,
    '  script:',
    ...scriptLines(outline).map((line) => `    - ${line}`),
    `model: ${flow({ id: model, ...modelSet })}`,
    `policy: { preset: ${policy}${set} }`,
    `summarizer: ${JSON.stringify(summarizer)}`,
    `seed: ${seed}`,
    `expect: ${expectOf(frame)}`,
    '',
  ].join('\n');
}

/** The items of the script of an outline, each a line of YAML. */
export function scriptLines({ turns }: Outline): readonly string[] {
  return turns.flatMap(turnLines);
}

function turnLines({ idleSeconds, user, steps }: OutlineTurn): readonly string[] {
  return [
    ...idleLine(idleSeconds),
    `user: ${contentOf(user)}`,
    ...steps.flatMap((step) => [...idleLine(step.idleSeconds), `step: ${stepOf(step)}`]),
  ];
}

function idleLine(seconds: number): readonly string[] {
  return seconds === 0 ? [] : [`idle: ${seconds}s`];
}

function stepOf({ parts }: OutlineStep): string {
  const fields = (['reasoning', 'text'] as const).flatMap((type) => {
    const texts = parts.flatMap((part) => (part.type === type ? [part as OutlineText] : []));
    return texts.length === 0 ? [] : [`${type}: ${contentOf(joinTexts(texts))}`];
  });
  const tools = parts.flatMap((part) => (part.type === 'tool' ? [toolOf(part)] : []));
  const calls = tools.length === 0 ? [] : [`tools: [${tools.join(', ')}]`];
  const all = [...fields, ...calls];
  return all.length === 0 ? '0' : `{ ${all.join(', ')} }`;
}

function toolOf({ tool, status, input, output }: OutlinePart & { readonly type: 'tool' }): string {
  const isPlain = input.text === undefined && input.tokens <= PLAIN_INPUT_TOKENS;
  if (status === 'pending' && isPlain) return JSON.stringify(`${tool} pending`);
  const ending = status === 'error' ? ' error' : '';
  if (isPlain && output.text === undefined) {
    const call = `${tool} ${output.tokens}${ending}`;
    return PLAIN_CALL.test(call) ? call : JSON.stringify(call);
  }
  const fields = [
    `tool: ${JSON.stringify(tool)}`,
    ...(isPlain ? [] : [`input: ${input.text ?? input.tokens}`]),
    ...(status === 'pending' ? [] : [`output: ${contentOf(output)}`]),
    ...(status === 'completed' ? [] : [`status: ${status}`]),
  ];
  return `{ ${fields.join(', ')} }`;
}

function contentOf({ tokens, text }: OutlineText): string {
  return text === undefined ? String(tokens) : `{ text: ${JSON.stringify(text)} }`;
}

function expectOf({ expect }: ScenarioFrame): string {
  if (expect === undefined) return '{}';
  const { state, target } = expect;
  const fields = [`state: ${state}`];
  if (target.type === 'law') fields.push(`violates: [${target.law}]`);
  if (target.type === 'metric') {
    fields.push(`metrics: { ${target.metric}: ${JSON.stringify(target.text)} }`);
  }
  return `{ ${fields.join(', ')} }`;
}

function flow(values: Readonly<Record<string, SettingValue>>): string {
  const fields = Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${fields.join(', ')} }`;
}
