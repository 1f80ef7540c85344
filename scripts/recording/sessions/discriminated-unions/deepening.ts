import {
  act,
  answer,
  bash,
  edit,
  failing,
  grep,
  read,
  say,
  skill,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { draftNote } from './notes.ts';

const CORE = 'node_modules/zod/src/v4/core';

/** The compiled path. */
export const compiling = turn(
  'There is a compile.ts in there. Does a compiled schema choose the option in the same way? I want to know before somebody turns it on.',
  [
    act(read(`${CORE}/compile.ts`)),
    act(grep('^(export )?(async )?function ', `${CORE}/compile.ts`)),
    say(
      'The generator for unions is past the part that I have.',
      read(`${CORE}/compile.ts`, 1780, 180),
    ),
    think(
      'Now, how is it reached from outside, and does the answer stay the same? classic/external.ts lists the exports.',
      grep('compile', 'node_modules/zod/src/v4/classic/external.ts'),
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const a = z.object({ kind: z.literal('a'), n: z.number() });
const b = z.object({ kind: z.enum(['b', 'c']), n: z.string() });
const loose = (tag) => z.object({ kind: z.literal(tag).optional() });
const unions = {
  plain: z.discriminatedUnion('kind', [a, b]),
  fallback: z.discriminatedUnion('kind', [a, b], { unionFallback: true }),
  'two may omit': z.discriminatedUnion('kind', [loose('a'), loose('b')]),
  'one default': z.discriminatedUnion('kind', [a, z.object({ kind: z.literal('d').default('d') })]),
};
for (const [name, union] of Object.entries(unions)) {
  try {
    const compiled = z.compile(union, { strict: true });
    console.log(name.padEnd(14), 'compiled');
    for (const input of [{ kind: 'a', n: 1 }, { kind: 'a', n: 'x' }, { kind: 'zzz' }, {}, null]) {
      const [plain, fast] = [union, compiled].map((schema) => JSON.stringify(schema.safeParse(input)));
      console.log('  ', JSON.stringify(input), plain === fast ? 'same answer' : plain + ' against ' + fast);
    }
  } catch (error) {
    console.log(name.padEnd(14), error.name + ':', error.message);
  }
}
JS`),
    ),
    act(read(`${CORE}/compile.ts`, 200, 180)),
    answer(
      'Both what I read and what ran. The silent fallback is the point somebody will miss.',
      `The compiled path decides in the same way but with other means (compile.ts):

- It reads the key once and writes an \`if / else if\` chain with one strict comparison for each claimed value (1881–1909), ending in \`else { return INVALID; }\` (1911). \`INVALID\` hands the input to the ordinary parser, so errors are those of the ordinary parser. In the run all answers were equal.
- It refuses when \`unionFallback\` is set (1870–1872), when an option offers no static values (1888–1890), when two options claim the same value, *also \`undefined\`* (1894–1896), and for a literal that it cannot write down (1929). The run shows the first and the third.
- A refusal is silent unless \`strict: true\` is given: the schema comes back uncompiled.

For us: \`webhookEvent\` compiles today. A second defaulted \`kind\` would send it back to the ordinary parser without a word.`,
    ),
  ],
);

/** JSON Schema. */
export const describing = turn(
  'Last question before the note: we publish a JSON Schema for the events. What becomes of the union there?',
  [
    act(
      grep('nion', `${CORE}/json-schema-processors.ts`),
      read(`${CORE}/json-schema-processors.ts`, 400, 130),
    ),
    act(read(`${CORE}/to-json-schema.ts`, 1, 330)),
    act(
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const union = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a'), n: z.number() }),
  z.object({ kind: z.literal('heartbeat').default('heartbeat') }),
]);
console.log(JSON.stringify(z.toJSONSchema(union), null, 1));
console.log(JSON.stringify(z.toJSONSchema(union, { io: 'input' }), null, 1));
JS`),
    ),
    say(
      `It becomes \`oneOf\`, because the union is marked exclusive (\`def.inclusive = false\`, schemas.ts:2724) and the processor picks \`oneOf\` for exclusive unions (json-schema-processors.ts:481–494). There is no \`discriminator\` keyword; a validator tries every branch.

The default shows only in the required list: for output \`kind\` is required in the heartbeat branch, for input it is not. Publish with \`io: 'input'\` if the schema is for senders.`,
    ),
  ],
);

/** The note. */
export const noting = turn(
  'Write the note now: docs/discriminated-unions.md. There is a skill for notes in this project, use it.',
  [
    act(skill('note-writing')),
    think(
      'Answer first, table with lines, surprises with smallest input, what was not looked at. Version: 4.6.7. Under 60 lines.',
      write('docs/discriminated-unions.md', draftNote),
      bash(
        'wc -l docs/discriminated-unions.md && grep -c "schemas.ts:" docs/discriminated-unions.md',
      ),
    ),
    say(
      'The note stands in docs/discriminated-unions.md: answer, rules with their lines, three surprises, and what I did not check (the compiled path was only read).',
    ),
  ],
);

/** A correction of the note. */
export const correcting = turn(
  'Two things: "No match" should come before the wrappers, people look for that first. And the sentence about heartbeat must say what a sender has to do.',
  [
    act(
      failing(
        edit(
          'docs/discriminated-unions.md',
          'A heartbeat without kind is accepted.',
          'A sender of heartbeats should always send kind.',
        ),
      ),
    ),
    say('I misremembered my own wording; reading it again.', read('docs/discriminated-unions.md')),
    act(
      edit(
        'docs/discriminated-unions.md',
        '1. `{ sentAt }` without `kind` is accepted as a heartbeat, since a default claims `undefined`.',
        '1. `{ sentAt }` without `kind` is accepted as a heartbeat, since a default claims `undefined`. A sender\n   must send `kind` all the same: a second option with a default would make both unreachable without it.',
      ),
      bash(`node --input-type=module <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
const path = 'docs/discriminated-unions.md';
const text = readFileSync(path, 'utf8');
const [start, end] = ['## No match', '## Surprises'].map((heading) => text.indexOf(heading));
const section = text.slice(start, end);
const rest = text.slice(0, start) + text.slice(end);
writeFileSync(path, rest.replace('## Wrappers', () => section + '## Wrappers'));
JS
grep -n '^## ' docs/discriminated-unions.md`),
      todos({
        'Answer first': 'completed',
        'No match before wrappers': 'completed',
        'Say what a sender must do': 'completed',
      }),
    ),
    say('Both done: the order is now Answer, Rules, No match, Wrappers, Surprises, Not looked at.'),
  ],
);
