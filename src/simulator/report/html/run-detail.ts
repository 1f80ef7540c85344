import type { RunEvent } from '../../events.ts';
import { countOf } from '../numbers.ts';
import type { RunView } from '../saved/run-view.ts';
import { describeMoment } from './describe-moment.ts';
import { type Moment, type RunDetail, STEP_FLAGS } from './page-data.ts';

type StepEnd = Extract<RunEvent, { readonly type: 'step-end' }>;

/** Columns that grow step by step. */
type Growing<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer V)[] ? V[] : T[Key];
};

/** Most ids that one moment names; a page is to stay small. */
const MOST_IDS = 40;

/** Longest text that a page has of one part, in characters. */
const LONGEST_TEXT = 20_000;

/** Folds the events of one run into what a page draws; `undefined` where it has no step. */
export function toRunDetail(events: readonly RunEvent[], view?: RunView): RunDetail | undefined {
  const detail = emptyDetail();
  for (const event of events) {
    if (event.type === 'run-start') {
      detail.usable = event.usableTokens ?? null;
      detail.window = event.limits.contextTokens;
    }
    if (event.type === 'step-end') addStep(detail, event);
    const moment = describeMoment(event);
    if (moment !== undefined) {
      const ids = (moment.ids ?? []).slice(0, MOST_IDS);
      const at = placeOf(event, detail.context.length);
      const entry: Moment = [at, moment.kind, moment.words];
      detail.moments.push(ids.length === 0 ? entry : [at, moment.kind, moment.words, ids]);
    }
  }
  if (detail.context.length === 0) return undefined;
  return view === undefined ? detail : { ...detail, view: shortenTexts(view) };
}

function emptyDetail(): Growing<Omit<RunDetail, 'view'>> {
  return {
    usable: null,
    window: 0,
    context: [],
    cached: [],
    written: [],
    output: [],
    turn: [],
    flags: [],
    moments: [],
  };
}

function shortenTexts(view: RunView): RunView {
  const { texts } = view;
  if (texts === undefined) return view;
  const pool = texts.pool.map((text) =>
    text.length <= LONGEST_TEXT
      ? text
      : `${text.slice(0, LONGEST_TEXT)}\n… ${countOf(text.length - LONGEST_TEXT, 'more character')}`,
  );
  return { ...view, texts: { ...texts, pool } };
}

function addStep(detail: Growing<Omit<RunDetail, 'view'>>, event: StepEnd): void {
  detail.context.push(event.contextTokens);
  detail.cached.push(event.cacheReadTokens);
  detail.written.push(event.cacheWriteTokens);
  detail.output.push(event.outputTokens);
  detail.turn.push(event.turn);
  detail.flags.push(
    (event.opensTurn ? STEP_FLAGS.opensTurn : 0) +
      (event.isCold ? STEP_FLAGS.isCold : 0) +
      (event.reread === undefined ? 0 : STEP_FLAGS.isReread) +
      (event.lostTokens > 0 ? STEP_FLAGS.breaksPrefix : 0),
  );
}

/** What is told just before a step belongs to it, anything else to the step before. */
function placeOf(event: RunEvent, steps: number): number {
  return event.type === 'reference' ? steps : Math.max(0, steps - 1);
}
