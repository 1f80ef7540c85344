import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { factShape } from '../../../../src/simulator/session/canonical/facts.ts';
import {
  compactionShape,
  costShape,
  errorShape,
  headerShape,
  promptShape,
  reportShape,
  sideSessionShape,
  stepShape,
  toJsonSchema,
  usageShape,
} from '../../../../src/simulator/session/canonical/lines.ts';
import { partShapes, stateShapes } from '../../../../src/simulator/session/canonical/parts.ts';
import { writeSession } from '../../../../src/simulator/session/canonical/write.ts';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import { readBlocks } from '../../../support/markdown-blocks.ts';

const PAGE = 'docs/session-format.md';
const page = readFileSync(join(import.meta.dirname, '../../../..', PAGE), 'utf8');
const examples = readBlocks(PAGE, page).filter(({ language }) => language === 'jsonl');
const shapes = {
  header: headerShape,
  'side session': sideSessionShape,
  'planted fact': factShape,
  prompt: promptShape,
  step: stepShape,
  usage: usageShape,
  'error of a step': errorShape,
  cost: costShape,
  'recorded compaction': compactionShape,
  report: reportShape,
  ...partShapes,
  ...stateShapes,
};

const linesOf = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the page on session files', () => {
  it('has an example', () => {
    expect(examples).toHaveLength(1);
  });

  it.each(examples.map(({ text }) => [text]))('shows a session that is read whole: %s', (text) => {
    const [session, ...others] = readSessions('x', text);
    expect(others).toEqual([]);
    expect(session?.report).toEqual({ dropped: {}, repaired: {} });
    expect(session?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(session?.recordedCompactions).toHaveLength(1);
  });

  it.each(Object.entries(shapes))('names every field of %s', (_, shape) => {
    expect(Object.keys(shape).filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });

  it.each(Object.keys({ ...partShapes, ...stateShapes }))('names %s', (type) => {
    expect(page).toContain(`\`${type}\``);
  });
});

describe('the JSON Schema of session files', () => {
  const schema = z.fromJSONSchema(toJsonSchema());

  it('takes every line of the example, and what is written of it', () => {
    const text = examples[0]!.text;
    const written = [...writeSession(readSessions('x', text)[0]!)].join('');
    for (const line of [...linesOf(text), ...linesOf(written)]) {
      expect(schema.safeParse(line).success).toBe(true);
    }
  });

  it.each<[string, object]>([
    ['a later version', { 'compaction-bench': 'session', version: 2 }],
    ['an unknown key', { type: 'message', role: 'user', mood: 'good' }],
    ['an unknown part', { type: 'message', role: 'user', parts: [{ type: 'mood' }] }],
    ['a step of a user', { type: 'message', role: 'user', finish: 'stop' }],
    ['half a token', { type: 'compaction', kind: 'full', messageIndex: 1, tokensBefore: 0.5 }],
    ['a compaction before all messages', { type: 'compaction', kind: 'full', messageIndex: 0 }],
  ])('refuses %s', (_, line) => {
    expect(schema.safeParse(line).success).toBe(false);
  });
});
