import { describe, expect, it } from 'vitest';
import { USER_RULE } from '../../../../src/simulator/replay/references/named-items.ts';

const RULES = [
  'Never touch main!',
  'Please do not commit yet.',
  'Under no circumstances change the schema.',
  'No new dependencies in this project, please.',
  'Only edit files below packages/core in this task.',
  'Keep the public interface unchanged.',
  'Leave the config files alone, please.',
  'Please avoid any network access in the tests.',
  'Make sure that every function has a comment.',
  'You are not allowed to edit generated files.',
  'The schema is off limits for you.',
  'Use pnpm, not npm, for installing packages.',
  'I do not want any new dependencies.',
  'We always use tabs here.',
  'Never bypass the cache.',
  'Never embed secrets.',
  'Always process the rows in order.',
  'All modules must have named exports.',
  'The result must always be a list.',
  'You must have the tests green.',
  'It must be fast.',
  'Reviewers must not merge.',
  'Do not push, all right?',
  'Why was it red? Never push it so.',
  'That is it. Avoid the lock.',
  '- never push',
  'Bitte niemals direkt auf main pushen.',
  'Никогда не пушь в main без спроса.',
  '必ずテストを実行してください。',
  '不要修改配置。',
];

const OTHERS = [
  'The tests never passed on Windows.',
  'I never said that.',
  'She has never seen it.',
  'The build never finishes.',
  'It always fails.',
  'I always get an error.',
  'Never mind.',
  'It must be a bug in the parser.',
  'They must have changed it.',
  'That must have been the cause.',
  'You must be joking.',
  'Why must I do this?',
  'Is it required?',
  "Don't we need the lock?",
  'The tests do not pass.',
  'We do not have that.',
  'This will require a migration.',
  'No new errors were found.',
  'No, that is wrong.',
  'Only two of them are red.',
  'Mend the lid.',
];

describe('USER_RULE', () => {
  it.each(RULES)('takes for a rule: %s', (sentence) => {
    expect(USER_RULE.test(sentence)).toBe(true);
  });

  it.each(OTHERS)('takes for none: %s', (sentence) => {
    expect(USER_RULE.test(sentence)).toBe(false);
  });
});
