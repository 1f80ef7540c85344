import type { Session } from '../../session/session.ts';

/** A session as a text from which it can be read again, whatever its own format was. */
export function writeSession({ recordedCosts, ...rest }: Session): string {
  return JSON.stringify({ ...rest, ...(recordedCosts && { recordedCosts: [...recordedCosts] }) });
}

/** The session of such a text. Whether it is the one that somebody means, its hash tells. */
export function readSession(text: string): Session {
  const { recordedCosts, ...rest } = JSON.parse(text);
  return { ...rest, ...(recordedCosts && { recordedCosts: new Map(recordedCosts) }) };
}
