import type { Age, CleanupPolicy } from '../policy.ts';
import { isPrompt, isSummary, type Message, type Part } from '../message.ts';
import { type Fold, foldOver, itemAt } from '../history.ts';
import { backTo, itemsOf, push, type Stack } from '../stack.ts';
import { type Cleanup, type Found, isProtected } from './cleanup.ts';

/** A message with parts that go once they are old enough, and what came until then. */
interface Aging {
  readonly index: number;
  readonly steps: number;
  readonly turns: number;
}

/** How many steps and turns there are, and what waits to be old enough. */
interface Ages {
  readonly steps: number;
  readonly turns: number;
  readonly waiting: Stack<Aging> | undefined;
}

const HOWEVER_NEW: Age = { count: 0, unit: 'steps' };

/** Finds parts of a kind that are old enough. */
export function findByAge(goes: (part: Part) => boolean): Cleanup['find'] {
  const mayGo = (part: Part, rules: CleanupPolicy) => goes(part) && !isProtected(part, rules);
  return (history, rules) => {
    const { count, unit } = rules.olderThan ?? HOWEVER_NEW;
    const ages = foldOver(history, {
      by: { name: 'ages', rules: [goes, rules] },
      ...agesOf((part) => mayGo(part, rules)),
    });
    const old = backTo(ages.waiting, (aging) => ages[unit] - aging[unit] >= count);
    return itemsOf(old).flatMap(({ index }): readonly Found[] => {
      const parts = itemAt(history, index)?.parts ?? [];
      return parts.filter((part) => mayGo(part, rules)).map((part) => ({ part, index }));
    });
  };
}

function isStep({ role }: Message): boolean {
  return role === 'assistant';
}

function agesOf(goes: (part: Part) => boolean): Fold<Message, Ages> {
  return {
    start: { steps: 0, turns: 0, waiting: undefined },
    add: ({ steps, turns, waiting }, message, { index }) => {
      // What is older than a summary is not looked at.
      if (isSummary(message)) return { steps, turns, waiting: undefined };
      const now = {
        steps: isStep(message) ? steps + 1 : steps,
        turns: isPrompt(message) ? turns + 1 : turns,
      };
      return {
        ...now,
        waiting: message.parts.some(goes) ? push(waiting, { index, ...now }) : waiting,
      };
    },
  };
}
