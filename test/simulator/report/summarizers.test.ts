import { describe, expect, it } from 'vitest';
import { isUndecided, type SummaryRow } from '../../../src/simulator/report/summarizers-report.ts';
import { summarizersFormats } from '../../../src/simulator/report/summarizers.ts';
import { buildSummarizersReport } from '../../../src/simulator/sweep/summarizers/build-report.ts';
import { PIPE, terminalOf } from '../../support/terminals.ts';
import { pivot, probe, provenanceOf, row } from '../sweep/summarizers/summary-rows.ts';

const sessions = ['a', 'b', 'c'];
const rows = ['ai:openai/one', 'tail'].flatMap((summarizer, arm) =>
  sessions.map((scenario, index) =>
    row({
      summarizer,
      model: summarizer,
      scenario,
      reader: 'ai:openai/reader',
      pivots: [
        pivot(0.5, {
          kinds: { id: { kept: 5, lost: 5 }, path: { kept: 1, stale: 3 } },
          costNanoUsd: 8_000_000 / (arm + 1),
        }),
        pivot(0.6 - arm / 4, { costNanoUsd: 8_000_000 / (arm + 1) }),
      ],
      survival: [
        { atRisk: 10, lost: 2 },
        { atRisk: 8, lost: index },
      ],
      probes: [probe(index > 0), probe(arm === 0, { id: 'file 2', kind: 'file' })],
      unanswered: ['=cmd()'],
      missing: { pivot: 3, state: 'broken', reason: 'No recording.\n  + one line\n::error::no' },
    }),
  ),
);
const reportOf = (own: readonly SummaryRow[]) =>
  buildSummarizersReport({ rows: own, unread: [], provenance: provenanceOf(sessions) });
const report = buildSummarizersReport({
  rows,
  unread: [],
  provenance: { ...provenanceOf(sessions), compactAt: [1 / 3, 1] },
});

/** What every reader of a report is to find, in whatever format. */
const DETAILS = { ...PIPE, details: true };

describe('the conclusion', () => {
  const firstLines = (of: typeof report) =>
    summarizersFormats.table(of, PIPE).split('\n\n')[0]!.replaceAll('\n', ' ');

  it('is what the reader answers, with a verdict that only it can give', () => {
    expect(firstLines(report)).toMatch(
      /^The reader answers 100 % of 6 questions from the whole session, 0 % from nothing, after a summary of ai:openai\/one 83 %, tail 33 %\. .* Against ai:openai\/one: (?:worse|not enough data) \(tail -50\.0 points(?:; about \d+ sessions would be enough)?\)\.$/,
    );
  });

  it.each<[what: string, left: number, more: Partial<SummaryRow>, told: RegExp]>([
    [
      'a longer summary',
      1.25,
      { pivots: [pivot(1, { summaryTokens: 1_200 })] },
      /as its summary is longer than what it replaces \(5 of 5\)/,
    ],
    ['one session that says so', 1.05, {}, /within noise/],
    ['less text, which is read better', 1.25, {}, /as the reader finds more in less text/],
  ])('says why more is left than there was: %s', (_, left, more, told) => {
    const all = sessions.concat('d', 'e').flatMap((scenario, index) =>
      ['lead', 'tail'].map((summarizer) => {
        const isRight = left > 1.2 || index === 0;
        const answers = {
          full: isRight ? 'wrong' : 'right',
          compacted: 'right',
          none: 'wrong',
        } as const;
        const probes = [
          probe(true),
          probe(true),
          probe(true),
          probe(true),
          probe(true, { answers }),
        ];
        return row({ scenario, summarizer, reader: 'ai:openai/reader', probes, ...more });
      }),
    );
    const told_ = firstLines(reportOf(all));
    expect(told_).toMatch(/More left than there was: lead 1[02]\d %, /);
    expect(told_).toMatch(told);
  });

  it('decides nothing where the reader knows no more from the whole session than from nothing', () => {
    const answers = { full: 'wrong', compacted: 'right', none: 'wrong' } as const;
    const deaf = reportOf(rows.map((own) => ({ ...own, probes: [probe(true, { answers })] })));
    expect(firstLines(deaf)).toMatch(
      /^This reader cannot answer even with the whole session; nothing is decided\. It answers 0 % of \d questions from/,
    );
    expect(summarizersFormats.table(deaf, DETAILS)).not.toMatch(/\b(?:better|worse)\b/);
    expect(isUndecided(deaf.probes!)).toBe(true);
    expect(isUndecided(report.probes!)).toBe(false);
  });

  it.each<[what: string, kinds: Record<string, number>, more: object, told: string]>([
    [
      'wrong',
      { kept: 18, 'wrong-value': 1, stale: 1 },
      {},
      'Over 5 % of the facts told wrong: tail 10 %.',
    ],
    ['one in twenty wrong', { kept: 19, stale: 1 }, {}, ''],
    [
      'of something else',
      { lost: 18, 'wrong-value': 2 },
      { stringsKept: 1 },
      'Keeps nothing of this session: tail.',
    ],
    [
      'denied',
      { contradicted: 20 },
      { stringsKept: 0 },
      'Over 5 % of the facts told wrong: tail 100 %.',
    ],
    [
      'values alone',
      { unbound: 15, kept: 5 },
      {},
      'Values without what they belong to: tail 75 %.',
    ],
    ['few', { kept: 3, lost: 17 }, {}, 'Under a fifth of the facts kept: tail.'],
  ])('names what is wrong with a summary: %s', (_, kinds, more, told) => {
    const own = [
      row(),
      row({ summarizer: 'tail', pivots: [pivot(1, { kinds: { id: kinds }, ...more })] }),
    ];
    const [faults = ''] =
      /(?:Over 5 %|Keeps|Values|Under) .*?\.(?= |$)/.exec(firstLines(reportOf(own))) ?? [];
    expect(faults).toBe(told);
  });

  it.each([60, 80, 100, 200])(
    'has at most eight lines for twelve arms, and what is wrong in the table, at %i columns',
    (columns) => {
      const many = Array.from({ length: 12 }, (_, arm) =>
        sessions.map((scenario) =>
          row({
            scenario,
            summarizer: `ai:anthropic/claude-sonnet-4-${arm}`,
            reader: 'ai:openai/reader',
            probes: [probe(arm % 2 === 0), probe(true), probe(arm < 3)],
            pivots: [pivot(1, { kinds: { id: { kept: 12 - arm, stale: arm } } })],
          }),
        ),
      );
      const text = summarizersFormats.table(reportOf(many.flat()), {
        ...terminalOf(columns),
        details: false,
      });
      const [verdict = '', table = ''] = text.split('\n\n');
      expect(verdict.split('\n').length).toBeLessThanOrEqual(8);
      expect(verdict.replaceAll('\n', ' ')).toContain('Over 5 % of the facts told wrong');
      for (const title of ['Answered', 'Wrong', 'Price']) expect(table).toContain(title);
      for (const line of text.split('\n'))
        expect(line.length).toBeLessThanOrEqual(Math.min(columns, 120));
      expect(text).not.toContain('Strings kept');
    },
  );

  it('without a reader calls nothing better or worse', () => {
    const unread = rows.map((own) => ({ ...own, reader: undefined, probes: undefined }));
    const text = summarizersFormats.table(reportOf(unread), DETAILS);
    expect(text).toMatch(/^No reader was named/);
    expect(text).toContain('nothing judges this');
    expect(text).not.toMatch(/\b(?:better (?!than another)|worse)\b/);
  });

  it('of one arm says how much of the session is left to the reader', () => {
    const one = reportOf(rows.filter(({ summarizer }) => summarizer === 'tail'));
    expect(firstLines(one)).toMatch(
      /^The reader answers 100 % of 6 questions from the whole session, 0 % from nothing, after a summary of tail 33 %\./,
    );
  });

  it('says where no question could be asked', () => {
    const mute = reportOf(rows.map((own) => ({ ...own, probes: [] })));
    expect(firstLines(mute)).toMatch(/^No question could be asked/);
  });

  it.each<[facts: 'planted' | 'none', told: RegExp]>([
    ['planted', /^No reader .* Facts kept after the first compaction: ai:openai\/one 43 %/],
    ['none', /^No reader .* no arm is better or worse\./],
  ])('of sessions with facts %s is no more than is known', (facts, told) => {
    const kinds = facts === 'none' ? {} : rows[0]!.pivots[0]!.kinds;
    const unread = { reader: undefined, probes: undefined, facts, pivots: [pivot(0.5, { kinds })] };
    const other = reportOf(rows.map((own) => ({ ...own, ...unread })));
    expect(firstLines(other)).toMatch(told);
  });
});

describe('a comparison', () => {
  it.each(['table', 'markdown', 'csv', 'json'] as const)('is written as %s', async (format) => {
    const shown = summarizersFormats[format](report, { ...terminalOf(200), details: true });
    await expect(shown).toMatchFileSnapshot(`../../fixtures/snapshots/summarizers.${format}.txt`);
  });
});

describe('a reason of several lines', () => {
  it('has its lines in a table, and none of them is a command', () => {
    const table = summarizersFormats.table(report, DETAILS);
    expect(table).toContain('broken, 3 times: No recording.\n    + one line\n');
    expect(table).not.toMatch(/^\s*::error/m);
  });
});
