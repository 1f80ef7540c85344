import type { JudgedAnswer } from './judge.ts';

/** An answer with what a person says of it. */
export interface LabelledAnswer extends JudgedAnswer {
  readonly recalled: boolean;
  readonly accurate: boolean;
}

type Labels = readonly (readonly [answer: string, recalled: boolean, accurate: boolean])[];

/** Questions with what is expected, and answers to each; all made up for this purpose and labelled by hand. */
const QUESTIONS: readonly (readonly [question: string, expected: string, labels: Labels])[] = [
  [
    'Which error code came from the upload job?',
    'E_UPLD_4410',
    [
      ['E_UPLD_4410', true, true],
      ['The job failed with E_UPLD_4410.', true, true],
      ['E_UPLD_4411', true, false],
      ["I don't recall the code.", false, false],
      ['It was an upload error.', false, false],
    ],
  ],
  [
    'Which file holds the retry logic?',
    'src/net/retry-policy.ts',
    [
      ['src/net/retry-policy.ts', true, true],
      ['The retry logic is in retry-policy.ts under src/net.', true, true],
      ['src/http/retry-policy.ts', true, false],
      ['Somewhere in the network code.', false, false],
      ['There were several files about retries.', false, false],
    ],
  ],
  [
    'Which port does the staging server use?',
    '8461',
    [
      ['8461', true, true],
      ['It listens on port 8,461.', true, true],
      ['8641', true, false],
      ['A port above 8000.', false, false],
      ['The conversation does not say.', false, false],
    ],
  ],
  [
    'May the agent push to the release branch?',
    'No, never push to the release branch.',
    [
      ['No.', true, true],
      ['Pushing to release is forbidden.', true, true],
      ['Yes, after the tests pass.', true, false],
      ['Branches were discussed.', false, false],
      ['Unknown.', false, false],
    ],
  ],
  [
    'Which cache library was chosen, and not which was rejected?',
    'lantern-cache; ember-cache was rejected',
    [
      ['lantern-cache', true, true],
      ['They took lantern-cache after rejecting ember-cache.', true, true],
      ['ember-cache', false, false],
      ['lantern-cache and ember-cache were both chosen.', true, false],
      ['A cache library.', false, false],
    ],
  ],
  [
    'What is left to do on the importer?',
    'Write the test for empty rows',
    [
      ['The empty-row test still has to be written.', true, true],
      ['Write the test for empty rows.', true, true],
      ['The test for empty rows is done.', true, false],
      ['Some work on the importer.', false, false],
      ['Nothing is left.', false, false],
    ],
  ],
  [
    'What is the limit for requests a minute by now?',
    '90, it was 60 before',
    [
      ['90', true, true],
      ['It was raised from 60 to 90.', true, true],
      ['60', false, false],
      ['Either 60 or 90.', true, false],
      ['A limit is in place.', false, false],
    ],
  ],
  [
    'Which command starts the checks?',
    'make verify-all',
    [
      ['make verify-all', true, true],
      ['Run `make verify-all`.', true, true],
      ['make verify', true, false],
      ['There is a make target for it.', false, false],
      ['I cannot tell.', false, false],
    ],
  ],
  [
    '上线的服务器用哪个版本?',
    '2.31.4',
    [
      ['2.31.4', true, true],
      ['上线用的是 2.31.4 版。', true, true],
      ['2.31.5', true, false],
      ['对话里没有说。', false, false],
      ['应该是比较新的版本。', false, false],
    ],
  ],
  [
    'ログはどのフォルダに書きますか?',
    '/var/tidal/log',
    [
      ['/var/tidal/log', true, true],
      ['ログは /var/tidal/log に書きます。', true, true],
      ['/var/tidal/logs-old', true, false],
      ['覚えていません。', false, false],
      ['どこかのログ用フォルダです。', false, false],
    ],
  ],
];

/** Answers by which a judge is measured. */
export const labelledAnswers: readonly LabelledAnswer[] = QUESTIONS.flatMap(
  ([question, expected, labels], at) =>
    labels.map(([answer, recalled, accurate], index) => ({
      id: `label ${at + 1}.${index + 1}`,
      question,
      expected,
      answer,
      recalled,
      accurate,
    })),
);
