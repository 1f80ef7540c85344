import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { findModel, readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { writeSession } from '../../../../src/simulator/session/formats/canonical-lines.ts';
import { loadSessions, readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { runFiles, type RunItem } from '../../../../src/simulator/sweep/run-files.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { handMadeSessions } from './canonical-sessions.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/sessions');
const RECORDINGS = join(import.meta.dirname, '../../../fixtures/recordings');
const SHARED = resolve(import.meta.dirname, '../../../../../shared/sessions');
const hasShared = existsSync(SHARED);
const recordings = hasShared ? filesIn(SHARED) : [];
const note = hasShared ? '' : ' (skipped: ../shared/sessions is not there)';
const write = (sessions: readonly Session[]) =>
  sessions.flatMap((session) => [...writeSession(session)]).join('');
const folder = createFolder();

describe('a session that is written and read', () => {
  it('is the same, and is written the same again', () => {
    fc.assert(
      fc.property(handMadeSessions, (session) => {
        const text = write([session]);
        const sessions = readSessions('made', text);
        expect(sessions).toEqual([session]);
        expect(write(sessions)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order of the keys, nor on where it was read', () => {
    fc.assert(
      fc.property(handMadeSessions, (session) => {
        const turned = Object.fromEntries(Object.entries(session).toReversed()) as never as Session;
        const report = {
          dropped: Object.fromEntries(Object.entries(session.report.dropped).toReversed()),
          repaired: session.report.repaired,
        };
        expect(write([{ ...turned, name: 'elsewhere', report }])).toBe(write([session]));
      }),
    );
  });

  it('is one text for several sessions, that are told apart', () => {
    const all = fc.array(handMadeSessions, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(all, (sessions) => {
        const named = sessions.map((session, index) => ({ ...session, name: `made#${index}` }));
        expect(readSessions('made', write(named))).toEqual(named);
      }),
      { numRuns: 50 },
    );
  });
});

describe('sessions of fixtures', () => {
  it.each([...filesIn(FIXTURES), ...filesIn(RECORDINGS)])('%s survive', (file) => {
    const { sessions, again, text } = rewrite(file);
    expect(again.map(withoutName)).toEqual(sessions.map(withoutName));
    expect(write(again)).toBe(text);
  });
});

describe.skipIf(!hasShared)(`recorded sessions${note}`, () => {
  it.each(recordings)('%s survive', (file) => {
    const { sessions, again, text } = rewrite(file);
    expect(again.map(withoutName)).toEqual(sessions.map(withoutName));
    expect(write(again)).toBe(text);
  });

  it('are many, so that the test above is one', () => {
    expect(recordings.length).toBeGreaterThan(40);
  });
});

describe('runs', () => {
  const recorded = [
    'claude-code/entire-1755-orphan-tool-result.jsonl',
    'pi/before-compaction.jsonl',
  ];
  const files = [
    ...['claude-code.jsonl', 'opencode-export.json', 'openai-chat.json', 'canonical.jsonl'].map(
      (file) => join(FIXTURES, file),
    ),
    ...(hasShared ? recorded.map((file) => join(SHARED, file)) : []),
  ];

  it.each(files)('of %s give the same metrics', async (file) => {
    const [original, ...others] = read(file);
    expect(others).toEqual([]);
    const copy = writeFile(folder, `${files.indexOf(file)}.jsonl`, write([original!]));
    const [expected, got] = [await run(file), await run(copy)];
    expect(expected.length).toBe(2);
    expect(got).toEqual(expected);
  });
});

/** Files below a folder that hold sessions. */
function filesIn(root: string): readonly string[] {
  return discoverSessionFiles([root]).files.filter((file) => read(file).length > 0);
}

function read(file: string): readonly Session[] {
  return [...loadSessions([file])].flatMap((each) => (each.state === 'read' ? each.session : []));
}

/** The sessions of a file, their text, and what is read of that. */
function rewrite(file: string) {
  const sessions = read(file);
  const text = write(sessions);
  return { sessions, text, again: readSessions(file, text) };
}

/** Places in a file are counted anew: sessions without messages are not written. */
function withoutName({ name: _name, ...session }: Session): Omit<Session, 'name'> {
  return session;
}

async function run(file: string): Promise<readonly unknown[]> {
  const records: RunItem[] = [];
  const model = findModel(readCatalog(), 'anthropic/claude-sonnet-4-5');
  const options = {
    files: [file],
    policies: [policies.none, policies['opencode-1.2.16']],
    model: { ...model, limits: { ...model.limits, contextTokens: 60_000 } },
    summarizer: findSummarizer('extractive'),
    seed: 1,
    nameOf: () => 'same',
  };
  for await (const item of runFiles(options)) if (item.type === 'record') records.push(item);
  return records;
}
