import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../src/simulator/session/files/discover.ts';
import { createSourceFile } from '../../../src/simulator/session/files/source-file.ts';
import { sessionFormats } from '../../../src/simulator/session/formats.ts';
import { loadSessions } from '../../../src/simulator/session/load.ts';
import { findGrowingCopies, toCopyCandidate } from '../../../src/simulator/session/find-copies.ts';
import { contextTokensOf, type Session } from '../../../src/simulator/session/session.ts';
import { expectLawful } from '../../contracts/lawful-session.ts';
import {
  byFormat,
  FOLDER,
  isRead,
  manifest,
  type ManifestEntry,
  nameOf,
  note,
  read,
  textOf,
  toManifest,
  WITHOUT_MESSAGES,
} from './manifest.ts';
import { toolsOf } from './tools-of.ts';
import { surestMatches } from '../../support/session-matches.ts';

/** Recalled knowledge, errors of no call and results of no call are texts here, and outputs for the manifest. */
const TEXT_OUTPUTS: Readonly<Record<string, number>> = {
  'atif/session-ebphxk.atif.jsonl': 6,
  'openhands/multi_swe_bench-output.jsonl': 5,
};

const partsOf = (sessions: readonly Session[]) =>
  sessions.flatMap(({ messages }) => messages).flatMap(({ parts }) => parts);
const stepsOf = (session: Session) => session.messages.filter(({ role }) => role === 'assistant');

describe.skipIf(manifest.length === 0)(`recordings${note}`, () => {
  it.each(manifest.map(({ file, format }) => [file, format]))(
    '%s is claimed as %s, or by none',
    (file, format) => {
      const source = createSourceFile(file, textOf(file));
      expect(surestMatches(source)).toEqual(claimOf(file, format));
    },
  );

  it.each(manifest.filter(isRead).map((entry) => [entry.file, entry] as const))(
    '%s has what the manifest says',
    (file, entry) => {
      const sessions = read(file);
      for (const session of sessions) expectLawful(session);
      expect(countOutputs(sessions) + (TEXT_OUTPUTS[file] ?? 0)).toBe(entry.toolOutputs);
      expect(compactionsOf(sessions[0]!, entry)).toEqual(entry.compactions.map(toManifest));
      const models = entry.models.filter((model) => model !== '<synthetic>');
      if (models.length === 0 && nameOf(entry.format) === 'atif') return;
      const { model } = sessions[0]!;
      expect([model, model?.split('/').slice(1).join('/')]).toContain(models[0]);
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

  it.each<[string, readonly number[], number]>([
    ['cline/session.messages.json', [16], 51_852],
    ['openhands/multi_swe_bench-output.jsonl', [23, 33, 49], 33_459],
  ])('%s tell the usage of their steps', (file, counts, largest) => {
    const usages = read(file).map((session) =>
      stepsOf(session).flatMap((step) => (step.role === 'assistant' && step.usage) || []),
    );
    expect(usages.map(({ length }) => length)).toEqual(counts);
    expect(Math.max(...usages.flat().map(contextTokensOf))).toBe(largest);
  });

  it.each<[string, number]>([
    ['swe-agent/crypto__katy.traj', 18],
    ['swe-agent/mini-github_issue.traj.json', 10],
    ['cline/session.messages.json', 16],
    ['atif/regex-log-trajectory.json', 3],
  ])('%s has %i steps', (file, steps) => {
    expect(stepsOf(read(file)[0]!)).toHaveLength(steps);
  });

  it('of OpenHands have failed calls where a command or an editor failed', () => {
    const file = 'openhands/multi_swe_bench-output.jsonl';
    const failures = /"exit_code": ?[1-9]|"content": ?"ERROR:\\n/g;
    const lines = textOf(file).split('\n').filter(Boolean);
    const failed = read(file).map((session) =>
      toolsOf(session).filter(({ state }) => state.status === 'error'),
    );
    expect(failed.map(({ length }) => length)).toEqual([6, 13, 24]);
    expect(lines.map((line) => line.match(failures)?.length)).toEqual([6, 13, 24]);
  });

  it('of OpenCode keep the call that was running, in a step without usage', () => {
    const { messages } = read('opencode/export-tuiptv-v1.14.46.skeleton.json')[0]!;
    const last = messages.at(-1);
    expect(last?.parts.at(-1)).toMatchObject({ type: 'tool', state: { status: 'running' } });
    expect(last).not.toHaveProperty('usage');
    expect(messages.filter((each) => each.role === 'assistant' && each.usage)).toHaveLength(89);
  });

  it.each<[string, Partial<Session>, readonly number[]]>([
    [
      'real-session-footer-suppressed-on-pre-idle-interrupt.jsonl',
      { sessionId: 'ses_3425750a5ffeQPNh6uFfiu1EVD', isPartial: true },
      [50_700],
    ],
    [
      'real-session-task-three-parallel-sleeps.jsonl',
      { sessionId: 'ses_33d8cd632ffeImx2BDMv6M2eM3', isPartial: false },
      [45_922, 47_041],
    ],
    [
      'session-explicit-abort.jsonl',
      { sessionId: 'ses_346a3cc9cffe1NwXSitAQY7m6H', isPartial: false },
      [1],
    ],
  ])('of events, %s, hold one session with the usage of its steps', (file, expected, tokens) => {
    const [session, ...others] = read(`opencode-events/${file}`);
    expect(others).toEqual([]);
    expect(session).toMatchObject({ ...expected, report: { dropped: {}, repaired: {} } });
    const steps = session!.messages.filter((each) => each.role === 'assistant');
    const usages = steps.flatMap(({ usage }) => usage ?? []);
    expect(usages.map(contextTokensOf)).toEqual(tokens);
  });

  it.each([
    ['storage_legacy', [[0, 2]]],
    [
      'storage_v2',
      [
        [1, 6, 1, 1],
        [1, 2],
      ],
    ],
  ])('of OpenCode in the tree %s have their parts', (folder, expected) => {
    const files = discoverSessionFiles([join(FOLDER, 'schema-shapes/opencode', folder)]).files;
    const sessions = [...loadSessions(files)].flatMap((each) =>
      each.state === 'read' ? each.session : [],
    );
    expect(sessions).toHaveLength(files.length);
    for (const session of sessions) expectLawful(session);
    expect(sessions.map(({ messages }) => messages.map(({ parts }) => parts.length))).toEqual(
      expected,
    );
  });

  it.each<[string, readonly string[]]>([
    ['claude/large.jsonl', []],
    ['claude/schema_drift.jsonl', ['tool_use', 'tool_result']],
    ['claude/small.jsonl', []],
    ['codex/large.jsonl', ['tool_call', 'tool_result']],
    ['codex/schema_drift.jsonl', ['function_result']],
    ['codex/small.jsonl', []],
    ['gemini/jsonl_v040.jsonl', []],
    ['gemini/large.json', []],
    ['gemini/schema_drift.json', []],
    ['gemini/small.json', []],
  ])('of shapes, %s, are read, and what is unknown is counted by its type', (file, unknown) => {
    const sessions = read(`schema-shapes/${file}`);
    for (const session of sessions) expectLawful(session);
    const reasons = Object.keys(sessions[0]!.report.dropped);
    expect(reasons.filter((reason) => reason.startsWith('unknown record'))).toEqual(
      unknown.map((type) => `unknown record "${type}"`),
    );
  });

  it.each<[string, number, number, Partial<Session>]>([
    [
      'codex/redacted-lengths/rollout-2026-02-23T12-54-34-019c8a59-e9dd-71f0-9ae3-4079fe9726a9',
      286,
      209_950,
      {},
    ],
    ['codex/rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799', 66, 131_573, {}],
    ['claude-sdk-stream/openagents-204253-2compactions', 364, 159_326, { isOutputFinal: false }],
  ])(
    '%s has a count for each of %i steps, of at most %i tokens',
    (file, steps, tokens, expected) => {
      const [session, ...others] = read(`${file}.jsonl`);
      const usages = stepsOf(session!).flatMap((step) => ('usage' in step && step.usage) || []);
      expect(others).toEqual([]);
      expect(stepsOf(session!)).toHaveLength(steps);
      expect(usages).toHaveLength(steps);
      expect(Math.max(...usages.map(contextTokensOf))).toBe(tokens);
      expect(session).toMatchObject({ isPartial: false, isOutputFinal: true, ...expected });
    },
  );

  it('of Codex have a turn for each text that was typed, and texts as long as they were', () => {
    const file =
      'codex/redacted-lengths/rollout-2026-02-23T12-54-34-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl';
    const [session] = read(file);
    const prompts = session!.messages.filter(({ role }) => role === 'user');
    expect(prompts).toHaveLength(textOf(file).split('"user_message"').length - 1);
    expect(session!.report.dropped).toEqual({});
    expect(JSON.stringify(session)).not.toContain('[REDACTED_');
  });

  it('that grew from one to the next are found', () => {
    const entries = ['claude-code', 'codex-rollout', 'gemini-cli'].flatMap(byFormat);
    const files = entries.map(({ file }) => join(FOLDER, file));
    const sessions = [...loadSessions(files)].flatMap((each) =>
      each.state === 'read' ? each.session : [],
    );
    const copies = findGrowingCopies(sessions.map(toCopyCandidate));
    expect(copies.map(({ name, copyOf }) => [name, copyOf].map(shortName))).toEqual([
      ['codemie-incremental-simple/turn-1.jsonl', 'codemie-incremental-simple/turn-2.jsonl'],
      ['codemie-incremental-subagents/turn-1.jsonl', 'codemie-incremental-subagents/turn-2.jsonl'],
      ['codex/codemie-turn-1.jsonl', 'codex/codemie-turn-2.jsonl'],
      ['gemini-cli/entire-9c53-gemini.json', 'gemini-cli/entire-ab2b-gemini.json'],
    ]);
  });
});

/** Shapes of records are readable, though listed under other names. */
function claimOf(file: string, format: string): readonly string[] {
  if (file === WITHOUT_MESSAGES) return [];
  if (/^schema-shapes\/claude\/.*\.jsonl$/.test(file)) return ['claude-code'];
  if (/^schema-shapes\/opencode\/\w+\/session\//.test(file)) return ['opencode-storage'];
  if (/^schema-shapes\/(pi|openclaw)\//.test(file)) return ['pi'];
  if (file.startsWith('schema-shapes/codex/')) return ['codex'];
  if (file.startsWith('schema-shapes/gemini/')) return ['gemini-cli'];
  if (file.startsWith('schema-shapes/copilot/')) return ['copilot-cli'];
  if (file.startsWith('schema-shapes/qwen/')) return ['qwen-code'];
  if (/^schema-shapes\/kimi\/.*\.jsonl$/.test(file)) return ['kimi-code'];
  return Object.hasOwn(sessionFormats, nameOf(format)) ? [nameOf(format)] : [];
}

/** Counts outputs; searches by the provider have none. */
function countOutputs(sessions: readonly Session[]): number {
  const tools = partsOf(sessions).filter((part) => part.type === 'tool');
  const answered = tools.filter(
    ({ tool, state }) =>
      state.status === 'error' ||
      (state.status === 'completed' && (state.output !== '' || tool !== 'web_search')),
  );
  const orphans = sessions.map(({ report }) => report.dropped['tool result without a call'] ?? 0);
  return answered.length + orphans.reduce((sum, count) => sum + count, 0);
}

/** The compactions of a session, without a trigger where the manifest tells none. */
function compactionsOf(
  { recordedCompactions }: Session,
  { compactions }: ManifestEntry,
): readonly unknown[] {
  return recordedCompactions.map(({ trigger, ...compaction }, index) => {
    const isTold = trigger !== undefined && compactions[index]?.trigger !== null;
    return toManifest({ ...compaction, ...(isTold && { trigger }) });
  });
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
