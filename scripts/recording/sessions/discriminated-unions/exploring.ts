import {
  act,
  answer,
  bash,
  failing,
  grep,
  list,
  read,
  say,
  think,
  todos,
  turn,
} from '../../script.ts';

const CORE = 'node_modules/zod/src/v4/core';
const TESTS = 'node_modules/zod/src/v4/classic/tests';

/** How an option is chosen. */
export const choosing = turn(
  `We parse our webhook events with z.discriminatedUnion (src/events.ts). Before we build more on it I want to know how zod really decides which option runs for an input. Explore the zod sources in node_modules/zod/src and tell me what you find; we will write it up in docs/ later.

Two rules for this session: do not touch src/ unless I say so, and every claim needs file and line. I do not want "usually" or "should".`,
  [
    think(
      'The user wants a source-backed explanation, not documentation knowledge. First the shape of the project, then the place in zod where the union dispatches. I must not edit src/.',
      todos({
        'Read how the project uses the union': 'in_progress',
        'Find where zod picks the option': 'pending',
        'Find where the lookup table comes from': 'pending',
        'Confirm with a run': 'pending',
      }),
      list('.'),
    ),
    act(read('src/events.ts'), read('src/intake.ts'), read('test/intake.test.ts')),
    say(
      'Four options, one of them with a defaulted `kind`, which will be interesting. Now where zod implements this.',
      grep('iscriminatedUnion', CORE),
    ),
    act(read(`${CORE}/schemas.ts`, 2420, 400)),
    think(
      'The dispatch is `disc.value.get(value)`: a Map from discriminator value to option, built once by discriminatorMap and cached. So no option is tried in turn. The values come from option._zod.propValues[discriminator]; I need to see who defines propValues for objects.',
      grep('propValues', CORE),
    ),
    act(read(`${CORE}/schemas.ts`, 2070, 240)),
    say(
      'The table is built from `propValues`, and an object fills it from the `values` of each field. A run to confirm that order does not matter and that nothing else is tried:',
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const tried = [];
const spy = (name, schema) => schema.superRefine(() => void tried.push(name));
const a = z.object({ kind: z.literal('a'), n: z.number() });
const b = z.object({ kind: z.literal('b'), n: z.string() });
for (const options of [[a, b], [b, a]]) {
  const union = z.discriminatedUnion('kind', options.map((o) => spy(o.shape.kind.value, o)));
  tried.length = 0;
  union.safeParse({ kind: 'b', n: 'x' });
  console.log('ran:', tried.join(','));
}
const bad = z.discriminatedUnion('kind', [a, b]).safeParse({ kind: 'b', n: 1 });
console.log(JSON.stringify(bad.error.issues));
for (const option of [a, b]) console.log(option._zod.propValues);
JS`),
      todos({
        'Read how the project uses the union': 'completed',
        'Find where zod picks the option': 'completed',
        'Find where the lookup table comes from': 'completed',
        'Confirm with a run': 'completed',
      }),
    ),
    answer(
      'I can answer now. Keep to file and line.',
      `How the option is chosen (zod 4.6.7, all in node_modules/zod/src/v4/core/schemas.ts):

1. **A map lookup, never a trial.** The parser reads \`input[discriminator]\` and asks a Map for the option (2773–2774); the option found runs alone (2777). Order of options plays no part; the run above ran only \`b\` in both orders, and its error is the plain \`invalid_type\` of \`n\`, not a union error.
2. **The map is built on first parse**, by \`discriminatorMap\` (2695–2712) through \`util.cached\` (2758). Every option must offer at least one value for the key, else it throws "Invalid discriminated union option" (2699–2700); the same non-undefined value twice throws "Duplicate discriminator value" (2703).
3. **The values come from \`propValues\`.** An object builds its own from the \`values\` set of each field (2201–2215), so a literal gives one value and an enum several: \`refund\` claims both of its kinds.
4. **\`undefined\` is a value like any other**, but two options that both claim it cancel out: the entry becomes \`null\` (2704–2705) and then matches nothing.
5. **No match:** one issue \`invalid_union\` with \`note: "No matching discriminator"\` and the known values (2788–2797), unless \`unionFallback\` is set or the direction is backward, where it falls back to trying all (2783–2785).

One consequence for this project: \`heartbeat.kind\` has a default, so its field also claims \`undefined\` (2211–2212). I would like to look at wrappers next.`,
    ),
  ],
);

/** What wrappers around the discriminator do. */
export const wrapping = turn(
  'Good. Yes, wrappers: which of optional, nullable, default, prefault, catch, readonly, brand, pipe and lazy can stand around the literal or around the whole option, and what does each one claim? I want a table with the line for each.',
  [
    think(
      'Field wrappers pass on `values`; option wrappers pass on `propValues`. Both are lazy internals, so grep for those two definitions.',
      grep('defineLazyInternal\\(inst, "(values|propValues|optin)"', `${CORE}/schemas.ts`),
    ),
    act(read(`${CORE}/schemas.ts`, 3910, 320)),
    act(
      read(`${CORE}/schemas.ts`, 4355, 30),
      read(`${CORE}/schemas.ts`, 4440, 60),
      read(`${CORE}/schemas.ts`, 5050, 45),
    ),
    say(
      'The tests next to the sources say which of these the authors mean to support.',
      read(`${TESTS}/discriminated-unions.test.ts`),
    ),
    act(
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const tag = z.literal('a');
const fields = {
  literal: tag,
  optional: tag.optional(),
  nullable: tag.nullable(),
  default: tag.default('a'),
  prefault: tag.prefault('a'),
  catch: tag.catch('a'),
  readonly: tag.readonly(),
  brand: tag.brand(),
  'pipe to string': tag.pipe(z.string()),
  transform: tag.transform((text) => text.length),
  lazy: z.lazy(() => tag),
  refine: tag.refine(() => true),
};
for (const [name, field] of Object.entries(fields)) {
  const claimed = z.object({ kind: field })._zod.propValues.kind;
  console.log(name.padEnd(16), claimed ? [...claimed].map(String).join(', ') : '(nothing)');
}
const object = z.object({ kind: tag });
const options = { readonly: object.readonly(), pipe: object.pipe(z.any()), lazy: z.lazy(() => object), optional: object.optional(), nullable: object.nullable(), default: object.default({ kind: 'a' }), brand: object.brand() };
console.log('--- around the option');
for (const [name, option] of Object.entries(options)) {
  const claimed = option._zod.propValues?.kind;
  console.log(name.padEnd(16), claimed ? [...claimed].map(String).join(', ') : '(nothing)');
}
JS`),
    ),
    answer(
      'The run gives the table. lazy around the literal claims nothing: $ZodLazy defines no `values`. optional around the option claims nothing: $ZodOptional has no propValues.',
      `Around the **literal** (what \`propValues.kind\` holds, schemas.ts):

| wrapper | claims | line |
|---|---|---|
| none, \`refine\`, \`brand\`, \`readonly\` | \`a\` | 4639 for readonly |
| \`optional\` | \`a\`, \`undefined\` | 3941 |
| \`nullable\` | \`a\`, \`null\` | 4041 |
| \`default\`, \`prefault\`, \`catch\` | \`a\`, \`undefined\` | 4088, 4154, 4371, with 2212 |
| \`pipe\`, \`transform\` | \`a\` (the input side) | 4458 |
| \`lazy\` | nothing | \`$ZodLazy\` defines no \`values\` (5073–5084) |

Around the **option**: \`readonly\` (4638), \`pipe\` (4461) and \`lazy\` (5081) pass \`propValues\` on, \`brand\` is no wrapper at all; \`optional\`, \`nullable\` and \`default\` do not, so such an option makes the union throw on first use.

The test file has one test for each supported case; "an omittable discriminator claims undefined" is the one that matters for our heartbeat.`,
    ),
  ],
);

/** What a failed parse says. */
export const failures = turn(
  'What does a caller get when nothing matches, and how does it differ from a match with bad fields? Our readEvent() prints path and message; is that enough? Look at the error classes and at how messages are made, in English.',
  [
    act(read(`${CORE}/errors.ts`)),
    say(
      'The issue types are clear. Messages are made per locale:',
      failing(read(`${CORE}/locales/en.ts`)),
    ),
    act(read('node_modules/zod/src/v4/locales/en.ts')),
    think(
      'Locales live one folder up. The en locale switches on issue.code; for invalid_union it looks at `options`/`discriminator`? Read what it prints, then see where messages get filled in: util.finalizeIssue. And parse.ts for when the error object is built.',
      grep('finalizeIssue', CORE),
      read(`${CORE}/parse.ts`),
    ),
    act(
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const union = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a'), n: z.number() }),
  z.object({ kind: z.enum(['b', 'c']), n: z.string() }),
]);
for (const input of [{ kind: 'zzz' }, {}, { kind: 'a', n: 'x' }, null, { kind: ['a'], n: 1 }]) {
  const { issues } = union.safeParse(input).error;
  console.log(JSON.stringify(input), '->', JSON.stringify(issues));
}
console.log(z.prettifyError(union.safeParse({ kind: 'zzz' }).error));
JS`),
    ),
    answer(
      'The run shows three shapes. Note what the message leaves out: the value that came.',
      `Two different shapes, and a caller can tell them apart:

- **No match:** exactly one issue, \`code: "invalid_union"\`, \`note: "No matching discriminator"\`, \`discriminator\`, \`options\` (the known values) and \`path: [discriminator]\` (schemas.ts:2788–2797). \`errors\` is empty, since no option ran.
- **Match with bad fields:** the option's own issues with their own paths; nothing says that a union was involved.
- **Not an object:** \`invalid_type\`, expected object (schemas.ts:2762–2770), before the key is looked at.

The English text lists the known values (locales/en.ts:115–119). \`finalizeIssue\` asks for it after the parse; of the calls in parse.ts none passes anything but the raw issue, the context and the configuration.

For \`readEvent()\`: path and message are enough to find the field, but the received kind is not in the text and the issue carries no \`input\` unless \`reportInput\` is set. If you want to see *which* unknown kind came, the intake must add it itself. That is a change in src/, so I leave it.`,
    ),
  ],
);
