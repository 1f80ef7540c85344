import * as z from 'zod';
import { policies, type PolicyName } from '../../../engine/index.ts';
import { type Setting, type SettingName, settings, type SettingValue } from '../settings.ts';
import { ExpectationEntry } from './expect.ts';
import { FaultEntry } from './faults.ts';
import {
  expectName,
  mapOf,
  nameOf,
  oneOf,
  Positive,
  Share,
  someOf,
  Switch,
  Text,
  matching,
  Tokens,
  Whole,
  told,
} from './leaves.ts';
import { Model, ModelChange } from './model.ts';
import { SessionChange, SessionSource } from './session-schema.ts';

const POLICY_NAMES = Object.keys(policies) as readonly PolicyName[];

const VALUES: Readonly<Record<Setting['unit'], z.ZodType<SettingValue>>> = {
  tokens: Tokens,
  turns: Whole,
  messages: Whole,
  events: Whole,
  steps: Whole,
  outputs: Whole,
  times: Whole,
  seconds: Whole,
  characters: Positive,
  share: Share,
  switch: Switch,
  name: Text,
};

const Preset = nameOf('a policy', POLICY_NAMES);
const Settings = mapOf(
  'a map of settings',
  Object.fromEntries(
    Object.entries<Setting>(settings)
      // Keys of `model` are no settings of a policy.
      .filter(([name]) => !Object.hasOwn(Model.options[1].shape, name))
      .map(([name, { unit, describes }]) => [name, told(VALUES[unit], describes)]),
  ) as Record<SettingName, z.ZodOptional<z.ZodType<SettingValue>>>,
);

const A_POLICY = 'a policy, or a map with preset and set';
const Policy = oneOf(expectPolicy, [
  Preset,
  mapOf(A_POLICY, { preset: Preset, set: Settings.optional() }),
]);
const PolicyChange = oneOf(expectPolicy, [
  Preset,
  mapOf(A_POLICY, { preset: Preset.optional(), set: Settings.optional() }),
]);

const SUMMARIZER = 'What answers summary requests; `extractive` where absent.';
const Faults = z.array(FaultEntry, 'a list of faults').optional();
const RunName = matching('a name of up to 60 characters on one line', /^\S(?:.{0,58}\S)?$/);

const FurtherRun = mapOf('a map with a name and what differs', {
  name: RunName,
  session: SessionChange.optional(),
  model: ModelChange.optional(),
  summaryModel: ModelChange.optional(),
  policy: PolicyChange.optional(),
  summarizer: told(Text, SUMMARIZER),
  seed: Whole.optional(),
  faults: Faults,
  expect: ExpectationEntry.optional(),
});

export const ScenarioFile = mapOf('a map with why, session, model, policy and expect', {
  why: matching('a sentence of at least 10 characters', /^.{10}/s).describe(
    'What goes wrong and for whom, in one sentence.',
  ),
  source: told(
    someOf('a thread as OWNER/REPO#NUMBER, or a list of sources with one', Text),
    'Where it was reported: OWNER/REPO#NUMBER at least once.',
  ),
  name: told(RunName, "The first run's name; `main` where absent."),
  session: SessionSource,
  model: Model,
  summaryModel: told(Model, 'Who writes summaries, if it is another model.'),
  policy: Policy,
  summarizer: told(Text, SUMMARIZER),
  seed: told(Whole, '1 where absent.'),
  faults: Faults,
  expect: ExpectationEntry,
  also: told(
    z.array(FurtherRun, 'a list of further runs'),
    'Further runs; what a map does not name is as in the first.',
  ),
});

export type ScenarioFile = z.infer<typeof ScenarioFile>;
export type FurtherRun = z.infer<typeof FurtherRun>;

export function toJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ScenarioFile, { io: 'input', reused: 'ref' });
}

function expectPolicy(input: unknown) {
  return typeof input === 'string' ? expectName('a policy', POLICY_NAMES, input) : A_POLICY;
}
