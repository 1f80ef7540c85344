import { describe, expect, it } from 'vitest';
import { readJob } from '../../../../src/simulator/sweep/queue/job.ts';

const session = { name: 'tea.jsonl#1', file: 'tea.jsonl', index: 1, hash: 'h' };
const runs = [{ cell: 'c', seed: 1, place: 0 }];

describe('readJob', () => {
  it.each([
    ['the whole file', {}],
    ['a part of it up to its end', { range: { startByte: 90 } }],
    ['the whole file, and who is not independent', { family: 'cup.jsonl' }],
    ['a part of it', { range: { startByte: 90, endByte: 180 } }],
  ])('gives a task whose session stands in %s', (_, place) => {
    const task = { id: 't', session: { ...session, ...place }, runs };
    expect(readJob(JSON.parse(JSON.stringify({ task })))).toEqual({ task, done: [] });
  });

  it('refuses a part that is none', () => {
    const task = { id: 't', session: { ...session, range: { startByte: -1 } }, runs };
    expect(() => readJob({ task })).toThrow('startByte');
  });
});
