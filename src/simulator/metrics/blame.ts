/** The content that a finding blames: its media in tokens, and its name, which stays where the texts of a session are. */

import { type Part, renderPart } from '../../engine/index.ts';
import { sum } from '../lib/collections.ts';
import { toShortLine } from '../lib/lines.ts';
import { listed } from '../lib/text.ts';
import { bytesOfContent, RECORDED } from '../replay/count.ts';
import { findGoneRules, findInvented, type RecordedTexts } from '../replay/recording-faults.ts';
import { createTouches } from '../replay/references/calls.ts';
import type { Session } from '../session/session.ts';
import type { Blamed, Finding } from './diagnosis.ts';
const LONGEST_SENTENCE = 120;
const MOST_TOOLS = 3;

/** Names of what findings blame, as `the output of Read (src/a.ts)`; without those that blame no content. */
export function nameBlamed(session: Session, findings: readonly Finding[]): Blamed {
  return new Map(
    findings.flatMap((finding) => {
      const name = sentenceOf(session, finding) ?? nameOf(session, finding);
      return name === undefined ? [] : [[finding, name] as const];
    }),
  );
}

function sentenceOf(recording: RecordedTexts, { cause }: Finding) {
  const find = { rule: findGoneRules, invented: findInvented }[cause as string];
  const [worst] = find?.(recording) ?? [];
  return worst && toShortLine(worst.text, LONGEST_SENTENCE);
}

function bytesOf(part: Part): number {
  return sum(renderPart(part, 'assistant', RECORDED).map(bytesOfContent));
}

function nameOf({ messages, definitions = [] }: Session, finding: Finding) {
  if (finding.cause === 'floor' && finding.part === 'overhead') {
    const largest = definitions.toSorted((a, b) => b.chars - a.chars).slice(0, MOST_TOOLS);
    return largest.length === 0
      ? undefined
      : listed(
          largest.map(({ tool }) => tool),
          'and',
        );
  }
  const { messageId, partId } = { messageId: undefined, partId: undefined, ...finding };
  const index = messages.findIndex(
    ({ id, parts }) => id === messageId || parts.some((part) => part.id === partId),
  );
  if (index < 0) return undefined;
  const own = (messages[index]?.parts ?? []).filter(
    ({ id }) => partId === undefined || id === partId,
  );
  // What comes until the next request fills it as well.
  const next = partId === undefined ? messages[index + 1] : undefined;
  const prompt = next?.role === 'user' ? next.parts : [];
  const [largest] = [...own, ...prompt].toSorted((a, b) => bytesOf(b) - bytesOf(a));
  if (largest === undefined) return undefined;
  if (prompt.includes(largest)) return 'the next prompt';
  if (largest.type !== 'tool') return 'what the model wrote';
  const path = createTouches(messages).of(largest)[0]?.path;
  return `the output of ${largest.tool}${path === undefined ? '' : ` (${path})`}`;
}
