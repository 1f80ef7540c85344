import { describe, expect, it } from 'vitest';
import {
  filterCompacted,
  type Message,
  type UserMessage,
  type ViewRuleName,
  viewRules,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { marker, step, summary, user } from '../support/history.ts';

const error = { name: 'APIError', message: 'broken' };
const early = [user('u1'), step('a1'), user('u2'), step('a2')];

/** A marker whose tail starts at a message. */
function markerWithTail(id: string, tailStartId: string): UserMessage {
  const message = marker(id);
  return { ...message, parts: message.parts.map((part) => ({ ...part, tailStartId })) };
}

/** Rules of releases up to 1.18, oldest first; each says what the one before does unless it is told apart. */
const releases = (Object.keys(viewRules) as ViewRuleName[]).filter((rule) => /^v[01]\./.test(rule));

/** A history, and what is visible by each rule from its name on. */
const table: readonly [string, Message[], Partial<Record<ViewRuleName, string>>][] = [
  [
    'a tail stays before the marker, then moves behind the summary',
    [...early, markerWithTail('m1', 'u2'), summary('s1', 'm1'), user('u3')],
    {
      'v0.8.0': 's1 u3',
      'v1.0.69': 'm1 s1 u3',
      'v1.14.19': 'u2 a2 m1 s1 u3',
      'v1.14.40': 'm1 s1 u2 a2 u3',
    },
  ],
  [
    'a tail that is gone hides nothing',
    [...early, markerWithTail('m1', 'gone'), summary('s1', 'm1')],
    { 'v0.8.0': 's1', 'v1.0.69': 'm1 s1', 'v1.14.19': 'u1 a1 u2 a2 m1 s1' },
  ],
  [
    'a tail that is said to start after its marker hides nothing',
    [...early, markerWithTail('m1', 'u3'), summary('s1', 'm1'), user('u3')],
    { 'v0.8.0': 's1 u3', 'v1.0.69': 'm1 s1 u3', 'v1.14.19': 'u1 a1 u2 a2 m1 s1 u3' },
  ],
  [
    'a tail that starts at its own marker is none',
    [...early, markerWithTail('m1', 'm1'), summary('s1', 'm1')],
    { 'v0.8.0': 's1', 'v1.0.69': 'm1 s1' },
  ],
  [
    'an older pivot in the tail counts for nothing',
    [
      ...early,
      marker('m1'),
      summary('s1', 'm1'),
      user('u3'),
      markerWithTail('m2', 'a2'),
      summary('s2', 'm2'),
      user('u4'),
    ],
    {
      'v0.8.0': 's2 u4',
      'v1.0.69': 'm2 s2 u4',
      'v1.14.19': 'a2 m1 s1 u3 m2 s2 u4',
      'v1.14.40': 'm2 s2 a2 m1 s1 u3 u4',
    },
  ],
  [
    'what came between marker and summary moves with them',
    [...early, markerWithTail('m1', 'u2'), user('queued'), summary('s1', 'm1'), user('u3')],
    {
      'v0.8.0': 's1 u3',
      'v1.0.69': 'm1 queued s1 u3',
      'v1.14.19': 'u2 a2 m1 queued s1 u3',
      'v1.14.40': 'm1 queued s1 u2 a2 u3',
    },
  ],
  [
    'a failed attempt with a tail hides what precedes it since the reordering',
    [...early, markerWithTail('m1', 'u2'), summary('s1', 'm1', { finish: undefined, error })],
    { 'v0.8.0': 's1', 'v1.0.69': 'u1 a1 u2 a2 m1 s1', 'v1.14.40': 'm1 s1 u2 a2' },
  ],
  [
    'a summary before its marker is not the one that moves',
    [...early, summary('s0', 'm1'), markerWithTail('m1', 'u2'), summary('s1', 'm1')],
    {
      'v0.8.0': 's1',
      'v1.0.69': 'm1 s1',
      'v1.14.19': 'u2 a2 s0 m1 s1',
      'v1.14.40': 'm1 s1 u2 a2 s0',
    },
  ],
  [
    'a pending marker with a tail moves nothing',
    [...early, marker('m1'), summary('s1', 'm1'), user('u3'), markerWithTail('m2', 'u3')],
    { 'v0.8.0': 's1 u3 m2', 'v1.0.69': 'm1 s1 u3 m2' },
  ],
  [
    'a summary of another marker is not moved',
    [...early, markerWithTail('m1', 'u2'), step('a3', [], { parentId: 'm1' }), summary('s1', 'u2')],
    { 'v0.8.0': 's1', 'v1.0.69': 'u1 a1 u2 a2 m1 a3 s1' },
  ],
  [
    'a failed attempt whose tail starts at its own marker hides nothing',
    [...early, markerWithTail('m1', 'm1'), summary('s1', 'm1', { finish: undefined, error })],
    { 'v0.8.0': 's1', 'v1.0.69': 'u1 a1 u2 a2 m1 s1' },
  ],
  ['of nothing, nothing is visible', [], { 'v0.8.0': '' }],
  [
    'an unfinished summary hides its marker and all before it in the oldest rules',
    [...early, marker('m1'), summary('s1', 'm1', { finish: undefined }), user('u3')],
    { 'v0.8.0': 's1 u3', 'v1.0.69': 'u1 a1 u2 a2 m1 s1 u3' },
  ],
  [
    'the newest summary counts in the oldest rules',
    [...early, summary('s1', 'u2'), user('u3'), summary('s2', 'u3')],
    { 'v0.8.0': 's2', 'v1.0.69': 'u1 a1 u2 a2 s1 u3 s2' },
  ],
];

describe('filterCompacted, by release', () => {
  it.each(table)('%s', (_, history, expected) => {
    let latest: string | undefined;
    for (const rule of releases) {
      latest = expected[rule] ?? latest;
      const visible = filterCompacted(frozen(history), rule).map(({ id }) => id);
      expect([rule, visible.join(' ')]).toEqual([rule, latest]);
    }
  });
});

const kept = [...early, markerWithTail('m1', 'u2'), summary('s1', 'm1'), user('u3')];
const failed = { finish: undefined, error } as const;

describe('filterCompacted, by design', () => {
  it.each<[ViewRuleName, string, Message[], string]>([
    ['v2.0', 'starts at the newest checkpoint', kept, 's1 u3'],
    [
      'v2.0',
      'passes over a failed checkpoint',
      [...kept, marker('m2'), summary('s2', 'm2', failed)],
      's1 u3 m2 s2',
    ],
    ['v2.0', 'shows everything before the first checkpoint', early, 'u1 a1 u2 a2'],
    ['document-004', 'puts the summary before what was kept', kept, 's1 u2 a2 u3'],
    [
      'document-004',
      'shows no marker and nothing old if nothing was kept',
      [...early, marker('m1'), summary('s1', 'm1'), user('u3')],
      's1 u3',
    ],
    [
      'document-004',
      'keeps what starts at the first message',
      [user('u1'), step('a1'), markerWithTail('m1', 'u1'), summary('s1', 'm1')],
      's1 u1 a1',
    ],
    [
      'document-004',
      'keeps an older summary that is among what was kept, and what that one had kept',
      [...kept, step('a3'), markerWithTail('m2', 's1'), summary('s2', 'm2')],
      's2 s1 u2 a2 u3 a3',
    ],
    [
      'document-004',
      'hides an older summary that was summarised, but not what came before it and was kept',
      [...kept, step('a3'), markerWithTail('m2', 'a2'), summary('s2', 'm2'), user('u4')],
      's2 a2 u3 a3 u4',
    ],
    [
      'document-004',
      'is unmoved by a failed summary',
      [...early, marker('m1'), summary('s1', 'm1', failed)],
      'u1 a1 u2 a2 m1 s1',
    ],
    [
      'rolling-window',
      'shows the newest fifty messages',
      Array.from({ length: 52 }, (_, index) => user(`n${index}`)),
      Array.from({ length: 50 }, (_, index) => `n${index + 2}`).join(' '),
    ],
    ['rolling-window', 'shows all of fewer', early, 'u1 a1 u2 a2'],
  ])('%s: %s', (rule, _, history, expected) => {
    expect(ids(filterCompacted(frozen(history), rule))).toBe(expected);
  });
});

it.each(releases)('%s hands a history on as it is while nothing is hidden', (rule) => {
  const history = frozen(early);
  expect(filterCompacted(history, rule)).toBe(history);
});

function ids(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(' ');
}
