import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import type { Distribution } from '../../../../src/simulator/session/statistics/distribution.ts';
import { figuresOf, poolSamples } from '../../../../src/simulator/session/statistics/pool.ts';
import {
  sampleSession,
  type SessionSample,
} from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';

interface ReferenceSession {
  readonly file: string;
  readonly format: string;
  readonly toolOutputs: number;
  readonly estTokens: number;
  readonly toolOutputShare: number;
  readonly usageSteps: number;
  readonly maxContext: number | null;
  readonly hasCompaction: boolean;
}

type FileFigure = Exclude<keyof ReferenceSession, 'file' | 'format'>;
type FileFigures = Readonly<Record<FileFigure, number | boolean | null>>;

/** Where a figure is another by definition: how far it may be off, as a part of the reference. */
interface Exception {
  readonly files: RegExp;
  readonly figures: Partial<Record<FileFigure, number>>;
  readonly why: string;
}

const SHARED = resolve(import.meta.dirname, '../../../../../shared');
const STATISTICS = join(SHARED, 'reference/session-statistics.json');
const hasShared = existsSync(STATISTICS) && existsSync(join(SHARED, 'sessions'));
const note = hasShared ? '' : ' (skipped: ../shared is not there)';
const reference = hasShared ? JSON.parse(readFileSync(STATISTICS, 'utf8')) : { sessions: [] };
/** Formats whose system prompt stands beside the messages, where the reference did not look. */
const SYSTEM_BESIDE = ['codex-rollout', 'cline-sdk'];

const EXCEPTIONS: readonly Exception[] = [
  {
    files: /entire-1755-orphan/,
    figures: { toolOutputs: 0.05, estTokens: 0.002, toolOutputShare: 0.002 },
    why: 'a result whose call is not in the file belongs to no step',
  },
  {
    files: /agent-a485154|codemie-tmp-private\/agent-/,
    figures: { usageSteps: Infinity, maxContext: Infinity },
    why: 'a session of a sub-agent is one of its own, and its usage counts',
  },
  {
    files: /^codex\//,
    figures: { estTokens: 0.003, toolOutputShare: 0.003 },
    why: 'a search of the web is a call, though nothing of its result is recorded',
  },
  {
    files: /^gemini-cli\/entire/,
    figures: { estTokens: 0.03, toolOutputShare: 0.03, usageSteps: 0.17 },
    why: 'a notice of the program is no content, and usage of nothing but zeros is none',
  },
  {
    files: /^gemini-cli\/session/,
    figures: { estTokens: 0.001 },
    why: 'a thought is its subject and its description, put together',
  },
  {
    files: /^opencode-events\//,
    figures: { toolOutputShare: 0.004 },
    why: 'of so few tokens the reference shows whole ones',
  },
  {
    files: /^swe-agent\//,
    figures: { estTokens: 0.02, toolOutputShare: 0.02 },
    why: 'a command in a text is taken out of the text and is a call',
  },
  {
    files: /^openhands\//,
    figures: { toolOutputs: 0.05, estTokens: 0.12, toolOutputShare: 0.13 },
    why: 'recalls and errors are no tools, and arguments are what the model wrote, not what the recorder added',
  },
  {
    files: /^atif\/regex-log/,
    figures: { estTokens: 0.04, toolOutputShare: 0.05 },
    why: 'steps of the recorder itself say nothing to the model',
  },
  {
    files: /^atif\/session-ebphxk/,
    figures: { toolOutputs: 1, estTokens: 0.001, toolOutputShare: 1 },
    why: 'results without any call are injected texts',
  },
  {
    files: /^cline\//,
    figures: { estTokens: 0.01, toolOutputShare: 0.01 },
    why: 'a file in a message is written out with its name',
  },
];

const FIGURES: readonly FileFigure[] = [
  'toolOutputs',
  'estTokens',
  'toolOutputShare',
  'usageSteps',
  'maxContext',
  'hasCompaction',
];
/** Shares are rounded to thousandths. Of a text, the reference counts a few characters otherwise. */
const TOLERANCES: Partial<Record<FileFigure, number>> = { estTokens: 1.5, toolOutputShare: 0.0006 };
const CHARACTERS_TOLERANCE = 0.0001;

/** Files whose statistics together agreed with the reference, but for what is another by definition. */
const COMPLETE = [
  ['claude-sdk-stream/openagents-204253-2compactions.jsonl'],
  ['swe-agent/mini-github_issue.traj.json', 'swe-agent/mini-local.traj.json'],
  ['atif/regex-log-trajectory.json'],
  ['cline/session.messages.json'],
];
const GOLDEN = resolve(import.meta.dirname, '../../../fixtures/recorded-statistics.txt');
/** Number, mean, median and largest of a distribution. */
const shortened = (_: string, value: unknown) => {
  if (typeof value !== 'object' || value === null || !('p50' in value)) return value;
  const { n, mean, p50, max } = value as Distribution;
  return [n, mean, p50, max];
};

const kept: readonly ReferenceSession[] = reference.sessions.filter(({ file }: ReferenceSession) =>
  existsSync(join(SHARED, 'sessions', file)),
);
const samplesByFile = new Map(kept.map(({ file }) => [file, samplesOf(file)]));
const readable = kept.filter(({ file }) => (samplesByFile.get(file)?.length ?? 0) > 0);

function samplesOf(file: string): readonly SessionSample[] {
  return [...loadSessions([join(SHARED, 'sessions', file)])].flatMap((loaded) =>
    loaded.state === 'read' ? [sampleSession(loaded.session, charsEstimator)] : [],
  );
}

function figuresOfFile({ file, format }: ReferenceSession): FileFigures {
  const samples = samplesByFile.get(file) ?? [];
  const figures = samples.map(figuresOf);
  const besideTokens = SYSTEM_BESIDE.includes(format)
    ? samples.reduce((total, { tokensByKind }) => total + tokensByKind.system, 0)
    : 0;
  const add = (of: (each: (typeof figures)[number]) => number) =>
    figures.reduce((total, each) => total + of(each), 0);
  const estTokens = add(({ contentTokens }) => contentTokens) - besideTokens;
  const outputTokens = samples.reduce((total, each) => total + each.tokensByKind.toolOutput, 0);
  const contexts = figures.flatMap(
    ({ recordedMaxContextTokens }) => recordedMaxContextTokens ?? [],
  );
  return {
    toolOutputs: add(({ toolOutputs }) => toolOutputs),
    estTokens,
    toolOutputShare: estTokens === 0 ? 0 : outputTokens / estTokens,
    usageSteps: add(({ recordedSteps }) => recordedSteps),
    maxContext: contexts.length === 0 ? null : Math.max(...contexts),
    hasCompaction: figures.some(({ compactions }) => compactions > 0),
  };
}

/** Figures of a file that are not those of the reference, and that no exception explains. */
function findDifferences(expected: ReferenceSession): readonly string[] {
  const got = figuresOfFile(expected);
  const exception = EXCEPTIONS.find(({ files }) => files.test(expected.file));
  return FIGURES.flatMap((figure) => {
    const allowed = exception?.figures[figure];
    return isClose(got[figure], expected[figure], { figure, allowed })
      ? []
      : [`${figure}: ${got[figure]} instead of ${expected[figure]}`];
  });
}

function isClose(
  got: FileFigures[FileFigure],
  expected: FileFigures[FileFigure],
  { figure, allowed = 0 }: { readonly figure: FileFigure; readonly allowed: number | undefined },
): boolean {
  if (allowed === Infinity || got === expected) return true;
  if (typeof got !== 'number' || typeof expected !== 'number') return false;
  const own = figure === 'estTokens' ? CHARACTERS_TOLERANCE : 0;
  const tolerance = (TOLERANCES[figure] ?? 0) + Math.max(own, allowed) * expected;
  return Math.abs(got - expected) <= tolerance;
}

describe.skipIf(!hasShared)(`statistics of recordings${note}`, () => {
  it.each(readable.map((session) => [session.file, session] as const))(
    '%s has the figures of the reference',
    (_, session) => {
      expect(findDifferences(session)).toEqual([]);
    },
  );

  it('cover every file of a conversation that is kept', () => {
    const unread = kept.filter((session) => !readable.includes(session));
    expect(unread.map(({ file }) => file)).toEqual(['cline/session.json']);
  });

  it('of some files together are as they were', async () => {
    const lines = COMPLETE.flatMap((files) => {
      const samples = files.flatMap((file) => samplesByFile.get(file) ?? []);
      const pooled = Object.entries(poolSamples(samples, charsEstimator.name));
      return [
        ...files,
        ...pooled.map(([name, part]) => `  ${name} ${JSON.stringify(part, shortened)}`),
      ];
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(GOLDEN);
  });

  it.each<[string, number, number]>([
    ['claude-code', 2.89, 0.02],
    ['pi', 3.28, 0.02],
    ['opencode-export', 3.67, 0.2],
  ])('tell the characters per token of %s', (format, expected, tolerance) => {
    const files = kept.filter((session) => session.format === format);
    const samples = files.flatMap(({ file }) => samplesByFile.get(file) ?? []);
    const { all } = poolSamples(samples, 'chars4').charactersPerToken;
    expect(all?.evidence).toBe('measured');
    expect(Math.abs((all?.ratio ?? 0) - expected)).toBeLessThan(tolerance);
  });
});
