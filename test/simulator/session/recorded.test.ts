import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findGrowingCopies, toCopyCandidate } from '../../../src/simulator/session/copies.ts';
import { formats } from '../../../src/simulator/session/formats.ts';
import { loadSessions } from '../../../src/simulator/session/load.ts';
import { readSessions } from '../../../src/simulator/session/read.ts';
import type { RecordedCompaction, Session } from '../../../src/simulator/session/session.ts';
import { createSourceFile, decodeText } from '../../../src/simulator/session/source-file.ts';
import { expectLawful } from '../../contracts/session-format.ts';

interface ManifestEntry {
  readonly file: string;
  readonly format: string;
  readonly toolOutputs: number;
  readonly models: readonly string[];
  readonly compactions: readonly {
    readonly kind: string;
    readonly trigger: string;
    readonly pre: number;
    readonly saved?: number;
    readonly n?: number;
  }[];
}

const FOLDER = resolve(import.meta.dirname, '../../../../shared/sessions');
const MANIFEST = join(FOLDER, 'MANIFEST.json');
const manifest: readonly ManifestEntry[] = existsSync(MANIFEST)
  ? JSON.parse(readFileSync(MANIFEST, 'utf8'))
  : [];
const note = existsSync(MANIFEST) ? '' : ' (skipped: ../shared/sessions is not there)';

const textOf = (file: string) => decodeText(readFileSync(join(FOLDER, file)));
const read = (file: string) => readSessions(file, textOf(file));
const isRead = ({ format }: ManifestEntry) => Object.hasOwn(formats, format);
const byFormat = (name: string) => manifest.filter(({ format }) => format === name);
const partsOf = (sessions: readonly Session[]) =>
  sessions.flatMap(({ messages }) => messages).flatMap(({ parts }) => parts);
const stepsOf = (session: Session) => session.messages.filter(({ role }) => role === 'assistant');

describe.skipIf(manifest.length === 0)(`recordings${note}`, () => {
  it.each(manifest.map(({ file, format }) => [file, format]))(
    '%s is claimed as %s, or by none',
    (file, format) => {
      const source = createSourceFile(file, textOf(file));
      const claims = Object.entries(formats).filter(([, each]) => each.detect(source));
      expect(claims.map(([name]) => name)).toEqual(claimOf(file, format));
    },
  );

  it.each(manifest.filter(isRead).map((entry) => [entry.file, entry] as const))(
    '%s has what the manifest says',
    (file, entry) => {
      const sessions = read(file);
      for (const session of sessions) expectLawful(session);
      expect(countOutputs(sessions)).toBe(entry.toolOutputs);
      expect(sessions[0]!.recordedCompactions.map(toManifest)).toEqual(
        entry.compactions.map(toManifest),
      );
      const models = entry.models.filter((model) => model !== '<synthetic>');
      expect(sessions[0]!.model?.split('/').slice(1).join('/')).toBe(models[0]);
    },
  );

  it.each(byFormat('claude-code').map(({ file }) => [file]))(
    '%s has one step for each message id',
    (file) => {
      const steps = read(file).flatMap(stepsOf);
      expect(steps.map(({ id }) => id)).toEqual(messageIdsIn(textOf(file)));
    },
  );

  it.each<[string, number, Partial<Session>]>([
    ['entire-cd95-3compactions-v2.1.7.jsonl', 225, { isPartial: false, isOutputFinal: false }],
    ['entire-b0dc-1compaction-2micro-v2.1.17.jsonl', 131, { isPartial: false }],
    [
      'entire-3799-glued-line-v2.1.jsonl',
      42,
      {
        report: {
          dropped: { 'repeated record': 1 },
          repaired: { 'record on the line of another': 1 },
        },
      },
    ],
    [
      'entire-1755-orphan-tool-result.jsonl',
      22,
      { isPartial: true, report: { dropped: { 'tool result without a call': 1 }, repaired: {} } },
    ],
    ['entire-8cfa-tiny-fragment.jsonl', 1, { isPartial: true }],
    ['kimi-cli-7719-no-compaction.jsonl', 24, { isOutputFinal: true }],
    ['codemie-tmp-private/agent-36541525.jsonl', 1, { isSide: true, sessionId: '36541525' }],
  ])('%s has %i steps', (file, steps, expected) => {
    const [session] = read(`claude-code/${file}`);
    expect(stepsOf(session!)).toHaveLength(steps);
    expect(session).toMatchObject(expected);
  });

  it('of tau-bench are sixty sessions', () => {
    const file = 'openai-chat/tau-bench-gpt-4o-airline-first60.json';
    const sessions = read(file);
    expect(sessions.map(({ name }) => name)).toEqual(
      Array.from({ length: 60 }, (_, index) => `${file}#${index}`),
    );
    expect(sessions.every(({ system = '' }) => system.length > 1_000)).toBe(true);
  });

  it('of OpenCode keep the call that was running, in a step without usage', () => {
    const { messages } = read('opencode/export-tuiptv-v1.14.46.skeleton.json')[0]!;
    const last = messages.at(-1);
    expect(last?.parts.at(-1)).toMatchObject({ type: 'tool', state: { status: 'running' } });
    expect(last).not.toHaveProperty('usage');
    expect(messages.filter((each) => each.role === 'assistant' && each.usage)).toHaveLength(89);
  });

  it('that grew from one to the next are found', () => {
    const files = byFormat('claude-code').map(({ file }) => join(FOLDER, file));
    const sessions = [...loadSessions(files)].flatMap((each) =>
      each.state === 'read' ? each.session : [],
    );
    const copies = findGrowingCopies(sessions.map(toCopyCandidate));
    expect(copies.map(({ name, copyOf }) => [name, copyOf].map(shortName))).toEqual([
      ['codemie-incremental-simple/turn-1.jsonl', 'codemie-incremental-simple/turn-2.jsonl'],
      ['codemie-incremental-subagents/turn-1.jsonl', 'codemie-incremental-subagents/turn-2.jsonl'],
    ]);
  });
});

/** Shapes of Claude Code's records and the arrays of mini-swe-agent are readable, though listed under other names. */
function claimOf(file: string, format: string): readonly string[] {
  if (format === 'mini-swe-agent') return ['openai-chat'];
  if (/^schema-shapes\/claude\/.*\.jsonl$/.test(file)) return ['claude-code'];
  return Object.hasOwn(formats, format) ? [format] : [];
}

function countOutputs(sessions: readonly Session[]): number {
  const tools = partsOf(sessions).filter((part) => part.type === 'tool');
  const answered = tools.filter(
    ({ state }) => state.status === 'completed' || state.status === 'error',
  );
  const orphans = sessions.map(({ report }) => report.dropped['tool result without a call'] ?? 0);
  return answered.length + orphans.reduce((sum, count) => sum + count, 0);
}

function toManifest(
  compaction: RecordedCompaction | ManifestEntry['compactions'][number],
): unknown {
  if ('pre' in compaction) {
    const { kind, trigger, pre, saved, n } = compaction;
    return [kind, trigger, pre, saved === undefined ? undefined : pre - saved, n];
  }
  const { kind, trigger, tokensBefore, tokensAfter, clearedCallIds } = compaction;
  return [kind, trigger, tokensBefore, tokensAfter, clearedCallIds?.length];
}

/** The ids that models gave their answers, found without the reader. */
function messageIdsIn(text: string): readonly string[] {
  const records = text
    .replaceAll(/\}\{(?="(?:parentUuid|type)":)/g, '}\n{')
    .split('\n')
    .filter(Boolean);
  const ids = records
    .map((record) => JSON.parse(record))
    .filter(({ type, message }) => type === 'assistant' && message.model !== '<synthetic>')
    .map(({ message }) => message.id);
  return [...new Set(ids)];
}

function shortName(path: string): string {
  return path.split('/').slice(-2).join('/');
}
