/** Where a law does not hold, and why. It names sizes and ids, never texts. */
export interface Finding {
  readonly message: string;
  readonly messageIds: readonly string[];
}

const NOTHING: readonly Finding[] = [];

/** What a law found about some messages; nothing where there are none. */
export function findingsIn(
  messages: readonly { readonly id: string }[],
  message: string,
): readonly Finding[] {
  return messages.length === 0 ? NOTHING : [{ message, messageIds: [...new Set(idsOf(messages))] }];
}

/** The ids of messages. */
export function idsOf(messages: readonly { readonly id: string }[]): readonly string[] {
  return messages.map(({ id }) => id);
}
