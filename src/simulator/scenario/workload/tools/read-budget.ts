import type { Draw } from '../draw.ts';
import type { ReadBudget } from '../scene.ts';

/** As many reads, of which such a share is to be of files that were read before. */
export function createReadBudget(left: number, rereadShare: number): ReadBudget {
  return { left, repeats: Math.min(Math.round(rereadShare * left), Math.max(0, left - 1)) };
}

/** Whether the next read is one of those; each that is still to come is as likely as any other. */
export function isRepeat({ left, repeats }: ReadBudget, draw: Draw): boolean {
  return draw.isTrue(repeats / Math.max(1, left));
}

/** Takes a read off what is still to come. */
export function spendRead(reads: ReadBudget): void {
  reads.left -= 1;
}

/** Takes a read of a file that was read before off what is still to come. */
export function spendRepeat(reads: ReadBudget): void {
  spendRead(reads);
  reads.repeats = Math.max(0, reads.repeats - 1);
}
