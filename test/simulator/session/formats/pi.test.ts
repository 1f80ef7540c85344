import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeSession } from '../../../../src/simulator/session/formats/canonical-lines.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/sessions/pi.jsonl');

it('has no cost that is larger than any number of nano-dollars', () => {
  const dear = readFileSync(FIXTURE, 'utf8').replaceAll(/"output": *0\.001\b/g, '"output": 1e300');
  const [costly] = readSessions('x', dear);
  expect(costly?.recordedCosts?.has('message-2')).toBe(false);
  const [again] = readSessions('x', [...writeSession(costly!)].join(''));
  expect(again?.messages).toEqual(costly?.messages);
});
