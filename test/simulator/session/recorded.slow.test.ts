import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countEach } from '../../../src/simulator/lib/collections.ts';
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

const GOLDEN = resolve(import.meta.dirname, '../../fixtures/recorded-sessions.txt');
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

  it('give the sessions that they gave', async () => {
    // Those in trees are read with the files around them.
    const all = manifest.filter(
      ({ file, format }) => claimOf(file, format).length > 0 && !file.includes('opencode/storage'),
    );
    const lines = all.flatMap(({ file }) => {
      const sessions = read(file);
      for (const session of sessions) expectLawful(session);
      return [file, ...sessions.map((session) => `  ${JSON.stringify(outlineOf(session))}`)];
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(GOLDEN);
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

/** What tells a session from others, without its texts. */
function outlineOf(session: Session) {
  const { sessionId, isSide, isPartial, isOutputFinal, system = '', report } = session;
  const steps = stepsOf(session).flatMap((step) => (step.role === 'assistant' ? [step] : []));
  const contexts = steps.flatMap(({ usage }) =>
    usage === undefined ? [] : contextTokensOf(usage),
  );
  const states = toolsOf(session).map(({ state }) => state.status);
  return {
    sessionId,
    isSide,
    isPartial,
    isOutputFinal,
    system: system.length,
    messages: session.messages.length,
    steps: steps.length,
    usages: contexts.length,
    largest: Math.max(0, ...contexts),
    states: Object.fromEntries(countEach(states)),
    ...report,
  };
}

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
function compactionsOf({ recordedCompactions }: Session, { compactions }: ManifestEntry) {
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
