/** Made-up names of files, functions and variables. */

import type { Draw } from './draw.ts';
import type { Piece } from './plan.ts';

/** Names as one project uses them: a few words, again and again. */
export interface Words {
  readonly draw: Draw;
  noun(): string;
  verb(): string;
  /** `loadInvoice`. */
  symbol(): string;
  /** `InvoiceStore`. */
  type(): string;
  /** `load_invoice`. */
  snake(): string;
  number(): string;
  /** A file of the project. */
  path(): string;
}

/** A source of pieces of text; each ends with its separator. */
export interface TextSource {
  /** The next piece, the same until it is taken. */
  peek(): string;
  take(): void;
  /** A sentence that the text has to hold, as it stands in it before the next piece. */
  hold(sentence: string): string;
}

const NOUNS =
  'account alert archive asset basket batch branch bucket budget cache campaign catalog channel chart client cluster comment contract coupon courier customer dashboard deposit device digest discount document draft engine event export feature feed filter folder form gateway group header history image import index inventory invoice job journal key label lease ledger license list listing locale lock log mailbox manifest map margin market member memo merchant message meter metric migration model monitor notice offer order outbox page panel parcel partner patch payment payout permit pipeline plan player plugin policy pool portal price profile project promise proxy query queue quota quote rate reader receipt record refund region registry release reminder rental replica report request reservation review role roster route rule sample schedule schema scope search sensor session shard shipment signal site slot snapshot source stage statement station stock storage store stream subscription survey tag task tax team template tenant thread ticket timer token topic tour track trail transfer trial upload usage vendor version voucher wallet warehouse webhook widget worker zone'.split(
    ' ',
  );
const VERBS =
  'add apply archive assign attach bind build cancel check claim clean close collect compare confirm convert copy count create decode delete deliver drain drop encode expire export fetch fill find flush format freeze group import insert join list load lock mark match merge move notify open pack parse pick plan publish pull push rank read rebuild record reduce refresh reject release render replace report reset resolve restore retry rotate route save scan schedule score seal select send settle sort split start stop store submit sync trim unlock update upload validate verify watch write'.split(
    ' ',
  );
const TYPE_ENDINGS = [
  'Store',
  'Service',
  'Options',
  'Result',
  'Client',
  'Handler',
  'Error',
  'State',
  'View',
  'Reader',
  'Builder',
  'Event',
];
const NOUNS_PER_PROJECT = 24;
const VERBS_PER_PROJECT = 18;
const MAX_NUMBER = 500;

/** Numbers of lines, paths before them, marks of comments. */
const HELD_MARGIN = 120;

/** The names of a project. */
export function createWords(draw: Draw, path: () => string): Words {
  const nouns = draw.shuffled(NOUNS).slice(0, NOUNS_PER_PROJECT);
  const verbs = draw.shuffled(VERBS).slice(0, VERBS_PER_PROJECT);
  const noun = () => draw.word(nouns);
  const verb = () => draw.word(verbs);
  return {
    draw,
    noun,
    verb,
    path,
    symbol: () => `${verb()}${capital(noun())}`,
    type: () => `${capital(noun())}${draw.word(TYPE_ENDINGS)}`,
    snake: () => `${verb()}_${noun()}`,
    number: () => String(draw.whole(0, MAX_NUMBER)),
  };
}

/** A word with a capital. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Pieces from a function. */
export function createSource(next: () => string, hold: TextSource['hold']): TextSource {
  let waiting: string | undefined;
  return {
    peek: () => (waiting ??= next()),
    take: () => {
      waiting = undefined;
    },
    hold,
  };
}

/** A text of exactly the characters of its piece that holds its sentences whole, if they fit at all. */
export function compose(piece: Piece, source: TextSource): string {
  const { characters, holds } = piece;
  const waiting = holds.toSorted((a, b) => a.from - b.from);
  let reserved = waiting.reduce((sum, hold) => sum + heldCharacters(hold.text), 0);
  let text = '';
  while (text.length < characters) {
    const [first] = waiting;
    const end = text.length + source.peek().length + reserved;
    if (first === undefined || (text.length < first.from * characters && end <= characters)) {
      text += source.peek();
      source.take();
    } else {
      waiting.shift();
      reserved -= heldCharacters(first.text);
      text += source.hold(first.text);
    }
  }
  return text.slice(0, characters);
}

/** The room that a sentence takes in a text at most, with what stands around it. */
export function heldCharacters(sentence: string): number {
  return sentence.length + HELD_MARGIN;
}

/** A text with as many additions as bring it nearest to a length. */
export function lengthen(text: string, characters: number, add: (text: string) => string): string {
  const longer = add(text);
  if (longer.length <= text.length || longer.length + text.length > 2 * characters) return text;
  return lengthen(longer, characters, add);
}
