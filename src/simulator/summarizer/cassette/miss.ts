import { countEach } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { RequestOutline } from './outline.ts';
import type { Recording } from './recording.ts';
import { type CallId, nameOf } from './store.ts';

/** A request that was not found, and where it was looked for. */
export interface Miss {
  readonly folder: string;
  readonly id: CallId;
  readonly outline: RequestOutline;
  readonly recordings: readonly Recording[];
}

interface Difference {
  readonly gone: readonly string[];
  readonly added: readonly string[];
}

const SHOWN_LINES = 3;
const SHOWN_LENGTH = 160;

/** Says which recording comes nearest to a request that has none, and what differs, all in one line. */
export function missOf({ folder, id, outline, recordings }: Miss): HarnessError {
  const what = `No recording of request ${nameOf(id)} (${outline.summarizer}, repeat ${id.repeat}) in ${quoted(folder)}`;
  return new HarnessError(
    'CASSETTE_MISS',
    `${what}. ${nearestOf(id, outline, recordings)} Record it with '--cassette-mode auto', or take the change back.`,
  );
}

function nearestOf(
  { repeat, nth }: CallId,
  outline: RequestOutline,
  recordings: readonly Recording[],
): string {
  if (recordings.length === 0) return 'The folder has no recordings at all.';
  const same = recordings.filter(({ request }) => request.key === outline.key);
  if (same.length > 0) {
    const known = same.map((recording) => `${recording.repeat}.${recording.nth}`).join(', ');
    return `The same request is recorded for repeat ${known}, not for ${repeat}.${nth}.`;
  }
  const wanted = linesOf(outline);
  const [first, ...others] = recordings.map((recording) => ({
    recording,
    difference: differenceOf(wanted, linesOf(recording.request)),
  }));
  const nearest = others.reduce(
    (best, other) => (size(other) < size(best ?? other) ? other : best),
    first,
  );
  if (nearest === undefined) return '';
  const { recording, difference } = nearest;
  const name = nameOf({ ...recording, key: recording.request.key });
  const sides = [
    ...listed('it has', difference.gone),
    ...listed('the request has', difference.added),
  ];
  return `Nearest is ${name}: ${sides.join(', ')}.`;
}

function size({ difference: { gone, added } }: { readonly difference: Difference }): number {
  return gone.length + added.length;
}

/** A request line by line, each with what it belongs to. */
function linesOf(outline: RequestOutline): readonly string[] {
  const { summarizer, settings, outputCapTokens, system, prompt, messages } = outline;
  return [
    `summarizer: ${summarizer}`,
    ...Object.entries(settings).map(([key, value]) => `setting ${key}: ${value}`),
    `output cap: ${outputCapTokens ?? 'none'}`,
    ...system.map((line) => `system: ${line}`),
    ...prompt.map((line) => `prompt: ${line}`),
    ...messages.map((message, index) => `message ${index + 1}: ${message}`),
  ];
}

function differenceOf(wanted: readonly string[], recorded: readonly string[]): Difference {
  return { gone: without(recorded, wanted), added: without(wanted, recorded) };
}

/** Lines that have no partner among others, each of which is partner to one. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = countEach(others);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function listed(who: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, SHOWN_LINES).map((line) => quoted(line, SHOWN_LENGTH));
  const rest = lines.length - shown.length;
  return [`${who} ${shown.join(' and ')}${rest > 0 ? ` and ${rest} more` : ''}`];
}
