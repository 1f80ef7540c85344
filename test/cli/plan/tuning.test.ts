import { expect, it } from 'vitest';
import { findOwnSessions } from '../../../src/cli/inputs.ts';
import { createSetupOf, readDefaults, recordedIn } from '../../../src/cli/plan/defaults.ts';
import { makePlan } from '../../../src/cli/plan/plan.ts';
import { planTuning } from '../../../src/cli/commands/tune.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { groupSessions } from '../../../src/simulator/sweep/answer/answer-groups.ts';
import { isSimulated } from '../../../src/simulator/sweep/grid.ts';
import { planSweep } from '../../../src/simulator/sweep/plan.ts';
import { makeHome } from '../../support/home.ts';
import { cellsOf } from '../../../src/simulator/sweep/answer/find-answer.ts';

const SUMMARIZER = 'scripted:usual';
const OPTIONS = { summarizer: SUMMARIZER, seed: '1', set: [], vary: [] };
const SEARCH = { objective: ['cost'], within: [], holdOut: '0', vary: [] };

it('runs in `tune` whatever an answer runs of the same sessions', async () => {
  const env = { HOME: makeHome() };
  const files = findOwnSessions(env, undefined).agents.flatMap((agent) => agent.files);
  const defaults = readDefaults(OPTIONS, recordedIn(files), env);
  const tuning = planTuning(makePlan(OPTIONS, env, { defaults }), SEARCH);
  const setupOf = createSetupOf(OPTIONS, env);
  const plan = await planSweep({ files, cells: [], seeds: [1], setupOf });
  const sessions = plan!.sessions.map((session, index) => ({ agent: 'it', session, index }));
  const sources = { catalog: readCatalog(), summarizer: SUMMARIZER, policy: 'none' };
  const arms = groupSessions(sessions, sources).groups.flatMap(cellsOf).filter(isSimulated);
  expect(arms.length).toBeGreaterThan(1);
  expect(tuning.cells.map(({ id }) => id)).toEqual(
    expect.arrayContaining(arms.map(({ id }) => id)),
  );
});
