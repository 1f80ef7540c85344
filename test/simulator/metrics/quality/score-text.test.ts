import { describe, expect, it } from 'vitest';
import {
  lossesOf,
  qualityMetrics,
  qualityValues,
  scoreText,
} from '../../../../src/simulator/metrics/quality/score-text.ts';
import { planted } from '../../../support/facts.ts';

const port = planted({ id: 'port', kind: 'number', subject: 'staging port', value: '84612' });
const older = planted({ id: 'older', kind: 'path', subject: 'log folder', value: '/var/log_a1' });
const newer = planted({
  ...older,
  id: 'newer',
  value: '/var/log_b2',
  supersedes: 'older',
  step: 5,
});
const based = planted({
  id: 'based',
  kind: 'command',
  criticality: 'nice',
  subject: 'log rotation',
  value: 'make rotate-9',
  dependsOn: ['older'],
});
const TEXT = 'Staging port: 84612. The log folder is /var/log_a1. Log rotation: make rotate-9.';

describe('scoreText', () => {
  it('scores what holds at a step', () => {
    const facts = [port, older, newer, based];
    const then = scoreText({ text: TEXT, facts, atStep: 4 });
    expect(then.facts.map(({ id, state }) => [id, state])).toEqual([
      ['port', 'kept'],
      ['older', 'kept'],
      ['based', 'kept'],
    ]);
    const now = scoreText({ text: TEXT, facts });
    expect(now.facts.map(({ id, state }) => [id, state])).toEqual([
      ['port', 'kept'],
      ['newer', 'stale'],
    ]);
    expect(now.retained).toEqual({ facts: 2, kept: 1, share: 0.5 });
    expect(now.kinds).toEqual({
      number: { facts: 1, kept: 1, share: 1 },
      path: { facts: 1, kept: 0, share: 0 },
    });
    expect(now.states).toMatchObject({ kept: 1, stale: 1, lost: 0 });
  });

  it('counts strings that later steps use, given or of the facts', () => {
    const facts = [
      { ...port, neededAt: [7] },
      { ...based, neededAt: [2] },
    ];
    expect(scoreText({ text: TEXT, facts, atStep: 4 }).strings).toMatchObject({
      strings: 1,
      kept: 1,
    });
    const strings = ['make rotate-9', 'make build-1'];
    expect(scoreText({ text: TEXT, facts, strings }).strings).toMatchObject({
      strings: 2,
      kept: 1,
    });
  });
});

describe('qualityValues', () => {
  it('has every number, unknown where there is nothing', () => {
    const some = qualityValues(scoreText({ text: TEXT, facts: [port, older, newer] }));
    expect(some).toMatchObject({
      retention: 0.5,
      mustRetention: 0.5,
      staleRate: 0.5,
      todoStates: null,
    });
    const none = qualityValues(scoreText({ text: TEXT, facts: [] }));
    expect(Object.keys(none)).toEqual(Object.keys(qualityMetrics));
    expect(Object.values(none).every((value) => value === null)).toBe(true);
  });
});

describe('lossesOf', () => {
  it('counts a fact until it is lost, from the first pivot after it', () => {
    const texts = [TEXT, 'Staging port: 84612.', 'Staging port: 84612. Log folder: /var/log_a1.'];
    const scores = texts.map((text) => scoreText({ text, facts: [port, older] }));
    expect(lossesOf(scores)).toEqual([
      { atRisk: 2, lost: 0 },
      { atRisk: 2, lost: 1 },
      { atRisk: 1, lost: 0 },
    ]);
  });
});
