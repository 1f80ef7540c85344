import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { schemaFiles } from '../../../../scripts/schemas.ts';
import { eventTypes } from '../../../../src/simulator/events.ts';
import { readScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import type { Scenario, ScenarioSession } from '../../../../src/simulator/scenario/scenario.ts';
import { ScenarioFile, toJsonSchema } from '../../../../src/simulator/scenario/file/schema.ts';
import { settings } from '../../../../src/simulator/scenario/settings.ts';
import { sampleText } from './sample-scenario.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const EVERY_FORM = join(import.meta.dirname, 'every-form.yaml');
const FromJsonSchema = z.fromJSONSchema(toJsonSchema());

describe('the JSON Schema of scenario files', () => {
  it.each([...schemaFiles])('%s is as `tsx scripts/write-schemas.ts` writes it', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  it.each([
    ['every form', readFileSync(EVERY_FORM, 'utf8'), true],
    ['a plain scenario', sampleText(), true],
    ['an unknown key', sampleText({ polcy: 'none' }), false],
    ['an unknown key deep down', sampleText({ expect: '{ events: { mus: [] } }' }), false],
    ['an unknown policy', sampleText({ policy: 'opencode-1.8' }), false],
    [
      'a field that the event does not have',
      sampleText({ expect: '{ events: { must: [{ type: pivot, path: refused }] } }' }),
      false,
    ],
    ['an item that is none', sampleText({ session: '{ script: [user: 1, stpe: 1] }' }), false],
    [
      'two kinds of session',
      sampleText({ session: '{ file: a, generate: { seed: 1, turns: 1 } }' }),
      false,
    ],
    ['no policy', sampleText({ policy: undefined }), false],
  ])('judges %s as the reader does', (_, text, isGood) => {
    const value: unknown = parse(text);
    expect(FromJsonSchema.safeParse(value).success).toBe(isGood);
    expect(ScenarioFile.safeParse(value).success).toBe(isGood);
  });
});

/** What a scenario came to, a line a piece; the session of its first run. */
function shown({ runs }: Scenario): string {
  const sections = runs.map(({ session, faults, expect: expected, ...facts }, index) => [
    JSON.stringify(facts),
    ...faults.map((fault) => JSON.stringify(fault)),
    ...Object.entries(expected).map(([key, value]) => `${key}: ${JSON.stringify(value, plain)}`),
    ...(session.type === 'built' ? shownSession(session, index === 0) : []),
  ]);
  return sections.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function shownSession(
  { session, ...facts }: ScenarioSession & { readonly type: 'built' },
  isWhole: boolean,
) {
  const messages = session.messages.slice(isWhole ? 0 : -1).map((message) => {
    const { parts, createdAt, ...own } = message;
    const pieces = [own, ...parts].map((piece) => JSON.stringify(piece, shorten));
    return [new Date(createdAt).toISOString(), ...pieces].join(' ');
  });
  return [JSON.stringify(facts), ...messages];
}

function plain(_: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof RegExp ? String(value) : value;
}

function shorten(key: string, value: unknown): unknown {
  if (key === 'id' || key === 'parentId') return undefined;
  return typeof value === 'string' && value.length > 30
    ? `${value.slice(0, 16)}… ${value.length}`
    : value;
}

describe('a file with every form', () => {
  it('is read as it was', async () => {
    await expect(shown(readScenario(EVERY_FORM))).toMatchFileSnapshot(
      '../../../fixtures/snapshots/scenario-every-form.txt',
    );
  });

  it('names every key that there is', () => {
    const text = readFileSync(EVERY_FORM, 'utf8');
    const keys = Object.keys(ScenarioFile.shape);
    expect(keys.filter((key) => !text.includes(`\n${key}:`))).toEqual([]);
  });
});

describe('docs/reference/scenario-file.md', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/scenario-file.md'), 'utf8');

  it('names every key of the schema', () => {
    const keys = [...new Set(keysIn(toJsonSchema()))].filter((key) => !isListed(key));
    expect(keys.length).toBeGreaterThan(60);
    expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});

/** Settings are listed by `list settings`, fields of events stand on a page of their own. */
function isListed(key: string): boolean {
  const isOfEvent = Object.values(eventTypes).some(({ fields }) => key in fields);
  return isOfEvent || Object.hasOwn(settings, key);
}

/** The keys of maps in a schema, however deep. */
function keysIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(keysIn)];
}
