import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { replaceEvents, toEventsSchema } from '../../scripts/schemas.ts';
import { eventTypes } from '../../src/simulator/events.ts';
import { readCatalog } from '../../src/simulator/provider/catalog.ts';
import type { ScenarioRunResult } from '../../src/simulator/report/check-report.ts';
import { readScenario } from '../../src/simulator/scenario/file/read-scenario.ts';
import { runScenario } from '../../src/simulator/sweep/gate/run-scenario.ts';
import { createCounters } from '../../src/simulator/tokens/tokenizer.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FromJsonSchema = z.fromJSONSchema(toEventsSchema());

describe('the JSON Schema of saved events', () => {
  it.each([
    ['a turn', { type: 'turn-start', turn: 1 }, true],
    ['a field that a later release may add', { type: 'turn-start', turn: 1, of: 2 }, true],
    ['a file that could not be read', { unread: { file: 'a.json', reason: 'none' } }, true],
    ['a turn without its number', { type: 'turn-start' }, false],
    ['a number as text', { type: 'stale-kept', tokens: '4' }, false],
    ['an event that there is not', { type: 'prune' }, false],
    ['a header of another version', { schemaVersion: 99, holds: 'compaction-bench events' }, false],
  ])('judges %s', (_, line, isGood) => {
    expect(FromJsonSchema.safeParse(line).success).toBe(isGood);
  });
});

/** They allow no field that the schema does not name. */
const strictEvents: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(eventTypes).map(([type, { fields }]) => [
    type,
    z.strictObject({ type: z.string(), ...fields }),
  ]),
);
const eventsOf = ({ events }: ScenarioRunResult) => events;

/** Scenarios in which, together, all happens that any event tells but of recordings and memories. */
const SCENARIOS = [
  'auto-off-ignored',
  'batch-of-results',
  'breaker-outlasts-its-cause',
  'cut-without-a-word',
  'empty-summary',
  'half-a-character-at-the-cut',
  'lost-rule',
  'one-result-above-window',
  'prune-switched-off-by-update',
  'reserve-above-window',
];

describe('the fields of events', () => {
  const counters = createCounters();
  const environment = { catalog: readCatalog(), countOf: (id: string) => counters.of(id) };

  it('are those that runs have, and no other', async () => {
    const seen = new Set<string>();
    const unfit: unknown[] = [];
    for (const name of SCENARIOS) {
      const scenario = readScenario(resolve(ROOT, 'scenarios', `${name}.yaml`));
      for (const event of (await runScenario(scenario, environment)).runs.flatMap(eventsOf)) {
        seen.add(event.type);
        // What is absent has no key in a file.
        const { error } = strictEvents
          .get(event.type)!
          .safeParse(JSON.parse(JSON.stringify(event)));
        if (error !== undefined) unfit.push({ name, event, error });
      }
    }
    expect(unfit).toEqual([]);
    const unseen = Object.keys(eventTypes).filter((type) => !seen.has(type));
    expect(unseen).toEqual(['step-dropped', 'moved-out']);
  });
});

describe('docs/reference/events.md', () => {
  it('names each field of each event below its heading', () => {
    const page = replaceEvents(readFileSync(resolve(ROOT, 'docs/reference/events.md'), 'utf8'));
    for (const [type, { fields }] of Object.entries(eventTypes)) {
      const from = page.indexOf(`\n### \`${type}\`\n`);
      expect(from).toBeGreaterThan(0);
      const section = page.slice(from, page.indexOf('\n#', from + 1) >>> 0);
      const missing = Object.keys(fields).filter((name) => !section.includes(`| \`${name}\``));
      expect({ type, missing }).toEqual({ type, missing: [] });
    }
  });

  it('is refused without a place for its tables', () => {
    expect(() => replaceEvents('# Events')).toThrow("Expected '<!-- events -->'");
  });
});
