import { describe, expect, it } from 'vitest';
import { routeOf } from '../../../../../src/simulator/report/html/page/route.js';
import { toPageOfRuns } from '../../../../../src/simulator/report/html/page-of-runs.ts';
import { sampleReport, sampleRun } from '../../../../support/sample-report.ts';

const SESSIONS = ['sessions/one.jsonl', 'half \ud83d'];
const runs = SESSIONS.map((session) => sampleRun({ session, policy: 'none' }));
const report = toPageOfRuns(sampleReport({ runs }), {});
const one = ['session', 'sessions%2Fone.jsonl'];
const session = { view: 'session', session: 0 };

describe('routeOf', () => {
  it.each<[string, readonly string[], object]>([
    ['an empty address leads to the overview', [], { view: 'overview' }],
    ['a session by its name', one, session],
    [
      'a session whose name has half a character by its number',
      ['session', '~1'],
      { view: 'session', session: 1 },
    ],
    ['a step counts from 1', [...one, 'step', '24'], { view: 'step', session: 0, step: 23 }],
    ['a step that is no number leads to its session', [...one, 'step', 'x'], session],
    ['so does step 0', [...one, 'step', '0'], session],
    ['so does a step below that', [...one, 'step', '-3'], session],
    ['so does a fraction', [...one, 'step', '1.5'], session],
    ['so does a number in other digits', [...one, 'step', '1e3'], session],
    ['so does a step that is not named', [...one, 'step'], session],
    ['so does anything else below it', [...one, 'part', '3'], session],
    ['a policy by its name', ['policy', 'none'], { view: 'policy', group: 0 }],
    ['a session that is not there', ['session', 'nobody', 'step', '3'], { view: 'nowhere' }],
    ['a policy that is not there', ['policy', 'other'], { view: 'nowhere' }],
    ['a policy without a name', ['policy'], { view: 'nowhere' }],
    ['what no page has', ['compared'], { view: 'nowhere' }],
  ])('%s', (_, parts, expected) => {
    expect(routeOf(report, parts)).toEqual(expected);
  });
});
