import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  EVENTS_SCHEMA_VERSION,
  renderEventsHeader,
  renderSavedRun,
  renderSavedUnread,
} from '../../../../src/simulator/report/saved/events-file.ts';
import { sampleEvents } from '../../../support/sample-events.ts';
import {
  sampleProvenance,
  sampleReport,
  sampleRun,
  wholeSource,
} from '../../../support/sample-report.ts';
import { sampleView } from '../../../support/sample-view.ts';
import { isEventsText, readEvents } from '../../../../src/simulator/report/saved/documents.ts';

const fixture = readFileSync(
  join(import.meta.dirname, `../../../fixtures/events/version-${EVENTS_SCHEMA_VERSION}.jsonl`),
  'utf8',
);

const header = renderEventsHeader(sampleProvenance());
const run = renderSavedRun({
  record: sampleRun(),
  source: wholeSource,
  events: sampleEvents({ steps: 3 }),
});

describe('readEvents', () => {
  it('gives the report that the events were saved for, and the events of each run', () => {
    const unread = [{ file: 'broken.json', reason: 'it is no session' }];
    const report = sampleReport({ runs: [sampleRun(), sampleRun({ policy: 'none' })], unread });
    const events = sampleEvents();
    const text = [
      renderEventsHeader(report.provenance),
      ...report.runs.map((record) => renderSavedRun({ record, source: wholeSource, events })),
      ...unread.map(renderSavedUnread),
    ].join('');
    const saved = readEvents('run.jsonl', text);
    expect(isEventsText(text)).toBe(true);
    expect(saved.report).toEqual(report);
    expect([...saved.events.values()]).toEqual([events, events]);
  });

  it('reads what was saved once', () => {
    const { report, events } = readEvents('saved.jsonl', fixture);
    expect(report.runs.map(({ policy, state }) => `${policy} ${state}`)).toEqual([
      'none completed',
      'opencode-1.2.16 completed',
    ]);
    expect(report.unread).toHaveLength(1);
    expect([...events.values()].map(({ length }) => length)).toEqual([27, 27]);
  });

  it('gives what requests showed', () => {
    const { views } = readEvents('saved.jsonl', fixture);
    expect([...views.values()]).toEqual([sampleView({ steps: 18 }), sampleView({ steps: 18 })]);
  });

  it('keeps every metric that a record of another version lacks unknown', () => {
    const text = header + run.replace('"steps":225,', '');
    expect(readEvents('run.jsonl', text).report.runs[0]?.metrics.steps).toBeNull();
  });

  const version = (own: number) => header.replace('"schemaVersion":3', `"schemaVersion":${own}`);
  const event = (fields: string) => `${header}${run}{${fields}}\n`;
  const view = (changes: object) =>
    `${header}${run}${JSON.stringify({ view: { ...sampleView(), ...changes } })}\n`;
  it.each<[string, string, string]>([
    ['a newer version', version(4), 'it has version 4, of another release, and this one reads'],
    ['an older version', version(2), 'it has version 2, of another release, and this one reads'],
    [
      'a header without provenance',
      '{"schemaVersion":3,"holds":"compaction-bench events"}\n',
      "its first line is not: 'provenance': expected object, received undefined",
    ],
    ['a header that is cut off', header.slice(0, 60), 'its first line is cut off or not JSON'],
    [
      'an event before its run',
      `${header}{"type":"turn-start","turn":1}\n`,
      'line 2 is not: its run is not named before it',
    ],
    ['a line that is no JSON', `${header}{"run":\n`, 'line 2 is not: it is not a JSON object'],
    ['an event of no kind', event('"type":"__proto__"'), 'line 9 is not: it is not an event'],
    [
      'an event without its numbers',
      event('"type":"turn-start","turn":"1"'),
      "line 9 is not: 'turn': expected number, received string",
    ],
    [
      'ids that are none',
      event('"type":"moved-out","messageIds":[1]'),
      "line 9 is not: 'messageIds.0': expected string, received number",
    ],
    [
      'an event of a word that nobody knows',
      event('"type":"eviction","by":"chance","parts":1'),
      "line 9 is not: 'by': expected one of",
    ],
    [
      'an event whose further field is of another kind',
      event('"type":"run-end","state":"failed","finalContextTokens":1,"reason":7'),
      "line 9 is not: 'reason': expected string, received number",
    ],
    [
      'a run without a state',
      `${header}${run.replace('"state":"completed"', '"state":"fine"')}`,
      "line 2 is not: 'state': expected one of",
    ],
    [
      'a view before its run',
      `${header}${JSON.stringify({ view: sampleView() })}\n`,
      'line 2 is not: its run is not named before it',
    ],
    [
      'a view of parts that are not there',
      view({ tokens: [] }),
      "line 9 is not: 'view': does not fit together",
    ],
    [
      'a view with a state that is none',
      view({ changes: [[0, 6, 0, 1, 0]] }),
      "line 9 is not: 'view.changes.0.1': Invalid input",
    ],
  ])('refuses %s in one sentence', (...[, text, reason]) => {
    expect(() => readEvents('run.jsonl', text)).toThrow(
      `Expected 'run.jsonl' to be saved events, but ${reason}`,
    );
  });
});
