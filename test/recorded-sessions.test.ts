import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** An exported session; only what is read here. */
interface SessionExport {
  readonly info: { readonly metadata: unknown };
  readonly messages: readonly {
    readonly info: { readonly id: string; readonly time: { readonly created: number } } & (
      | { readonly role: 'user' }
      | {
          readonly role: 'assistant';
          readonly tokens: { readonly input: number; readonly cache: { readonly read: number } };
        }
    );
    readonly parts: readonly Part[];
  }[];
}

type Part = { readonly id: string } & (
  | { readonly type: 'tool'; readonly tool: string; readonly callID: string; readonly state: State }
  | { readonly type: 'text' | 'compaction' }
);

type State = { readonly time: object } & (
  | { readonly status: 'completed'; readonly output: string }
  | { readonly status: 'error'; readonly error: string }
);

const FOLDER = join(import.meta.dirname, '../scenarios/recorded');
const MAX_BYTES = 700_000;
const MAX_TOTAL_BYTES = 2_000_000;
const HOME_OR_SCRATCH = /(?:^|[\s"'(`=:])\/(?:tmp|root|home|Users|var|private)\/\w/m;
const DURATION = /(?<![\w.])\d+(?:\.\d+)?ms\b/;
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const readText = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const readme = readText('README.md');

it('ships four sessions that together stay small', () => {
  expect(names).toHaveLength(4);
  const bytes = names.map((name) => Buffer.byteLength(readText(name)));
  expect(Math.max(...bytes)).toBeLessThanOrEqual(MAX_BYTES);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_TOTAL_BYTES);
});

describe.each(names)('%s', (name) => {
  const { info, messages } = JSON.parse(readText(name)) as SessionExport;
  const parts = messages.flatMap((message) => message.parts);
  const tools = parts.filter((part) => part.type === 'tool');
  const outputs = tools.map(({ state }) =>
    state.status === 'completed' ? state.output : state.error,
  );
  const steps = messages.flatMap(({ info: head }) => (head.role === 'assistant' ? [head] : []));

  it('is described in the README', () => {
    expect(readme).toContain(name);
  });

  it('says that its usage is computed', () => {
    expect(info.metadata).toEqual({ recorder: 'compaction-bench', usage: 'computed' });
  });

  it('has every id once', () => {
    const ids = [...messages.map((message) => message.info.id), ...parts.map(({ id }) => id)];
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(tools.map(({ callID }) => callID)).size).toBe(tools.length);
  });

  it('tells nothing of the machine on which it was made', () => {
    for (const output of outputs) expect(output).not.toMatch(HOME_OR_SCRATCH);
  });

  it('has no durations in what commands printed', () => {
    const commands = tools.filter(({ tool }) => tool === 'bash');
    const printed = commands.map(({ state }) => ('output' in state ? state.output : ''));
    expect(printed.filter((text) => DURATION.test(text))).toEqual([]);
  });

  it('holds no compaction of its own', () => {
    expect(parts.map(({ type }) => type)).not.toContain('compaction');
    expect(tools.filter(({ state }) => 'compacted' in state.time)).toEqual([]);
  });

  it('reads the context of each request from the cache in the next', () => {
    const contexts = steps.map(({ tokens }) => tokens.input + tokens.cache.read);
    const cached = steps.map(({ tokens }) => tokens.cache.read);
    expect(cached).toEqual([0, ...contexts.slice(0, -1)]);
  });

  it('goes forward in time and pauses now and then', () => {
    const times = messages.map((message) => message.info.time.created);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(1_767_225_600_000);
  });

  it('has a tool that refused', () => {
    expect(tools.map(({ state }) => state.status)).toContain('error');
  });
});
