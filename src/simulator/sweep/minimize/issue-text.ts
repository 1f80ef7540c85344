import { codeSpan } from '../../report/code-span.ts';
import { countOf } from '../../report/numbers.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import { shownText } from '../../report/shown-text.ts';
import { toLog, writeLine } from '../gate/log.ts';
import { type Outline, sizeOf } from './outline.ts';
import { describeTarget, type Target } from './target.ts';

/** What an issue tells. */
export interface IssueFacts {
  readonly target: Target;
  /** What shows it, a preset or a command. */
  readonly name: string;
  /** The options of `check` with which its scenario shows it, as a shell has them. */
  readonly options: readonly string[];
  readonly model: string;
  readonly original: Outline;
  readonly minimal: Outline;
  /** The scenario file. */
  readonly scenario: string;
  readonly result: ScenarioRunResult;
}

/** Lines of the log that an issue shows at most; the last ones tell most. */
const SHOWN_LINES = 30;
const FENCE = '````';

/** An issue that whoever reads it can follow: what is seen, how to see it, what happened. */
export function renderIssue(facts: IssueFacts): string {
  const { target, name, model, original, minimal, scenario, result } = facts;
  const [before, after] = [sizeOf(original), sizeOf(minimal)];
  const log = toLog(result.events).map(writeLine);
  const lines = log.slice(-SHOWN_LINES);
  const command = ['npx compaction-bench check minimal.yaml', ...facts.options].join(' ');
  return [
    `## ${codeSpan(name)} shows ${describeTarget(target)}`,
    '',
    `On ${codeSpan(model)}. The smallest session found that shows it has ${describeSize(after)}; the original has ${describeSize(before)}.`,
    '',
    '### To see it',
    '',
    `Save this as ${codeSpan('minimal.yaml')} and run ${codeSpan(command)}:`,
    '',
    `${FENCE}yaml`,
    scenario.trimEnd(),
    FENCE,
    '',
    '### What happens',
    '',
    `The run ends ${codeSpan(result.state)}${result.reason === undefined ? '' : `: ${codeSpan(result.reason)}`}.`,
    '',
    `${FENCE}text`,
    ...(lines.length < log.length ? [`(${log.length - lines.length} lines before)`] : []),
    ...lines.map(shownText),
    FENCE,
    '',
  ].join('\n');
}

function describeSize({ turns, steps, tokens }: ReturnType<typeof sizeOf>): string {
  return `${countOf(turns, 'turn')}, ${countOf(steps, 'step')} and ${countOf(tokens, 'token')}`;
}
