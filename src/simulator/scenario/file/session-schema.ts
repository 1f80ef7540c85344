import * as z from 'zod';
import { AMOUNT_FORM, NO_SCALED } from './amounts.ts';
import {
  Bytes,
  Characters,
  Count,
  Duration,
  mapOf,
  nameOf,
  On,
  oneOf,
  Positive,
  Text,
  matching,
  Times,
  Tokens,
  Whole,
  wholeNumber,
  told,
} from './leaves.ts';
import { Model } from './model.ts';

/** A tool call on one line: `read 5000`, `3x bash 2k`, `edit 40 error`. */
export const TOOL_LINE = new RegExp(
  String.raw`^(?:(?<times>[1-9]\d{0,2})x )?(?<tool>[\w.:/-]+) (?<output>${AMOUNT_FORM})(?: (?<status>error))?$`,
);
export const PENDING_LINE = /^(?<tool>[\w.:/-]+) pending$/;

const Repeats = wholeNumber('a whole number from 1 to 1000000', 1, 1_000_000);
const A_CONTENT = 'a whole number of tokens, a text, or a map with text, times and tokens';
const contentKeys = {
  text: told(Text, 'These words, before any filler.'),
  times: told(Repeats, 'How often the text is repeated.'),
  tokens: told(Tokens, 'Filler after the text.'),
  characters: told(Characters, 'Of the filler; four a token where absent.'),
};
const Words = matching(A_CONTENT, NO_SCALED);
const Content = oneOf(A_CONTENT, [Tokens, Words, mapOf(A_CONTENT, contentKeys)]);
const A_PIECE = 'a map with text, times, tokens, characters and synthetic';
const pieceKeys = {
  ...contentKeys,
  synthetic: told(On, 'Written by a program, not by whoever says it.'),
};
const saidKeys = {
  ...pieceKeys,
  more: told(
    z.array(mapOf(A_PIECE, pieceKeys), 'a list of further texts'),
    'Further texts of the same message, each a part of its own.',
  ),
};
const Said = oneOf(A_CONTENT, [Tokens, Words, mapOf(A_CONTENT, saidKeys)]);

export const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

const Images = z.array(
  mapOf('a map with bytes and mime', {
    bytes: Bytes,
    mime: matching('a media type, such as image/png', MEDIA_TYPE).optional(),
    times: Times.optional(),
  }),
  'a list of images',
);

const A_TOOL =
  'a call such as "read 5000", "3x bash 2k", "edit 40 error" or "bash pending", or a map';
const Tool = oneOf(A_TOOL, [
  matching(A_TOOL, TOOL_LINE),
  matching(A_TOOL, PENDING_LINE),
  mapOf(A_TOOL, {
    tool: Text,
    output: told(Content, 'What the tool returned, or its error.'),
    input: told(z.unknown(), 'What it was given; a number is filler of that size.'),
    inputCharacters: told(Characters, 'Of that filler; four a token where absent.'),
    status: nameOf('a status', ['completed', 'error', 'pending']).optional(),
    images: Images.optional(),
    times: told(Times, 'How many such calls in the same step.'),
  }),
]);

const A_USER = `${A_CONTENT} and images`;
const User = oneOf(A_USER, [
  Tokens,
  Words,
  mapOf(A_USER, { ...saidKeys, images: Images.optional() }),
]);

/** Ends of a step; `none` never ended. */
export const FINISHES = [
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'error',
  'unknown',
  'none',
] as const;

const A_STEP = 'a whole number of tokens, a text, or a map with text, reasoning and tools';
const Step = oneOf(A_STEP, [
  Tokens,
  Words,
  mapOf(A_STEP, {
    text: Said.optional(),
    reasoning: Said.optional(),
    signedBy: told(Text, 'Namespace of the provider that signed the reasoning.'),
    tools: z.array(Tool, 'a list of tool calls').optional(),
    finish: told(
      nameOf('a finish', FINISHES),
      'Absent: `tool-calls`, and `stop` for the last step of a turn. `none` never ended.',
    ),
    error: told(Text, 'Name of the error that it ended with, if it did.'),
    outputTokens: told(Tokens, 'What its provider told that it wrote; counted where absent.'),
    reasoningTokens: told(Tokens, 'What of that was thought; 0 where absent.'),
  }),
]);

const A_RANGE = 'a number, or a list of minimum and maximum';
const TokenRange = rangeOf(Tokens);
const CallRange = rangeOf(wholeNumber('a whole number from 0 to 1000', 0, 1_000));

const Generate = mapOf('a map with seed and turns', {
  seed: Whole,
  turns: rangeOf(Count),
  stepsPerTurn: rangeOf(Count).optional(),
  toolsPerStep: told(CallRange, 'The last step of a turn has none.'),
  tools: z.array(Text).min(1, 'a list of tools').optional(),
  toolOutput: TokenRange.optional(),
  user: TokenRange.optional(),
  text: TokenRange.optional(),
  reasoning: TokenRange.optional(),
  idle: told(
    oneOf('a duration, or a list of minimum and maximum', [
      Duration,
      z.tuple([Duration, Duration]),
    ]),
    'Time before each turn but the first.',
  ),
});
export type Generate = z.infer<typeof Generate>;

export type ScriptItem =
  | { readonly user: z.infer<typeof User> }
  | { readonly step: z.infer<typeof Step> }
  | { readonly repeat: number; readonly of: readonly ScriptItem[] }
  | { readonly generate: Generate }
  | { readonly idle: string }
  | { readonly switchModel: string }
  | { readonly compact: true };

const AN_ITEM =
  'one of user, step, repeat with of, generate, idle, switchModel and compact, with their values';

const ScriptItem: z.ZodType<ScriptItem> = z.lazy(() =>
  oneOf(AN_ITEM, [
    mapOf(AN_ITEM, { user: User }),
    mapOf(AN_ITEM, { step: Step }),
    mapOf(AN_ITEM, { repeat: Repeats, of: Script }),
    mapOf(AN_ITEM, { generate: Generate }),
    mapOf(AN_ITEM, { idle: Duration }),
    mapOf(AN_ITEM, { switchModel: Model.options[0] }),
    mapOf(AN_ITEM, { compact: z.literal(true, 'true') }),
  ]),
);
const Script = z.array(ScriptItem, 'a list of items').min(1, 'a list of at least one item');
const A_TIME = 'a time, such as 2026-08-14T11:19:00Z';
const A_SESSION = 'a map with one of script, generate and file';
const A_CALIBRATION = 'a map with factor and perMessage';
const Calibration = mapOf(A_CALIBRATION, {
  factor: Positive.describe('Tokens of the model to each that is counted.'),
  perMessage: Tokens.describe('Fixed cost of each message, in tokens of the model.'),
});
const common = {
  overhead: told(Tokens, 'System prompt and tool definitions; 0 where absent.'),
  calibration: told(
    Calibration,
    'What counted tokens come to; they are taken as they are where absent.',
  ),
  startsAt: told(
    matching(A_TIME, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/).refine(
      (time) => !Number.isNaN(Date.parse(time)),
      A_TIME,
    ),
    'Time of the first message.',
  ),
};
const kinds = [
  mapOf(A_SESSION, { ...common, script: Script }),
  mapOf(A_SESSION, { ...common, generate: Generate }),
  mapOf(A_SESSION, {
    overhead: told(Tokens, 'In place of what the recording says.'),
    file: Text.describe('A recorded session; the path is relative to the scenario.'),
  }),
] as const;

export const SessionSource = oneOf(A_SESSION, kinds);
export type SessionSource = z.infer<typeof SessionSource>;

/** The `session` of a further run; an incomplete one is merged over the scenario's own. */
export const SessionChange = oneOf(A_SESSION, [...kinds, mapOf(A_SESSION, common)]);

export type SessionChange = z.infer<typeof SessionChange>;

/** The `calibration` of a session. */
export type Calibration = z.infer<typeof Calibration>;
export type User = z.infer<typeof User>;
/** A step of a script. */
export type Step = z.infer<typeof Step>;
export type Tool = z.infer<typeof Tool>;
export type Said = z.infer<typeof Said>;
export type Content = z.infer<typeof Content>;
export type Images = z.infer<typeof Images>;

function rangeOf<Item extends z.ZodType>(item: Item) {
  return oneOf(A_RANGE, [item, z.tuple([item, item])]);
}
