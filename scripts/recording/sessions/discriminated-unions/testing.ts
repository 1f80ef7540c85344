import { drawBars } from '../../picture.ts';
import {
  act,
  answer,
  bash,
  edit,
  grep,
  read,
  say,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { kindTests, propertyTests } from './tests.ts';

/** Tests that fail for a reason. */
export const testingKinds = turn(
  'Back again; the note is merged. Now pin it down with tests: every kind routes to its own option, an unknown kind is rejected with the known ones in the message, and an event WITHOUT kind is rejected. src/ stays as it is for now.',
  [
    think(
      'The third demand contradicts what the note says: heartbeat has a default, so no kind means heartbeat. Read the current file again before I say that, then write the tests as asked and let them speak.',
      read('src/events.ts'),
      read('src/intake.ts'),
      todos({
        'Tests for routing': 'in_progress',
        'Test for unknown kind': 'pending',
        'Test for missing kind': 'pending',
      }),
    ),
    act(write('test/kinds.test.ts', kindTests)),
    act(bash('vitest run', 1)),
    say(
      `Six of seven pass. The one that fails is the missing kind, and it fails because of the code, not the test: \`heartbeat.kind\` has a default (src/events.ts:23), so its option claims \`undefined\`, and \`{ sentAt }\` is a heartbeat. That is surprise 1 of the note.

I left the test red. Dropping the default would make it green, at the price that senders of heartbeats must send \`kind\`. You said not to touch src/, so I ask.`,
    ),
  ],
  { idleMinutes: 27 },
);

/** The fix. */
export const fixing = turn(
  'Drop it. All heartbeat senders send kind since March, I checked. You may change src/events.ts for that, nothing else.',
  [
    act(
      edit(
        'src/events.ts',
        "kind: z.literal('heartbeat').default('heartbeat'),",
        "kind: z.literal('heartbeat'),",
      ),
      bash('vitest run && tsc --noEmit && echo types ok'),
    ),
    think(
      'Green. The note is now wrong about heartbeat: surprise 1 describes the old code. The user said nothing else in src/, docs are fine to fix.',
      read('docs/discriminated-unions.md', 38, 12),
    ),
    act(
      edit(
        'docs/discriminated-unions.md',
        '1. `{ sentAt }` without `kind` is accepted as a heartbeat, since a default claims `undefined`.',
        '1. A default on `kind` claims `undefined`: with one, `{ sentAt }` was accepted as a heartbeat.',
      ),
      todos({
        'Tests for routing': 'completed',
        'Test for unknown kind': 'completed',
        'Test for missing kind': 'completed',
      }),
    ),
    say(
      'Seven of seven pass, types are clean. I changed one line in src/events.ts and the first surprise in the note, which described the default as present.',
    ),
  ],
);

/** Properties. */
export const generating = turn(
  'This is from our dashboard, rejected events by kind, yesterday: created, paid, refund, heartbeat from left to right. Refunds stick out. I would like property tests before I look at the senders: whatever an honest sender makes must be accepted. Use fast-check, it is installed. Fixed seed please.',
  [
    think(
      'The picture: four bars, the third by far the tallest, the fourth second. So refunds are rejected most. A property per kind: a generator of honest events. Look at how fast-check wants records and unions written rather than trusting memory.',
      read('node_modules/fast-check/README.md', 25, 60),
      grep(
        '^(export )?declare function (record|constantFrom|constant|oneof|array|string|integer|nat|date|property|assert|tuple|option|dictionary)\\b',
        'node_modules/fast-check/lib/fast-check.d.ts',
      ),
    ),
    act(
      read('node_modules/fast-check/lib/fast-check.d.ts', 3460, 100),
      read('node_modules/fast-check/lib/fast-check.d.ts', 1340, 100),
    ),
    act(write('test/honest.test.ts', propertyTests), bash('vitest run test/honest.test.ts', 1)),
    answer(
      'The counterexample is a refund of 0 cents: amountCents positive() in the schema. Is a refund of 0 honest? That is the question for the user, and it fits the picture.',
      `The property for refunds fails and shrinks to \`amountCents: 0\`: \`refund\` wants \`positive()\` (src/events.ts:19) while \`orderPaid\` takes \`nonnegative()\` (line 12). The other three kinds hold.

In the chart the third bar, refunds, is the tallest by far, which would fit senders that report a cancelled refund as 0. I cannot see that from here; one look at a rejected body would settle it.

So: is a refund of 0 honest? If yes, the schema is wrong; if no, my generator is.`,
    ),
  ],
  { image: drawBars('rejected-by-kind.png', [6, 4, 27, 11]) },
);

/** The answer to the question. */
export const deciding = turn(
  'I looked: yes, it is exactly that, "refund.reversed" with 0. Reversed may be 0, issued may not. Change the schema accordingly, this time src/events.ts is yours.',
  [
    think(
      'Two kinds in one option with different amounts: split into two objects. The union then has five options; kinds stay unique. Tests for routing use the kinds only, so they hold. The generator must follow.',
      read('src/events.ts', 16, 20),
      read('test/honest.test.ts'),
    ),
    act(
      edit(
        'src/events.ts',
        `export const refund = z.object({
  kind: z.enum(['refund.issued', 'refund.reversed']),
  orderId: z.string().min(1),
  amountCents: z.int().positive(),
});`,
        `export const refundIssued = z.object({
  kind: z.literal('refund.issued'),
  orderId: z.string().min(1),
  amountCents: z.int().positive(),
});

export const refundReversed = z.object({
  kind: z.literal('refund.reversed'),
  orderId: z.string().min(1),
  amountCents: z.int().nonnegative(),
});`,
      ),
      bash('tsc --noEmit', 1),
    ),
    say(
      'As it must: the union still names the old option.',
      edit('src/events.ts', '  refund,\n', '  refundIssued,\n  refundReversed,\n'),
      edit(
        'test/honest.test.ts',
        `  refund: fc.record({
    kind: fc.constantFrom('refund.issued', 'refund.reversed'),
    orderId: id,
    amountCents: fc.nat({ max: 500 }),
  }),`,
        `  refundIssued: fc.record({
    kind: fc.constant('refund.issued'),
    orderId: id,
    amountCents: fc.integer({ min: 1, max: 500 }),
  }),
  refundReversed: fc.record({
    kind: fc.constant('refund.reversed'),
    orderId: id,
    amountCents: fc.nat({ max: 500 }),
  }),`,
      ),
    ),
    act(bash('tsc --noEmit && vitest run')),
    say(
      'All green: fourteen tests, five of them properties at seed 42. `refund.issued` takes at least 1 cent, `refund.reversed` at least 0, and each kind is now its own option.',
    ),
  ],
  { idleMinutes: 9 },
);
