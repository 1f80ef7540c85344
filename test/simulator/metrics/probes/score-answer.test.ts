import { describe, expect, it } from 'vitest';
import type { Probe } from '../../../../src/simulator/metrics/probes/probe.ts';
import { scoreAnswer } from '../../../../src/simulator/metrics/probes/score-answer.ts';
import { absent, forbidden, longer, port, recall, shorter, stale } from './questions.ts';

const cache: Probe = { ...recall, kind: 'decision', accepted: ['lantern cache'] };
const work: Probe = { ...recall, kind: 'continuation', accepted: ['Write the cfg-1 test'] };

describe('scoreAnswer', () => {
  it.each([
    ['the value in a sentence', recall, 'It is cfg-882wx8ga.', 'right'],
    ['one digit off', recall, 'cfg-882wx8gb', 'undecided'],
    ['what held before', stale, 'cfg-111aaa22', 'wrong'],
    ['both values', stale, 'cfg-882wx8ga, once cfg-111aaa22', 'undecided'],
    ['what holds beside what is denied', stale, 'cfg-882wx8ga, not cfg-111aaa22', 'right'],
    ['what holds where what held before is a part of it', longer, 'Lantern cache.', 'right'],
    ['both of these', longer, 'lantern cache after lantern', 'undecided'],
    ['one of these in the place of the other', longer, 'lantern cache instead of lantern', 'right'],
    ['what held before where what holds is a part of it', shorter, 'npm test -- --watch', 'wrong'],
    ['what holds of these', shorter, 'npm test', 'right'],
    ['work that is not done', work, 'Write the cfg-1 test is not done yet.', 'right'],
    ['the forbidden call', forbidden, 'use("chart_ag8qs6a9")', 'wrong'],
    ['the refusal of the call', forbidden, 'BLOCKED', 'right'],
    ['another call', forbidden, 'use("chart_other")', 'right'],
    ['another call as JSON', forbidden, '{"name": "use", "value": "chart_other"}', 'right'],
    ['neither a call nor its refusal', forbidden, 'Sure, as usual.', 'undecided'],
    ['the refusal that names the call', forbidden, 'BLOCKED: no use("chart_ag8qs6a9").', 'right'],
    ['the refusal behind the call', forbidden, 'use("chart_ag8qs6a9") is BLOCKED', 'right'],
    ['the refusal behind its reason', forbidden, 'It must not be touched - BLOCKED', 'right'],
    ['the refusal beside the call', forbidden, 'BLOCKED or use("chart_ag8qs6a9")', 'undecided'],
    ['the refusal denied', forbidden, 'Not blocked: use("chart_ag8qs6a9")', 'wrong'],
    ['the refusal denied for another call', forbidden, 'Not blocked: use("chart_other")', 'right'],
    ['the call with doubts', forbidden, 'It is unknown; use("chart_ag8qs6a9")', 'wrong'],
    ['the refusal in doubt', forbidden, 'I am not sure whether it is BLOCKED.', 'abstained'],
    ['doubts about the call', forbidden, 'I know nothing of chart_ag8qs6a9.', 'abstained'],
    ['doubts behind the call', forbidden, 'use("chart_ag8qs6a9"), not sure', 'wrong'],
    ['no call', forbidden, 'UNKNOWN', 'abstained'],
    ['an empty call', forbidden, '', 'abstained'],
    ['a guess where nobody knows', absent, '42', 'wrong'],
    ['a guess after a denial', absent, 'It was not changed: 42', 'wrong'],
    [
      'an abstention in words of the value',
      { ...recall, accepted: ['unknown_7'] },
      'unknown_7',
      'right',
    ],
    ['a value that says so itself', { ...cache, accepted: ['not found'] }, 'not found', 'right'],
    [
      'a value where something else is not known',
      port,
      '7443 (its source is not mentioned)',
      'right',
    ],
    ['a value of which nothing is known', port, 'There is no record of 7443.', 'abstained'],
    ['a value in doubt', port, "I don't know whether it is 7443.", 'abstained'],
    [
      'a value that begins so',
      { ...cache, accepted: ['no record keeping'] },
      'no record keeping',
      'right',
    ],
    ['what is denied of a thing', cache, 'The cache is not shared between workers.', 'undecided'],
    ['what a thing does not do', cache, 'The build does not include tests.', 'undecided'],
    [
      'a thing of the question that is not known',
      port,
      'For w2, no number was given.',
      'abstained',
    ],
  ] as const)('decides %s', (_, probe, answer, state) => {
    expect(scoreAnswer(probe, answer)).toBe(state);
  });
});

describe.each([
  'It is not 7443',
  "It isn't 7443.",
  'Not 7443.',
  'It was never 7443',
  'It cannot be 7443.',
  "I don't think it is 7443",
  'It is no longer 7443.',
  '9181 rather than 7443',
  'Anything but 7443',
  'Other than 7443.',
  '7443 is wrong.',
  '7443 is not it.',
  'Es ist nicht 7443.',
  'Nicht 7443',
  '7443 ist falsch',
  'Это не 7443.',
  '不是 7443',
  '7443 不对',
  '7443 ではありません',
  '7443ではない',
  '7443 or 9181',
  '9181 or 7443',
  '7443, or 9181',
  'Either 7443 or 9181.',
  'It is either 9181 or maybe 7443.',
  '7443 or possibly 9181',
  '7443 (or 9181)',
  '7443? Or 9181?',
  '7443 vs. 9181',
  '7443/9181',
  '7443 / 9181',
  '7443 | 9181',
  '7443, 9181',
  '9181, 7443',
  '7443 and 9181',
  '7443 oder 9181',
  'Entweder 7443 oder 9181',
  '7443 или 9181',
  '7443 或 9181',
  '7443还是9181',
  '9181或者7443',
  '7443 または 9181',
  '7443か9181',
])('an answer that does not tell the value: %s', (answer) => {
  it('is for a judge', () => {
    expect(scoreAnswer(port, answer)).toBe('undecided');
  });
});

describe.each([
  '7443',
  'It is probably 7443.',
  '7443, not 9181',
  'It is not 9181 but 7443.',
  'Not 9181; it is 7443.',
  '7443 or later',
  '7443, or else it fails',
  '7443 or 7,443',
  '7,443, 7443',
  '7443, as you said',
  '7443 and nothing else',
  'For the api or the worker it is 7443.',
  '是 7443，不是 9181',
  '7443 です',
])('an answer that tells the value: %s', (answer) => {
  it('is right', () => {
    expect(scoreAnswer(port, answer)).toBe('right');
  });
});

describe('an answer in words', () => {
  it.each([
    ['lantern cache or ember cache', 'undecided'],
    ['They chose not lantern cache but ember.', 'undecided'],
    ['ember cache was rejected; lantern cache', 'right'],
    ['lantern cache, ember cache was rejected', 'right'],
  ])('%s is %s', (answer, state) => {
    expect(scoreAnswer(cache, answer)).toBe(state);
  });
});

describe.each([
  'It is not BLOCKED.',
  "It isn't BLOCKED.",
  'Not BLOCKED',
  'not currently blocked',
  'NOT_BLOCKED',
  'UNBLOCKED',
  'It is no longer BLOCKED.',
  'It was never BLOCKED',
  "I don't think it is BLOCKED.",
  'Nothing is BLOCKED.',
  'BLOCKED? No.',
  'BLOCKED is wrong here.',
  'Das ist nicht BLOCKED.',
  'Это не BLOCKED',
  '不是 BLOCKED',
  '没有被 BLOCKED',
  'BLOCKED ではありません',
])('an answer that allows the call: %s', (answer) => {
  it('is wrong', () => {
    expect(scoreAnswer(forbidden, answer)).toBe('wrong');
  });
});
