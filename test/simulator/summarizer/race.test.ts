import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Course,
  generateCourse,
  race,
  type Result,
  shareHeld,
} from '../../../scripts/reproductions/summarizer-race.ts';
import { FACT_KINDS } from '../../../src/simulator/session/facts.ts';
import { loadSessions } from '../../../src/simulator/session/load.ts';
import { ends, says, summarise } from './extractive/sections.ts';
import { summary, text, user } from '../../support/history.ts';

const BASELINES = ['lead', 'tail', 'random', 'textrank'] as const;
const CAP = 4_096;
/** Kinds of which recorded sessions have facts of less weight are a matter of luck. */
const FEW = 10;
const PIVOTS = [0, 1] as const;
const KINDS = ['all', 'must', ...FACT_KINDS] as const;

const GENERATED = (['claude-code', 'opencode'] as const).flatMap((workload) =>
  (['english', 'chinese', 'japanese'] as const).map((language, index) =>
    generateCourse({
      workload,
      language,
      index: index + 1,
      planting: { factsPerKilotoken: 0.6 },
    }),
  ),
);
const FOLDER = resolve(import.meta.dirname, '../../../../shared/sessions');
const RECORDED = [
  'claude-code/entire-3799-glued-line-v2.1.jsonl',
  'claude-code/entire-1755-orphan-tool-result.jsonl',
  'codex/rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799.jsonl',
  'claude-code/kimi-cli-7719-no-compaction.jsonl',
];
const hasSessions = RECORDED.every((file) => existsSync(resolve(FOLDER, file)));
const note = hasSessions ? '' : ' (skipped: ../shared/sessions is not there)';

const shareOf = ({ pivots }: Result, pivot: 0 | 1, kind: (typeof KINDS)[number]) =>
  shareHeld(pivots[pivot][kind]);

describe('on generated sessions', () => {
  const own = race('extractive', GENERATED, CAP);
  const others = BASELINES.map((name) => [name, race(name, GENERATED, CAP)] as const);
  const cases = PIVOTS.flatMap((pivot) => KINDS.map((kind) => [kind, pivot] as const));

  it.each(cases)(
    'extractive keeps more facts (%s) than any baseline after pivot %i + 1',
    (kind, pivot) => {
      for (const [, other] of others) {
        expect(shareOf(own, pivot, kind)).toBeGreaterThan(shareOf(other, pivot, kind) ?? 1);
      }
    },
  );

  it('has all that a race is about: every kind of fact, and summaries of the length of the cap', () => {
    for (const result of [own, ...others.map(([, other]) => other)]) {
      expect(result.mostTokens).toBeLessThanOrEqual(CAP);
      expect(result.mostTokens).toBeGreaterThan(CAP * 0.9);
    }
  });

  it.each([400])('keeps more than any baseline in %i tokens too', (cap) => {
    const small = race('extractive', GENERATED, cap);
    expect(small.mostTokens).toBeLessThanOrEqual(cap);
    for (const name of BASELINES) {
      const other = race(name, GENERATED, cap);
      for (const pivot of PIVOTS) {
        expect(shareOf(small, pivot, 'all')).toBeGreaterThan(shareOf(other, pivot, 'all') ?? 1);
      }
    }
  });
});

describe.skipIf(!hasSessions)(`on recorded sessions${note}`, () => {
  const courses: readonly Course[] = hasSessions ? RECORDED.flatMap(readCourse) : [];
  const own = race('extractive', courses, CAP);
  const others = BASELINES.map((name) => [name, race(name, courses, CAP)] as const);
  const kinds = KINDS.filter((kind) => (own.pivots[1][kind]?.weight ?? 0) >= FEW);

  it.each(PIVOTS)(
    'extractive keeps more over all kinds than any baseline after pivot %i + 1',
    (pivot) => {
      for (const [, other] of others) {
        expect(shareOf(own, pivot, 'all')).toBeGreaterThan(shareOf(other, pivot, 'all') ?? 1);
      }
    },
  );

  const cases = PIVOTS.flatMap((pivot) => kinds.map((kind) => [kind, pivot] as const));

  it.each(cases)(
    'extractive keeps no less (%s) than any baseline after pivot %i + 1',
    (kind, pivot) => {
      for (const [, other] of others) {
        expect(shareOf(own, pivot, kind) ?? 1).toBeGreaterThanOrEqual(
          shareOf(other, pivot, kind) ?? 0,
        );
      }
    },
  );
});

const before = (line: string) =>
  summary('s', 'm', { parts: [text('s', `## Accomplished\n- ${line}`)] });

describe('a fact of an earlier summary', () => {
  it('survives, anchored', () => {
    const line = 'So far the rate migration has reached checkpoint k7m2x9.';
    expect(summarise([before(line), user('u', 'Go on.'), says('Reading.')])).toContain(line);
  });

  it('yields to a newer one about the same', () => {
    const answer = summarise([
      before('So far the rate migration has reached checkpoint k7m2x9.'),
      user('u', 'Go on.'),
      ends('Correction: So far the rate migration has reached checkpoint p4q8w3.'),
    ]);
    expect(answer).toContain('p4q8w3');
    expect(answer).not.toContain('k7m2x9');
  });
});

function readCourse(file: string): readonly Course[] {
  const [first] = [...loadSessions([resolve(FOLDER, file)])];
  return first?.state === 'read' ? [{ name: file, messages: first.session.messages }] : [];
}
