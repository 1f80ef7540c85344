import type { Queue } from 'bullmq';
import type { Environment } from '../../environment.ts';
import type { Connection, Note } from './connection.ts';
import type { QueuePackages } from './packages.ts';
import type { OwnSettings } from './queued-models.ts';

/** How a worker serves a queue. */
export interface ServeOptions {
  readonly url: string;
  /** Version of the package; only sweeps of the same are served. */
  readonly version: string;
  /** Threads. */
  readonly jobs: number;
  /** Time after which others take over what a worker that died had in hand. */
  readonly lockMs: number;
  /** Whether to end when no sweep is there, instead of waiting for one. */
  readonly endsWhenIdle: boolean;
  readonly cacheFolder?: string | undefined;
  /** Where the keys of real models are. */
  readonly environment: Environment;
  /** How real models may be asked from here. */
  readonly own: OwnSettings;
  readonly signal: AbortSignal;
  readonly note: Note;
}

/** Why a sweep is left alone: another version planned it, or it is not what a sweep puts into a queue. */
export type Flaw = 'version' | 'form';

/** All that serving needs. */
export interface ServeContext extends ServeOptions {
  readonly packages: QueuePackages;
  readonly connection: Connection;
  /** Queues that were looked into, by name. */
  readonly queues: Map<string, Queue>;
  /** Sweeps of which the user knows that they are served. */
  readonly served: Set<string>;
  /** Sweeps of which the user knows that they are left alone, by name. */
  readonly refused: Map<string, Flaw>;
  /** What the user knows that the server refuses. */
  readonly refusals: Set<string>;
}
