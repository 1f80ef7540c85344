/** Faults of a recording that only its texts show: rules that no later request has, and requests in a summary that nobody made. */

import { isCompleted, type Message, type Part } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import { splitSentences } from '../lib/lines.ts';
import { remembered } from '../lib/text.ts';
import { findSentences, USER_RULE } from './references/named-items.ts';
import type { ImportReport, RecordedCompaction } from '../session/session.ts';

/** The texts of a recording, with the compactions of its agent. */
export interface RecordedTexts {
  readonly messages: readonly Message[];
  readonly recordedCompactions: readonly RecordedCompaction[];
  readonly isPartial: boolean;
  readonly report?: Pick<ImportReport, 'dropped'>;
}

/** A rule of the person that no request behind a compaction has, at most until it is said again. */
export interface GoneRule {
  /** Stays on this machine. */
  readonly text: string;
  /** The step that followed it, and the newest one before the compaction. */
  readonly step: number;
  readonly goneStep: number;
  /** The step that followed when the person said it again; absent where nobody did. */
  readonly againStep?: number;
}

/** A request that only a summary has. */
export interface InventedRequest {
  /** Stays on this machine. */
  readonly text: string;
  readonly step: number;
}

/** The same without texts. */
export interface TextFaults {
  readonly rules: readonly Omit<GoneRule, 'text'>[];
  readonly invented: readonly Omit<InventedRequest, 'text'>[];
  readonly failed: number;
}

type Summarised = RecordedCompaction & { readonly summary: string };

/** A text with less of the telling words of a rule does not carry it, in whatever words. Read on 30 rules of 62 recorded sessions. */
const CARRIED_SHARE = 0.4;
/** Somebody who says so much of it says it again. */
const SAID_SHARE = 0.6;
const LONGEST_RULE = 30;
/** Words of a request that stand nowhere before it, of at least so many. Read on 1,397 lines of 77 recorded summaries. */
const LEAST_NEW = 4;
const NEW_SHARE = 0.6;

const WORD = /\p{L}[\p{L}\p{N}_-]*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const ENDING = /(?:ations?|ments?|ings?|ers?|ies|ed|es|ly|s)$/;
const STEM_LENGTH = 7;
const USUAL_STEM = ' ';
const USUAL = new Set(
  [
    'about after all also always and any are ask asked avoid before but can code conversation could does done',
    'dont each else every explicitly file files for from further have here into its just keep like make more',
    'must need needs never not now once only other our own please request requested requests required shall',
    'should some stay such summary sure task tasks than that the their them then there these they this those',
    'unless until use used user when where which while will with without work would you your',
  ].flatMap((words) => words.split(' ')),
);

const stemOf = remembered((word) =>
  USUAL.has(word) ? USUAL_STEM : word.replace(ENDING, '').slice(0, STEM_LENGTH),
);

const HEADING =
  /^(?:(?:#{1,6}\s|\*\*)[\s*]*(?:\d{1,2}[.)]\s)?|\d{1,2}[.)]\s)[\s*]*(?<title>\p{L}[^\n:*]{1,60})/u;
const ASKING =
  /pending|next step|to-?do|remaining|outstanding|user (?:request|message)|primary request/i;
const TOLD_ASKED = /\buser (?:(?:has|had|also|then) )*(?:asked|requested|wants|wanted)\b/i;
const HAND_OVER = /^(?:please )?continue|full transcript/i;

/** The faults of a recording as steps; `undefined` where there are none. */
export function textFaultsOf(recording: RecordedTexts): TextFaults | undefined {
  const rules = findGoneRules(recording).map(({ step, goneStep, againStep }) => ({
    step,
    goneStep,
    ...known({ againStep }),
  }));
  const invented = findInvented(recording).map(({ step }) => ({ step }));
  const failed = recording.report?.dropped['failed summary'] ?? 0;
  return rules.length + invented.length + failed === 0 ? undefined : { rules, invented, failed };
}

/** Rules of the person that the recorded summaries do not carry, those that were said again first. */
export function findGoneRules(recording: RecordedTexts): readonly GoneRule[] {
  const { messages } = recording;
  const full = fullOf(recording);
  const found = messages.flatMap((message, index): readonly GoneRule[] => {
    const first = full.findIndex((one) => keptFrom(one) > index);
    const compaction = full[first];
    if (message.role !== 'user' || compaction === undefined) return [];
    const later = full.slice(first);
    if (!later.every(isSummarised)) return [];
    return findSentences([{ text: saidIn(message), at: index }], USER_RULE).flatMap(({ text }) => {
      const own = ruleWords(text);
      if (own.size === 0 || later.some(({ summary }) => shareOf(own, summary) >= CARRIED_SHARE))
        return [];
      const after = messages.slice(keptFrom(compaction));
      const again = after.findIndex((one) => shareOf(own, saidIn(one)) >= SAID_SHARE);
      const isAsked = after[again]?.role === 'user';
      // The agent knows it from somewhere.
      if (after.length === 0 || (again >= 0 && !isAsked)) return [];
      const goneStep = stepsIn(messages.slice(0, compaction.messageIndex));
      const gone = { text, step: stepsIn(messages.slice(0, index)) + 1, goneStep };
      if (again < 0) return [gone];
      return [{ ...gone, againStep: stepsIn(messages.slice(0, keptFrom(compaction) + again)) + 1 }];
    });
  });
  return found.toSorted((a, b) => (b.againStep ?? 0) - (a.againStep ?? 0));
}

/** Requests in recorded summaries whose words nobody said, wrote or read before; none where the beginning is not recorded. */
export function findInvented(recording: RecordedTexts): readonly InventedRequest[] {
  const { messages, isPartial } = recording;
  if (isPartial) return [];
  const said = createKnown(messages, saidOf);
  const done = createKnown(messages, doneOf);
  return fullOf(recording)
    .filter(isSummarised)
    .flatMap(({ summary, messageIndex }) => {
      const requests = requestsIn(summary);
      // What tools gave is much to read, and hardly ever asked for.
      const unsaid = requests.length === 0 ? [] : said.leftOf(requests, messageIndex);
      const unknown = unsaid.length === 0 ? [] : done.leftOf(unsaid, messageIndex);
      said.add(summary);
      const step = stepsIn(messages.slice(0, messageIndex));
      return unknown.map((text) => ({ text, step }));
    });
}

/** The stems of a recording up to a message, which only moves on. */
function createKnown(messages: readonly Message[], textsOf: (part: Part) => readonly string[]) {
  const known = new Set<string>();
  let read = 0;
  return {
    add: (text: string) => addStems(known, text),
    leftOf: (requests: readonly string[], end: number) => {
      for (const { parts } of messages.slice(read, end)) {
        for (const text of parts.flatMap(textsOf)) addStems(known, text);
      }
      read = Math.max(read, end);
      return requests.filter((request) => {
        const own = [...stemsIn(request)];
        const unknown = own.filter((stem) => !known.has(stem)).length;
        return unknown >= LEAST_NEW && unknown >= NEW_SHARE * own.length;
      });
    },
  };
}

function requestsIn(summary: string): readonly string[] {
  let isAsking = false;
  const isMarked = /^#{1,3} /m.test(summary);
  return summary.split('\n').flatMap((line) => {
    const { title } = (!(isMarked && /^\d/.test(line)) && HEADING.exec(line)?.groups) || {};
    if (title !== undefined) isAsking = ASKING.test(title);
    const text = line.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, '').trim();
    if (title !== undefined || text === '' || HAND_OVER.test(text)) return [];
    return isAsking ? [text] : splitSentences(text).filter((one) => TOLD_ASKED.test(one));
  });
}

function fullOf({ recordedCompactions }: RecordedTexts) {
  return recordedCompactions.filter(({ kind }) => kind === 'full');
}

function isSummarised(compaction: RecordedCompaction): compaction is Summarised {
  return Boolean(compaction.summary);
}

function keptFrom({ firstKeptMessageIndex, messageIndex }: RecordedCompaction): number {
  return firstKeptMessageIndex ?? messageIndex;
}

function stepsIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

function saidIn({ parts }: Message): string {
  return parts.flatMap((one) => (one.type === 'text' && !one.synthetic ? one.text : [])).join('\n');
}

function saidOf(part: Part): readonly string[] {
  return part.type === 'text' || part.type === 'reasoning' ? [part.text] : [];
}

function doneOf(part: Part): readonly string[] {
  if (part.type !== 'tool') return saidOf(part);
  const input = JSON.stringify(part.state.input);
  return isCompleted(part) ? [input, part.state.output] : [input];
}

function ruleWords(text: string): ReadonlySet<string> {
  const count = text.match(WORD)?.length ?? 0;
  return count > LONGEST_RULE || UNSPACED.test(text) ? new Set() : stemsIn(text);
}

function shareOf(own: ReadonlySet<string>, text: string): number {
  const stems = stemsIn(text);
  return [...own].filter((stem) => stems.has(stem)).length / own.size;
}

function stemsIn(text: string): ReadonlySet<string> {
  return addStems(new Set(), text);
}

function addStems(stems: Set<string>, text: string): Set<string> {
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    const stem = word.length > 2 ? stemOf(word) : USUAL_STEM;
    if (stem !== USUAL_STEM) stems.add(stem);
  }
  return stems;
}
