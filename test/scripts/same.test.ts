import { describe, expect, it } from 'vitest';
import { compareOutputs, type Outputs, showDifference } from '../../scripts/same/differences.ts';

describe('the comparison of the outputs of two revisions', () => {
  it('finds nothing where all bytes are equal', () => {
    expect(compareOutputs({ a: 'x\n', b: '' }, { a: 'x\n', b: '' }, [])).toEqual({
      differences: [],
      met: [],
    });
  });

  it.each([
    {
      name: 'a changed line',
      before: 'one\ntwo\nthree',
      after: 'one\n2\n3',
      shown: 'a, line 2\n  - two\n  + 2',
    },
    {
      name: 'a line more',
      before: 'one',
      after: 'one\ntwo',
      shown: 'a, line 2\n  - (nothing)\n  + two',
    },
    {
      name: 'a line break more at the end',
      before: 'one',
      after: 'one\n',
      shown: 'a, line 2\n  - (nothing)\n  + ',
    },
    { name: 'an output more', before: undefined, after: 'one', shown: 'a\n  - (nothing)\n  + one' },
    { name: 'an output less', before: 'one', after: undefined, shown: 'a\n  - one\n  + (nothing)' },
    {
      name: 'a word far into a line',
      before: `${'x'.repeat(500)} old`,
      after: `${'x'.repeat(500)} new`,
      shown: `a, line 1\n  - …${'x'.repeat(99)} old\n  + …${'x'.repeat(99)} new`,
    },
    {
      name: 'bytes that are no text',
      before: '\xff',
      after: '\xfe',
      shown: 'a, line 1\n  - \uFFFD\n  + \uFFFD',
    },
  ])('shows $name', ({ before, after, shown }) => {
    const { differences } = compareOutputs(outputs(before), outputs(after), []);
    expect(differences.map(showDifference)).toEqual([shown]);
  });

  it('takes intended text for the same, and says that it was met', () => {
    const intended = [
      { reason: 'a release', text: /"version": "[^"]*"/g },
      { reason: 'never met', text: /nowhere/g },
    ];
    const before = { a: '{"version": "1"}\nend', b: '"version": "1"' };
    const after = { a: '{"version": "2"}\nend', b: '"version": "1"' };
    expect(compareOutputs(before, after, intended)).toEqual({
      differences: [],
      met: [{ output: 'a', reason: 'a release' }],
    });
  });

  it('finds what differs besides intended text', () => {
    const intended = [{ reason: 'a release', text: /"version": "[^"]*"/g }];
    const { differences, met } = compareOutputs(
      { a: '"version": "1"\nend' },
      { a: '"version": "2"\nEnd' },
      intended,
    );
    expect(differences).toEqual([{ output: 'a', line: 2, before: 'end', after: 'End' }]);
    expect(met).toEqual([]);
  });

  it('takes intended outputs as they are, also where one side lacks them', () => {
    const intended = [{ reason: 'now a file', output: /^\$ run: / }];
    const { differences, met } = compareOutputs(
      { '$ run: stdout': 'x', '$ run --quiet: stdout': 'x' },
      { '$ run: stderr': 'y', '$ run --quiet: stdout': 'y' },
      intended,
    );
    expect(differences.map(({ output }) => output)).toEqual(['$ run --quiet: stdout']);
    expect(met.map(({ output }) => output)).toEqual(['$ run: stdout', '$ run: stderr']);
  });
});

function outputs(text: string | undefined): Outputs {
  return text === undefined ? {} : { a: text };
}
