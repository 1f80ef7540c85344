import { describe, expect, it } from 'vitest';
import { markdown } from '../../../src/simulator/report/markdown.ts';
import { hostileTexts } from '../../contracts/report-format.ts';
import { sampleProvenance, sampleReport, sampleRun } from '../../support/sample-report.ts';

const render = (report = sampleReport()) => markdown.render(report, { colors: false });
const cellsOf = (line: string | undefined) => line?.split('|').length;

describe('markdown', () => {
  it('is a report to read', () => {
    const unread = [{ file: 'broken.json', reason: 'Expected a session, got an empty file.' }];
    const refused = sampleRun({ policy: 'none', state: 'refused', reason: 'refused twice' });
    expect(render(sampleReport({ runs: [sampleRun(), refused], unread }))).toMatchInlineSnapshot(`
      "# Compaction report

      ## Runs

      | Session | Policy | Steps | Peak | Overflows | Compactions | Prunes | Pruned | Tokens saved | Cost | Dollars saved | Misses | State |
      | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
      | \`sessions/one.jsonl\` | \`opencode-1.2.16\` | 225 | 168,004 | 4 | 2 (+1 failed, 1 ineffective) | 5 | 123,456 | 3,696,000 (37 %) | $7.25 | -$0.2500 (-4 %) | 16 (10 at best) | completed |
      | \`sessions/one.jsonl\` | \`none\` | 225 | 168,004 | 4 | 2 (+1 failed, 1 ineffective) | 5 | 123,456 | 3,696,000 (37 %) | $7.25 | -$0.2500 (-4 %) | 16 (10 at best) | refused: \`refused twice\` |

      ## Totals

      Sums over completed runs; for contexts, the largest. Policies that completed different sessions cannot be compared.

      | Metric | \`opencode-1.2.16\` | \`none\` |
      | --- | ---: | ---: |
      | Completed runs | 1 of 1 | 0 of 1 |
      | Steps | 225 | – |
      | Turns | 9 | – |
      | Input tokens | 6,000,000 | – |
      | Output tokens | 61,234 | – |
      | Peak context | 168,004 | – |
      | Overflows | 4 | – |
      | Overflows, after step | 3 | – |
      | Overflows, before request | 1 | – |
      | Refusals | 0 | – |
      | Silent cuts | 8 | – |
      | Compactions | 2 | – |
      | Compactions, ineffective | 1 | – |
      | Compactions, failed | 1 | – |
      | Compactions, recorded | 3 | – |
      | Prunes | 5 | – |
      | Prunes, below minimum | 6 | – |
      | Pruned tokens | 123,456 | – |
      | Pruned, as estimated | 120,000 | – |
      | Summary input | 300,000 | – |
      | Summary output | 4,000 | – |
      | Final context | 90,001 | – |
      | Tokens saved | 3,696,000 | – |
      | Cost | $7.25 | – |
      | Cost, of which summaries | $0.0625 | – |
      | Dollars saved | -$0.2500 | – |
      | Cache reads | 5,400,000 | – |
      | Cache writes | 500,000 | – |
      | Uncached | 100,000 | – |
      | Input after user | 1,000,000 | – |
      | Cache reads after user | 800,000 | – |
      | Input after tool | 5,000,000 | – |
      | Cache reads after tool | 4,600,000 | – |
      | Hit rate | 90.0 % | – |
      | Hit rate, after user | 80.0 % | – |
      | Hit rate, after tool | 92.0 % | – |
      | Prefix breaks | 7 | – |
      | Prunes paid back | 3 | – |
      | Compactions paid back | 2 | – |
      | Wasted compactions | 0 | – |
      | Latency | 1,235 s | – |
      | References | 80 | – |
      | Misses | 16 | – |
      | Misses, per reference | 20.0 % | – |
      | Evicted parts | 64 | – |
      | Misses per eviction | 0.250 | – |
      | Referenced tokens | 70,000 | – |
      | Missed tokens | 21,000 | – |
      | Missed tokens, of referenced tokens | 30.0 % | – |
      | Regret | $0.7500 | – |
      | Regret in time | 62 s | – |
      | File reads | 48 | – |
      | Re-reads | 24 | – |
      | Re-reads, of file reads | 50.0 % | – |
      | Loops | 11 | – |
      | Added steps | 13 | – |
      | Stale tokens | 32,100 | – |
      | Constraints | 14 | – |
      | Constraints gone | 12 | – |
      | Paths | 100 | – |
      | Paths gone | 41 | – |
      | Paths gone, of paths | 41.0 % | – |
      | Bound's misses | 10 | – |
      | Misses above bound | 17 | – |
      | Bound's missed tokens | 15,000 | – |
      | Missed tokens / bound's | 1.40 | – |
      | Bound's regret | $0.5000 | – |
      | Competitive ratio | 1.50 | – |
      | Cost above bound | $1.75 | – |

      - No longer named at the end, outputs aside, under \`opencode-1.2.16\`: 12 of 14 user constraints, 41 % of 100 paths.

      ## Unread

      - \`broken.json: Expected a session, got an empty file.\`

      ## Provenance

      - Made by: \`compaction-bench 0.1.0\`
      - Model: \`anthropic/claude-sonnet-4-5 (context 200,000, output 64,000)\`
      - Provider: \`usage as anthropic, cache anthropic-5m (300 s), refusals as anthropic\`
      - Summarizer: \`extractive\`
      - Seed: \`1\`
      - Mode: \`open loop (counterfactual, fixed trajectory)\`
      - Catalog: \`catalog/models.json abcdef123456\`
      - Settings: \`protect=20000\`

      Tokens are counted with o200k_base (not the model's own: estimated) and scaled to the recorded usage in the session. System prompt and tools are measured in the session. Prunes and overflows are decided by each policy's own estimate and the reported usage. No price is known for the model. Savings are net of summary calls, relative to never compacting; – means unknown.
      "
    `);
  });

  it.each(hostileTexts)('keeps %s in its code span and its cell', (_, text) => {
    const run = sampleRun({ session: text, state: 'failed', reason: text });
    const reasons = { [text]: 1 };
    const provenance = sampleProvenance({ dropped: reasons, repaired: reasons });
    const unread = [{ file: text, reason: text }];
    const rendered = render(sampleReport({ runs: [run], unread, provenance }));
    for (const line of rendered.split('\n')) {
      const outside = line.replaceAll(/`[^`]+`/g, 'code');
      expect(outside).not.toMatch(/[`@<[]|https?:/);
    }
    const [titles, rule, row] = rendered.split('\n').filter((line) => line.startsWith('|'));
    expect(cellsOf(row)).toBe(cellsOf(titles));
    expect(cellsOf(rule)).toBe(cellsOf(titles));
  });
});
