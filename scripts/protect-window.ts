import { tryWindows } from './reproductions/protect-window.ts';

const SESSIONS = 20;
const WINDOWS = [0, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 80_000];

const results = await tryWindows({ sessions: SESSIONS, windows: WINDOWS });
process.stdout.write(`protect  turns  read again  cost     given up, of ${SESSIONS}\n`);
for (const { protectTokens, steps, addedSteps, usd, cappedRuns } of results) {
  const cells = [
    String(protectTokens).padStart(7),
    String(steps).padStart(5),
    String(addedSteps).padStart(10),
    `$${usd.toFixed(3)}`.padEnd(7),
    cappedRuns,
  ];
  process.stdout.write(`${cells.join('  ')}\n`);
}
