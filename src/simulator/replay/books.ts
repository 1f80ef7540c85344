import {
  type Message,
  type ModelMessage,
  renderMessage,
  type RenderPolicy,
} from '../../engine/index.ts';
import { contentOf } from './content.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

/** A message as the model messages that it becomes. */
export type RenderingOf = (message: Message) => readonly ModelMessage[];

/** What the messages of a trace weigh, and what they look like in a request. */
export interface Books {
  readonly ledger: Ledger;
  readonly renderingOf: RenderingOf;
}

/** Runs of a trace see the same parts, so that what one run looked up the next one knows. */
const kept = new WeakMap<BookedTrace, Map<RenderPolicy, Books>>();

type BookedTrace = Pick<Trace, 'basis' | 'count'>;

/** The books of a trace under one way to render; they stay as long as the trace. */
export function booksOf(trace: BookedTrace, render: RenderPolicy): Books {
  const ofTrace = kept.get(trace) ?? new Map<RenderPolicy, Books>();
  kept.set(trace, ofTrace);
  const books = ofTrace.get(render) ?? openBooks(trace, render);
  ofTrace.set(render, books);
  return books;
}

function openBooks({ basis, count }: BookedTrace, render: RenderPolicy): Books {
  const renderings = new WeakMap<object, readonly ModelMessage[]>();
  return {
    ledger: createLedger(basis, count, render),
    renderingOf: (message) => {
      const content = contentOf(message);
      const known = renderings.get(content);
      if (known !== undefined) return known;
      const rendering = renderMessage(message, render);
      renderings.set(content, rendering);
      return rendering;
    },
  };
}
