import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { groupBy } from '../../../../src/simulator/lib/collections.ts';
import { findModel, readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import { compileSession } from '../../../../src/simulator/replay/compile.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload, workloads } from '../../../../src/simulator/scenario/workload/workload.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { generate, textOf } from './sessions.ts';

const names = Object.keys(workloads);
const few = new Map(names.map((name) => [name, generate(findWorkload(name), 4)]));
const sessionsOf = (name: string): readonly Session[] => few.get(name) ?? [];
const catalog = readCatalog();
const count = (text: string) => Math.ceil(text.length / 4);

describe.each(names)('sessions like %s', (name) => {
  it('are the same bytes for the same seed, and others for another', () => {
    const [first] = generate(findWorkload(name), 1);
    const [other] = generate(findWorkload(name), 1, 2);
    expect(textOf(first!)).toBe(textOf(sessionsOf(name)[0]!));
    expect(textOf(other!)).not.toBe(textOf(first!));
  });

  it('do not depend on those before them', () => {
    const third = generateSession(findWorkload(name), { seed: 1, index: 2 });
    expect(textOf(third)).toBe(textOf(sessionsOf(name)[2]!));
  });

  it('are read as they were written', () => {
    const text = sessionsOf(name).map(textOf).join('');
    const read = readSessions('x', text);
    expect(
      read.map((session, index) => ({ ...session, name: sessionsOf(name)[index]?.name })),
    ).toEqual(sessionsOf(name));
  });

  it('obey what providers demand of requests', () => {
    const faults = sessionsOf(name).map(
      (session) =>
        compileSession(session, { tokenizer: 'chars4', tokenizerEvidence: 'estimated', count })
          .ownFaults,
    );
    expect(faults).toEqual(sessionsOf(name).map(() => []));
  });

  it('run to their end', () => {
    const [session] = sessionsOf(name);
    const trace = compileSession(session!, {
      tokenizer: 'chars4',
      tokenizerEvidence: 'estimated',
      count,
    });
    const policy = policies['opencode-1.2.16'];
    const model = findModel(catalog, session!.model!);
    const summarizer = findSummarizer('extractive');
    const events = [...runTrace(trace, { policy, model, summarizer, seed: 1 })];
    expect(events.at(-1)).toMatchObject({ type: 'run-end', state: 'completed' });
    const violations = events.filter((event) => event.type === 'law-violated');
    expect(violations.filter(({ isKnown }) => !isKnown)).toEqual([]);
  });

  it('record usage as a provider counts it, and time that goes on', () => {
    for (const { messages } of sessionsOf(name)) {
      const times = messages.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      for (const message of messages) {
        if (message.role === 'user') continue;
        const { input, output, cacheRead, cacheWrite } = message.usage!;
        expect(Math.min(input, cacheRead, cacheWrite)).toBeGreaterThanOrEqual(0);
        expect(Math.min(output, input + cacheRead + cacheWrite)).toBeGreaterThan(0);
      }
    }
  });
});

describe('a generated session', () => {
  const sessions = generate(findWorkload('pi'), 3);
  const reads = sessions.map(({ messages }) =>
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool' && part.tool === 'read' && part.state.status === 'completed'
          ? [{ path: pathOf(part.state.input), output: part.state.output }]
          : [],
      ),
    ),
  );

  it('reads files again, as they were and as they have become', () => {
    for (const own of reads) {
      const byPath = groupBy(own, ({ path }) => path);
      const again = [...byPath.values()].filter(({ length }) => length > 1);
      expect(again.length).toBeGreaterThan(3);
      expect(again.some((all) => all.some(({ output }) => isStale(all[0].output, output)))).toBe(
        true,
      );
    }
  });

  it('shows what an edit has written when the file is read next', () => {
    expect(sessions.some(findsOwnEdit)).toBe(true);
  });

  it('comes in several scripts', () => {
    const texts = generate(findWorkload('claude-code'), 40).map(({ messages }) =>
      JSON.stringify(messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'text'))),
    );
    for (const script of [/\p{Script=Han}/u, /\p{Script=Hiragana}/u, /\p{Script=Cyrillic}/u])
      expect(texts.filter((text) => script.test(text)).length).toBeGreaterThan(0);
  });

  it('meets the same errors again', () => {
    const lines = sessions.flatMap(({ messages }) =>
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === 'tool' && part.state.status === 'error'
            ? (/^Exit code 1\n(.{20})/.exec(part.state.error)?.[1] ?? [])
            : [],
        ),
      ),
    );
    expect(lines.length).toBeGreaterThan(20);
    expect(new Set(lines).size).toBeLessThan(lines.length / 2);
  });
});

function pathOf(input: unknown): string {
  return (input as { readonly path: string }).path;
}

/** Whether two reads of the start of a file differ before the shorter one ends. */
function isStale(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, 40) === b.slice(0, 40) && a.slice(0, length) !== b.slice(0, length);
}

function findsOwnEdit({ messages }: Session): boolean {
  const written = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== 'tool' || part.state.status !== 'completed') continue;
      const input = part.state.input as { readonly path: string; readonly newText?: string };
      if (input.newText !== undefined) written.set(input.path, input.newText);
      const known = written.get(input.path);
      if (part.tool === 'read' && isLong(known) && part.state.output.includes(known)) return true;
    }
  }
  return false;
}

/** A short text may stand in a file by chance. */
function isLong(text: string | undefined): text is string {
  return text !== undefined && text.length > 300;
}
