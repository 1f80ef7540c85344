import { act, answer, bash, grep, read, say, think, turn } from '../../script.ts';

const CORE = 'node_modules/zod/src/v4/core';

/** Hostile input. */
export const attacking = turn(
  'The endpoint will be public from next month. What can a hostile body do to this union: __proto__ keys, inherited kinds, arrays that carry a kind, cycles? JSON.parse cannot make cycles, but the queue consumer passes objects directly.',
  [
    act(grep('__proto__', CORE)),
    think(
      'Many guards. The ones that matter here: object parsing (2147, 2250), records, and how values are assigned (util.assignProp). Cycles are memoizer.ts. Read util.ts as far as it goes and the memoizer.',
      read(`${CORE}/util.ts`),
    ),
    act(read(`${CORE}/memoizer.ts`), read(`${CORE}/visit.ts`)),
    act(
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const union = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a'), extra: z.record(z.string(), z.number()).optional() }),
  z.object({ kind: z.literal('toString') }),
]);
const show = (name, value) => {
  const result = union.safeParse(value);
  const text = result.success ? 'accepted, own keys ' + Object.keys(result.data) : result.error.issues[0].code;
  console.log(name.padEnd(22), text);
};
show('inherited kind', Object.create({ kind: 'a' }));
show('kind behind __proto__', JSON.parse('{"__proto__":{"kind":"a"}}'));
show('own __proto__', JSON.parse('{"kind":"a","__proto__":{"x":1}}'));
show('no kind', {});
show('record with __proto__', JSON.parse('{"kind":"a","extra":{"__proto__":1,"b":2}}'));
show('array with a kind', Object.assign([], { kind: 'a' }));
show('map', new Map([['kind', 'a']]));
const loop = { kind: 'a' };
loop.self = loop;
show('cycle, undeclared key', loop);
const tree = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('leaf') }),
  z.object({ kind: z.literal('node'), get child() { return tree; } }),
]);
const knot = { kind: 'node' };
knot.child = knot;
const result = tree.safeParse(knot);
console.log('cycle, declared key'.padEnd(22), result.success, result.data.child === result.data);
JS`),
    ),
    answer(
      'Inherited kind is accepted: input[discriminator] is a plain property read. That is the one finding.',
      `One real finding, the rest holds:

- **An inherited kind is accepted.** The lookup is a plain property read (schemas.ts:2773), so \`Object.create({ kind: 'a' })\` counts as \`a\`. JSON.parse cannot make such an object; the queue consumer could. The result is a fresh object with own keys, so it goes no further.
- **\`__proto__\`** as an own key, as JSON.parse makes it, is dropped: the object parser skips it (2250) and does not copy it when undeclared (2147); the record parser skips it too. The kind is not read through it, since JSON.parse makes it an own property.
- **Arrays** are refused before the lookup, also with a \`kind\` on them; a Map has no such property and finds no option.
- **Cycles:** under a key that the option does not declare they are stripped with the key. Under a declared key the memoizer closes the loop in the result (memoizer.ts), and \`result.child === result\`. Our schemas do not recurse, so this does not concern them.

I did not measure depth: a recursive schema can be driven into the ground by nesting. Ours nests two levels, fixed.`,
    ),
  ],
  { idleMinutes: 16 },
);

/** Order of checks. */
export const ordering = turn(
  'And checks: amountCents is z.int().positive(). If a sender passes "12" or 12.5 or -3, which checks run, and in which order do the reasons come? The support people read these reasons aloud to customers.',
  [
    act(read(`${CORE}/checks.ts`)),
    act(grep('util\\.aborted\\(|explicitlyAborted\\(|\\.continue', CORE)),
    say('How a check decides to run is in the base type.', read(`${CORE}/schemas.ts`, 200, 120)),
    act(read(`${CORE}/api.ts`, 1, 900)),
    act(
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const amount = z.int().positive();
for (const value of ['12', 12.5, -3, -3.5, NaN, Infinity, 2 ** 53]) {
  const result = amount.safeParse(value);
  const issues = result.success ? [] : result.error.issues.map((issue) => issue.code + ' / ' + issue.message);
  console.log(String(value).padEnd(18), issues.join(' | ') || 'accepted');
}
const both = z.object({ orderId: z.string().min(1), amountCents: amount });
console.log(both.safeParse({ amountCents: -3.5, orderId: '' }).error.issues.map((issue) => issue.path.join()));
JS`),
    ),
    answer(
      'Each of the seven values got exactly one reason. -3.5 is the telling one: no integer and negative, yet only the first is reported.',
      `Each value in the run got exactly one reason, in this order (schemas.ts:240–271, the loop over checks in the base type):

1. **The type.** \`"12"\`, \`NaN\` and \`Infinity\` end there: "expected number". An aborted payload runs no further check unless the check has a \`when\` (243–249).
2. **The integer format** that \`z.int()\` brings: 12.5 and -3.5 give "expected int", 2^53 gives \`too_big\`. The issue does not say \`continue\`, so it counts as aborted and \`positive()\` stays silent: -3.5 is *not* called negative.
3. **\`positive()\`** only for a real integer: -3 gives "expected number to be >0".

Across fields the reasons come in the order of the *schema*, not of the body: \`orderId\` before \`amountCents\`, whatever the sender wrote first. So the support people never hear two reasons for one field, and after the fix of one a second may appear.`,
    ),
  ],
);

/** The end. */
export const closing = turn(
  'Good. Last thing: a summary for the pull request. What changed in src/, which tests came, what you found and did not change. Check the diff state by running everything once more.',
  [
    act(bash('tsc --noEmit && vitest run --reporter=verbose'), read('src/events.ts')),
    say(
      `**Change:** src/events.ts only. \`heartbeat.kind\` has no default any more; refunds are two options, \`refund.issued\` (at least 1 cent) and \`refund.reversed\` (at least 0).

**Tests:** test/kinds.test.ts (routing by kind, unknown kind names the known ones, missing kind is rejected) and test/honest.test.ts (five properties, seed 42). All pass, types are clean.

**Docs:** docs/discriminated-unions.md, with file and line for zod 4.6.7.

**Found, not changed:** the lookup accepts an inherited \`kind\` (schemas.ts:2773), which only the queue consumer could produce; the rejected kind is not in the reason text; a second default on \`kind\` would silently send a compiled schema back to the ordinary parser.`,
    ),
  ],
);
