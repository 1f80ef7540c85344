import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { table } from '../../../src/simulator/report/table.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../../support/sample-report.ts';

const render = (report = sampleReport()) => table.render(report, { colors: false });

const none = sampleRun({
  policy: 'none',
  metrics: {
    ...sampleMetrics,
    inputTokens: 10_000_000,
    peakContextTokens: 1_168_004,
    overflows: 0,
    compactions: 0,
    ineffectiveCompactions: 0,
    failedCompactions: 0,
    prunes: 0,
    prunedTokens: 0,
    summaryInputTokens: 0,
    summaryOutputTokens: 0,
    tokensSaved: 0,
    misses: 0,
    goneConstraints: 0,
    gonePaths: 0,
  },
});
const refused = sampleRun({
  session: 'a/very/long/path/of/folders/that/ends/in/two.json#1',
  state: 'refused',
  reason: 'refused twice in a row',
  metrics: UNKNOWN_METRICS,
});

describe('table', () => {
  it('breaks lists between words, as prose, where it knows the width of the terminal', () => {
    const unread = [{ file: 'broken.json', reason: 'Expected a session, got an empty file.' }];
    const report = sampleReport({ runs: [refused], unread });
    const shown = table.render(report, { colors: false, terminalColumns: 40 });
    expect(shown).toContain(
      '\n- a/very/long/path/of/folders/that/ends/in/two.json#1\n  with opencode-1.2.16: refused, refused\n  twice in a row\n',
    );
    expect(shown).toContain('\n- broken.json: Expected a session, got\n  an empty file.\n');
  });

  it('shows runs, totals, what did not complete, what was not read, and where it all comes from', () => {
    const unread = [{ file: 'broken.json', reason: 'Expected a session, got an empty file.' }];
    const report = sampleReport({ runs: [none, sampleRun(), refused], unread });
    expect(render(report)).toMatchInlineSnapshot(`
      "Session                    Policy           Steps       Peak  Overflows                   Compactions  Prunes   Pruned      Tokens saved   Cost    Dollars saved           Misses  State
      ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      sessions/one.jsonl         none               225  1,168,004          0                             0       0        0                 0  $7.25  -$0.2500 (-4 %)                0  completed
      sessions/one.jsonl         opencode-1.2.16    225    168,004          4  2 (+1 failed, 1 ineffective)       5  123,456  3,696,000 (37 %)  $7.25  -$0.2500 (-4 %)  16 (10 at best)  completed
      …/that/ends/in/two.json#1  opencode-1.2.16      –          –          –                             –       –        –                 –      –                –                –  refused
      ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      Total of completed runs    none               225  1,168,004          0                             0       0        0                 0  $7.25  -$0.2500 (-4 %)                0  1 of 1
      Total of completed runs    opencode-1.2.16    225    168,004          4  2 (+1 failed, 1 ineffective)       5  123,456  3,696,000 (37 %)  $7.25  -$0.2500 (-4 %)  16 (10 at best)  1 of 2

      Not completed:
      - a/very/long/path/of/folders/that/ends/in/two.json#1 with opencode-1.2.16: refused, refused twice in a row

      Unread:
      - broken.json: Expected a session, got an empty file.

      Lost under opencode-1.2.16: 16 (10 at best) of 80 references missed (20.0 %), 0.250 per evicted
      part, 30.0 % of referenced tokens, regret $0.7500 ($0.5000 at best) and 62 s, 24 (50.0 %) file
      re-reads, 11 loops.
      No longer named at the end, outputs aside, under opencode-1.2.16: 12 of 14 user constraints, 41 % of
      100 paths.

      Made by: compaction-bench 0.1.0. Model: anthropic/claude-sonnet-4-5 (context 200,000, output
      64,000). Provider: usage as anthropic, cache anthropic-5m (300 s), refusals as anthropic.
      Summarizer: extractive. Seed: 1. Mode: open loop (counterfactual, fixed trajectory). Catalog:
      catalog/models.json abcdef123456. Settings: protect=20000. Tokens are counted with o200k_base (not
      the model's own: estimated) and scaled to the recorded usage in the session. System prompt and tools
      are measured in the session. Prunes and overflows are decided by each policy's own estimate and the
      reported usage. No price is known for the model. Savings are net of summary calls, relative to never
      compacting; – means unknown.
      "
    `);
  });

  it('tells sessions apart whose paths end alike', () => {
    const runs = ['task-1', 'task-2'].map((task) =>
      sampleRun({ session: `home/tasks/${task}/api_conversation_history.json` }),
    );
    const text = render(sampleReport({ runs }));
    expect(text).toContain('…/task-1/api_conversation_history.json  ');
    expect(text).toContain('…/task-2/api_conversation_history.json  ');
  });

  it('says once why a session did not complete under several policies', () => {
    const copy = { session: 'a.json', state: 'skipped', reason: 'a copy of b.json' } as const;
    const runs = [
      sampleRun({ ...copy, policy: 'none' }),
      sampleRun({ ...copy, policy: 'opencode-1.18' }),
      sampleRun({ session: 'a.json', policy: 'crush', state: 'failed' }),
      sampleRun({ ...copy, session: 'c.json' }),
    ];
    const [, listed] = render(sampleReport({ runs })).split('Not completed:\n');
    expect(listed?.split('\n\n')[0]?.split('\n')).toEqual([
      '- a.json with none, opencode-1.18: skipped, a copy of b.json',
      '- a.json with crush: failed',
      '- c.json with opencode-1.2.16: skipped, a copy of b.json',
    ]);
  });

  it('says that nothing was run', () => {
    expect(render(sampleReport({ runs: [] }))).toMatch(/^No session was run\.\n/);
  });

  it('prints no escape sequence without colours', () => {
    expect(render()).not.toContain('\u001b');
  });

  it('aligns the same with colours as without', () => {
    const report = sampleReport({ runs: [none, sampleRun(), refused] });
    const colored = table.render(report, { colors: true });
    expect(colored).toContain('\u001b');
    // oxlint-disable-next-line no-control-regex -- colours are what is taken out
    const plain = colored.replaceAll(/\u001b\[\d+m/g, '').replaceAll(/ +$/gm, '');
    expect(plain).toBe(render(report));
  });

  it('does not total what is unknown for one run', () => {
    const unknown = sampleRun({ metrics: { ...sampleMetrics, tokensSaved: null } });
    const total = render(sampleReport({ runs: [sampleRun(), unknown] }))
      .split('\n')
      .find((line) => line.includes('Total'));
    expect(total).toMatch(/ 450 .* – .*2 of 2$/);
  });
});
