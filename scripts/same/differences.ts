import type { Intended } from './intended.ts';

/** The outputs of a case by name, their bytes as latin1. */
export type Outputs = Readonly<Record<string, string>>;

/** The first place where an output differs; a line is absent where its side has no such output, or ended. */
export interface Difference {
  readonly output: string;
  readonly line?: number;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A wanted difference that was met. */
export interface Met {
  readonly output: string;
  readonly reason: string;
}

/** The differences between the outputs of two revisions. */
export interface Comparison {
  readonly differences: readonly Difference[];
  readonly met: readonly Met[];
}

/** Characters of a line that are shown, around the first one that differs. */
const SHOWN = 200;

/** Compares the outputs of two revisions. */
export function compareOutputs(
  before: Outputs,
  after: Outputs,
  intended: readonly Intended[],
): Comparison {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const each = names
    .filter((name) => before[name] !== after[name])
    .map((name) => compareOutput(name, [before[name], after[name]], intended));
  return {
    differences: each.flatMap(({ differences }) => differences),
    met: each.flatMap(({ met }) => met),
  };
}

/** A difference as it is printed. */
export function showDifference({ output, line, before, after }: Difference): string {
  const from = Math.max(0, firstDifference(before ?? '', after ?? '') - SHOWN / 2);
  const shown = (text: string | undefined) =>
    text === undefined ? '(nothing)' : excerpt(text, from);
  const place = line === undefined ? '' : `, line ${line}`;
  return `${output}${place}\n  - ${shown(before)}\n  + ${shown(after)}`;
}

function compareOutput(
  output: string,
  [before, after]: readonly [string | undefined, string | undefined],
  intended: readonly Intended[],
): Comparison {
  const whole = intended.find((one) => one.output?.test(output));
  if (whole) return { differences: [], met: [{ output, reason: whole.reason }] };
  if (before === undefined || after === undefined) {
    return { differences: [{ output, before, after }], met: [] };
  }
  const texts = intended.filter(({ text }) => text !== undefined);
  const alike = (given: string) =>
    texts.reduce((result, { text }) => result.replaceAll(text ?? '', '…'), given);
  const difference = differingLine(output, alike(before), alike(after));
  if (difference) return { differences: [difference], met: [] };
  const met = texts.filter(({ text }) => matches(before, text) !== matches(after, text));
  return { differences: [], met: met.map(({ reason }) => ({ output, reason })) };
}

function differingLine(output: string, before: string, after: string): Difference | undefined {
  if (before === after) return undefined;
  const [old, new_] = [before.split('\n'), after.split('\n')];
  const index = old.findIndex((line, at) => line !== new_[at]);
  const at = index === -1 ? old.length : index;
  return { output, line: at + 1, before: old[at], after: new_[at] };
}

function matches(text: string, pattern: RegExp | undefined): string {
  return pattern === undefined ? '' : (text.match(pattern) ?? []).join('\n');
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function excerpt(line: string, from: number): string {
  const text = Buffer.from(line.slice(from, from + SHOWN), 'latin1').toString('utf8');
  return `${from > 0 ? '…' : ''}${text}${line.length > from + SHOWN ? '…' : ''}`;
}
