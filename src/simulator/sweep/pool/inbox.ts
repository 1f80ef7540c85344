/** Things that come at any time, for somebody who takes them one by one. */
export interface Inbox<Item> {
  put(item: Item): void;
  /** Nothing more comes. */
  close(): void;
  /** Throws what it was closed with. */
  fail(error: unknown): void;
  items(): AsyncGenerator<Item, void, void>;
}

/** An inbox with nothing in it. */
export function createInbox<Item>(): Inbox<Item> {
  let waiting: Item[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const finish = (how: { readonly error?: unknown }) => {
    end ??= how;
    wake?.();
  };
  return {
    put: (item) => {
      waiting.push(item);
      wake?.();
    },
    close: () => finish({}),
    fail: (error) => finish({ error }),
    async *items() {
      for (;;) {
        const taken = waiting;
        waiting = [];
        yield* taken;
        if (waiting.length > 0) continue;
        if (end !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if ('error' in end) throw end.error;
    },
  };
}
