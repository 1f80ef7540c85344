import {
  applyPrune,
  checkPrune,
  defaultCleanups,
  type PruneFacts,
  type PrunePlan,
} from '../../../../src/engine/index.ts';
import { overwriteOutputs } from '../../../../src/engine/prune/plan.ts';
import { frozen } from '../../../../src/engine/values.ts';
import { tool } from '../../../support/history.ts';
import {
  type Counterexample,
  type Example,
  type History,
  outputs,
  u1,
  u2,
  u3,
} from './situations.ts';

const prunable: History = [
  u1,
  outputs(
    's1',
    tool('t1', 40),
    tool('t2', 40, { tool: 'skill' }),
    tool('t3', 40, { compactedAt: 1 }),
  ),
  u2,
  outputs('s2', tool('t4', 40)),
  u3,
  outputs('s3', tool('t5', 4)),
];
/** A pass that planned the parts `planned` and cleared the parts `cleared`. */
function pruned(
  planned: readonly string[],
  cleared = planned,
  { state = 'fire', ...facts }: Partial<PruneFacts> & { readonly state?: PrunePlan['state'] } = {},
) {
  const after = applyPrune(prunable, { state: 'fire', partIds: cleared, estimatedTokens: 0 }, 9);
  return checkPrune({
    before: frozen(prunable),
    after: cleared.length === 0 ? prunable : after,
    plan: { state, partIds: planned, estimatedTokens: 0 },
    isEnabled: true,
    options: { guardTurns: 2, protectedTools: ['skill'], minimumTokens: 9 },
    estimator: { charsPerToken: 4, rounding: 'round' },
    ...facts,
  });
}
/** What a pass leaves that overwrites what it clears. */
function overwritten(partId: string) {
  const plan = { state: 'fire', partIds: [partId], estimatedTokens: 0 } as const;
  return overwriteOutputs(applyPrune(prunable, plan, 9), plan, 'Gone.');
}
const minimum = (minimumTokens: number) => ({
  options: { guardTurns: 2, protectedTools: [], minimumTokens },
});
const guarding = (guardTurns: number) => ({
  options: { guardTurns, protectedTools: [], minimumTokens: 0 },
});
const noGuard = guarding(0);

/** A pass that keeps so many of the newest outputs, all of bash. */
const keeping = (keptOutputs: number) => ({
  ...guarding(0),
  keepLast: { outputs: keptOutputs, tools: ['bash'] },
});

/** A clean-up that planned the parts, all of them but those of some tools. */
const cleaning = (protectedTools: readonly string[], ...partIds: readonly string[]) => ({
  isEnabled: false,
  cleanups: [
    {
      rules: { ...defaultCleanups.duplicates, protectedTools },
      plan: { pass: 'duplicates', state: 'fire', partIds, estimatedTokens: 0 } as const,
    },
  ],
});

/** Situations in which the laws hold. */
export const holding: readonly Example[] = [
  ['prune-keeps-guarded-turns', 'one turn is guarded', pruned(['t4'], ['t4'], guarding(1))],
  ['prune-off-means-never', 'nothing is cleared', pruned([], [], { isEnabled: false })],
  ['prune-off-means-never', 'prune is on', pruned(['t1'])],
  ['prune-keeps-guarded-turns', 'the output is older', pruned(['t1'])],
  ['prune-keeps-guarded-turns', 'no turn is guarded', pruned(['t4'], ['t4'], noGuard)],
  ['prune-keeps-protected-tools', 'the tool is not protected', pruned(['t1'])],
  ['prune-off-means-never', 'a clean-up clears it', pruned(['t1'], ['t1'], cleaning([], 't1'))],
  [
    'prune-keeps-guarded-turns',
    'a clean-up clears it',
    pruned(['t5'], ['t5'], { ...cleaning([], 't5'), ...guarding(3) }),
  ],
  [
    'prune-keeps-protected-tools',
    'a clean-up protects none',
    pruned(['t2'], ['t2'], cleaning([], 't2')),
  ],
  ['prune-keeps-newest-outputs', 'the output is older', pruned(['t1'], ['t1'], keeping(2))],
  ['prune-keeps-newest-outputs', 'no pass keeps outputs', pruned(['t5'], ['t5'], noGuard)],
  ['prune-saves-enough', 'it saves one token more', pruned(['t1'], ['t1'], minimum(9))],
  [
    'prune-saves-enough',
    'what it saves is overwritten',
    pruned(['t1'], ['t1'], { ...minimum(9), after: overwritten('t1') }),
  ],
  ['prune-saves-enough', 'it saves nothing', pruned([], [], minimum(9))],
  ['prune-clears-what-it-planned', 'it fires', pruned(['t1'])],
  [
    'prune-clears-what-it-planned',
    'it does not fire',
    pruned(['t1'], [], { state: 'below-minimum' }),
  ],
];

/** Situations in which one of them does not. */
export const breaking: readonly Counterexample[] = [
  [
    'prune-keeps-guarded-turns',
    'the newest is cleared',
    pruned(['t5'], ['t5'], guarding(1)),
    ['s3'],
  ],
  ['prune-saves-enough', 'it saves one token', pruned(['t5'], ['t5'], minimum(9)), ['s3']],
  [
    'prune-off-means-never',
    'an output is cleared',
    pruned(['t1'], ['t1'], { isEnabled: false }),
    ['s1'],
  ],
  ['prune-keeps-guarded-turns', 'a new output is cleared', pruned(['t4', 't1']), ['s2']],
  [
    'prune-keeps-guarded-turns',
    'there are fewer turns than are guarded',
    pruned(['t1'], ['t1'], guarding(4)),
    ['s1'],
  ],
  ['prune-keeps-newest-outputs', 'it is among them', pruned(['t4'], ['t4'], keeping(2)), ['s2']],
  [
    'prune-keeps-newest-outputs',
    'the output is of another tool',
    pruned(['t2', 't1'], ['t2', 't1'], keeping(2)),
    ['s1'],
  ],
  ['prune-keeps-protected-tools', 'a skill is cleared', pruned(['t1', 't2']), ['s1']],
  [
    'prune-keeps-protected-tools',
    'a clean-up clears one that it protects',
    pruned(['t1', 't2'], ['t1', 't2'], cleaning(['skill'], 't1', 't2')),
    ['s1'],
  ],
  [
    'prune-off-means-never',
    'a clean-up clears another',
    pruned(['t1', 't4'], ['t1', 't4'], cleaning([], 't1')),
    ['s2'],
  ],
  ['prune-saves-enough', 'it saves the minimum', pruned(['t1'], ['t1'], minimum(10)), ['s1']],
  ['prune-clears-what-it-planned', 'it clears less', pruned(['t1', 't4'], ['t1'], noGuard), ['s1']],
  ['prune-clears-what-it-planned', 'it clears another', pruned(['t4'], ['t1'], noGuard), ['s1']],
  [
    'prune-clears-what-it-planned',
    'it does not fire',
    pruned(['t1'], ['t1'], { state: 'nothing' }),
    ['s1'],
  ],
];
