import {
  canJoinTexts,
  joinTexts,
  mapSteps,
  type Outline,
  type OutlineCall,
  type OutlineImage,
  type OutlinePart,
  type OutlineStep,
  type OutlineText,
  type OutlineTurn,
  sizesOf,
  type StepReport,
} from './outline.ts';

/** Told of each smaller outline that still shows what is looked for. */
type OnSmaller = (outline: Outline) => void;

/** Makes a list of some pieces of an outline shorter. */
type Shorten<Item> = (
  items: readonly Item[],
  shows: Shows<readonly Item[]>,
) => Promise<readonly Item[]>;

/** A step with the place of its turn. */
interface PlacedStep {
  readonly turnIndex: number;
  readonly step: OutlineStep;
}

/** A part with the place of its step. */
interface PlacedPart {
  readonly turnIndex: number;
  readonly stepIndex: number;
  readonly part: OutlinePart;
}

type WithImages = Pick<OutlineCall, 'images'>;

/** Returns true if the rest still shows the target. */
type Shows<Value> = (value: Value) => Promise<boolean>;

/** How two neighbours of a list become one. */
interface Joining<Item> {
  readonly canJoin: (before: Item, after: Item) => boolean;
  readonly join: (before: Item, after: Item) => Item;
}

/** Returns true if the detail at a place is kept. */
type IsKept = (place: string) => boolean;

/**
 * Tokens that a call has besides its input and that one call of two has no more, rounded up. Without them so many would
 * be gone where many calls are put together that nothing is shown any more; what is too much goes when sizes shrink.
 */
const CALL_TOKENS = 8;

/** In which a step has its parts, as a scenario writes them. */
const PART_ORDER: readonly OutlinePart['type'][] = ['reasoning', 'text', 'tool'];

/** Two parts of a step as one with the sizes of both, where they are of one kind. */
export const partJoining: Joining<PlacedPart> = {
  canJoin: (before, after) =>
    before.turnIndex === after.turnIndex &&
    before.stepIndex === after.stepIndex &&
    joinedPart(before.part, after.part) !== undefined,
  join: (before, after) => ({
    ...before,
    part: joinedPart(before.part, after.part) ?? before.part,
  }),
};

/**
 * The smallest outline that still shows what is looked for: turns go first, then steps, then parts, with those put
 * together that need not be apart, then what is said besides of those that stay; then sizes and pauses shrink, until
 * nothing more can go. What is said besides is left out at once where that will do. No single turn or step of the
 * result can be left out. Sizes, of which there are most, are gone through again only where something could go once they
 * were smaller.
 */
export async function minimize(
  outline: Outline,
  shows: Shows<Outline>,
  onSmaller: OnSmaller = () => {},
): Promise<Outline> {
  const tried: Shows<Outline> = async (candidate) => {
    const isShown = await shows(candidate);
    if (isShown) onSmaller(candidate);
    return isShown;
  };
  const plain = keepDetails(outline, () => false);
  let left = await leaveOut((await tried(plain)) ? plain : outline, tried);
  let before: string;
  do {
    const shrunk = await reduceSizes(left, tried);
    before = JSON.stringify(shrunk);
    left = await leaveOut(shrunk, tried);
  } while (JSON.stringify(left) !== before);
  return left;
}

/** Tokens of an outline that a message costs besides what it holds, rounded up: one message of two does not any more. */
export function messageTokensOf({ scale }: Outline): number {
  return scale === undefined ? 0 : Math.ceil(scale.perMessageTokens / scale.factor);
}

/** Two turns as one: what was said, what a message costs, and all steps; the pause between them is gone. */
export function turnJoining(messageTokens: number): Joining<OutlineTurn> {
  return {
    canJoin: (before, after) => canJoinTexts(before.user, after.user),
    join: (before, after) => {
      const more = [...(before.more ?? []), ...(after.more ?? [])];
      return {
        idleSeconds: before.idleSeconds,
        user: withTokens(joinTexts([before.user, after.user]), messageTokens),
        ...(more.length > 0 && { more }),
        ...joinImages(before, after),
        steps: [...before.steps, ...after.steps],
      };
    },
  };
}

/** Two steps of a turn as one, with the parts of both and what a message costs; it ends as the second does. */
export function stepJoining(messageTokens: number): Joining<PlacedStep> {
  return {
    canJoin: (before, after) => before.turnIndex === after.turnIndex,
    join: ({ turnIndex, step: before }, { step: after }) => ({
      turnIndex,
      step: {
        idleSeconds: before.idleSeconds,
        parts: withCost([...before.parts, ...after.parts].toSorted(byType), messageTokens),
        ...joinOutput(before, after),
        ...(after.finish !== undefined && { finish: after.finish }),
        ...(after.error !== undefined && { error: after.error }),
      },
    }),
  };
}

/**
 * The items without which nothing is shown, by delta debugging: first half of them goes, then smaller and smaller
 * pieces, at last each by itself. Of what is left, no single item can go.
 */
export async function reduceList<Item>(
  items: readonly Item[],
  shows: Shows<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = items;
  let size = Math.ceil(left.length / 2);
  while (size > 0 && left.length > 0) {
    const before = left.length;
    left = await dropPieces(left, size, shows);
    // Where single items went, others may be able to go now.
    if (size > 1) size = Math.min(Math.ceil(size / 2), left.length);
    else if (left.length === before) return left;
  }
  return left;
}

/**
 * The items with those put together that need not be apart, by leaving out the boundaries between them: where much is
 * needed and no piece of it can go, few items may still hold it.
 */
export async function joinList<Item>(
  items: readonly Item[],
  { canJoin, join }: Joining<Item>,
  shows: Shows<readonly Item[]>,
): Promise<readonly Item[]> {
  const isOpen = (index: number) => canJoin(items[index - 1] as Item, items[index] as Item);
  const open = items.map((_, index) => index).filter((index) => index > 0 && isOpen(index));
  const joined = (left: readonly number[]): readonly Item[] => {
    const gone = new Set(open);
    for (const index of left) gone.delete(index);
    const done: Item[] = [];
    for (const [index, item] of items.entries()) {
      const before = gone.has(index) ? done.pop() : undefined;
      done.push(before === undefined ? item : join(before, item));
    }
    return done;
  };
  return joined(await reduceList(open, (left) => shows(joined(left))));
}

/** The smallest number from 0 that still shows it, where no smaller one does than one that does not. */
export async function reduceNumber(number: number, shows: Shows<number>): Promise<number> {
  if (number === 0 || (await shows(0))) return 0;
  // Few of the many numbers of a session can go down at all; the others cost two tries, not a whole search.
  if (number === 1 || !(await shows(number - 1))) return number;
  let [low, high] = [0, number - 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await shows(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The places of all details of an outline. */
export function detailsOf(outline: Outline): readonly string[] {
  const places: string[] = [];
  keepDetails(outline, (place) => {
    places.push(place);
    return true;
  });
  return places;
}

/** An outline with those of its details that are wanted: the rest of its texts, its steps and its calls are plain ones. */
export function keepDetails({ scale, turns }: Outline, isKept: IsKept): Outline {
  if (scale === undefined) return { turns: turnsWith(turns, isKept) };
  if (isKept('scale')) return { scale, turns: turnsWith(turns, isKept) };
  const toTrue = (text: OutlineText): OutlineText => ({
    ...text,
    tokens: Math.max(0, Math.round(scale.factor * text.tokens)),
  });
  return { turns: turnsWith(turns, isKept).map((turn) => resized(turn, toTrue)) };
}

/** Parts that were joined first need no trial of their own, and nothing left is too small yet. */
async function leaveOut(outline: Outline, shows: Shows<Outline>): Promise<Outline> {
  let left = await onTurns(outline, reduceList, shows);
  const messageTokens = messageTokensOf(left);
  left = await onTurns(left, joining(turnJoining(messageTokens)), shows);
  left = await onSteps(left, joining(stepJoining(messageTokens)), shows);
  left = await onParts(left, joining(partJoining), shows);
  left = await onSteps(left, reduceList, shows);
  left = await onParts(left, reduceList, shows);
  return await leaveOutDetails(left, shows);
}

async function onTurns(
  { turns, ...outline }: Outline,
  shorten: Shorten<OutlineTurn>,
  shows: Shows<Outline>,
): Promise<Outline> {
  return {
    ...outline,
    turns: await shorten(turns, (left) => shows({ ...outline, turns: left })),
  };
}

function joining<Item>(how: Joining<Item>): Shorten<Item> {
  return (items, shows) => joinList(items, how, shows);
}

async function onSteps(
  { turns, ...outline }: Outline,
  shorten: Shorten<PlacedStep>,
  shows: Shows<Outline>,
): Promise<Outline> {
  const all = turns.flatMap(({ steps }, turnIndex) =>
    steps.map((step): PlacedStep => ({ turnIndex, step })),
  );
  const withOnly = (left: readonly PlacedStep[]): Outline => ({
    ...outline,
    turns: turns.map((turn, index) => ({
      ...turn,
      steps: left.filter(({ turnIndex }) => turnIndex === index).map(({ step }) => step),
    })),
  });
  return withOnly(await shorten(all, (left) => shows(withOnly(left))));
}

async function onParts(
  outline: Outline,
  shorten: Shorten<PlacedPart>,
  shows: Shows<Outline>,
): Promise<Outline> {
  const all = outline.turns.flatMap(({ steps }, turnIndex) =>
    steps.flatMap(({ parts }, stepIndex) =>
      parts.map((part): PlacedPart => ({ turnIndex, stepIndex, part })),
    ),
  );
  const withOnly = (left: readonly PlacedPart[]): Outline =>
    mapSteps(outline, (step, turnAt, stepAt) => ({
      ...step,
      parts: left
        .filter(({ turnIndex, stepIndex }) => turnIndex === turnAt && stepIndex === stepAt)
        .map(({ part }) => part),
    }));
  return withOnly(await shorten(all, (left) => shows(withOnly(left))));
}

async function leaveOutDetails(outline: Outline, shows: Shows<Outline>): Promise<Outline> {
  const withOnly = (places: readonly string[]): Outline => {
    const kept = new Set(places);
    return keepDetails(outline, (place) => kept.has(place));
  };
  const all = detailsOf(outline);
  const left = await reduceList(all, (places) => shows(withOnly(places)));
  return left.length === all.length ? outline : withOnly(left);
}

async function reduceSizes(outline: Outline, shows: Shows<Outline>): Promise<Outline> {
  let left = outline;
  for (const { value, set } of sizesOf(outline)) {
    const smallest = await reduceNumber(value, (number) => shows(set(left, number)));
    if (smallest !== value) left = set(left, smallest);
  }
  return left;
}

function withTokens(text: OutlineText, tokens: number): OutlineText {
  return text.text !== undefined || tokens === 0 ? text : joinTexts([text, { tokens }]);
}

function joinImages(before: WithImages, after: WithImages): WithImages {
  const images = [...(before.images ?? []), ...(after.images ?? [])];
  return images.length > 0 ? { images } : {};
}

/** The last of the parts takes it. */
function withCost(parts: readonly OutlinePart[], tokens: number): readonly OutlinePart[] {
  const last = parts.at(-1);
  if (last === undefined || tokens === 0) return parts;
  const costly: OutlinePart =
    last.type === 'tool'
      ? { ...last, input: withTokens(last.input, tokens) }
      : { type: last.type, ...withTokens(last, tokens) };
  return [...parts.slice(0, -1), costly];
}

function byType(some: OutlinePart, other: OutlinePart): number {
  return PART_ORDER.indexOf(some.type) - PART_ORDER.indexOf(other.type);
}

/** Unknown where one of the two is. */
function joinOutput(before: StepReport, after: StepReport): StepReport {
  if (before.outputTokens === undefined || after.outputTokens === undefined) return {};
  return {
    outputTokens: before.outputTokens + after.outputTokens,
    reasoningTokens: (before.reasoningTokens ?? 0) + (after.reasoningTokens ?? 0),
  };
}

/** From the end, where later pieces rest on earlier ones. */
async function dropPieces<Item>(
  items: readonly Item[],
  size: number,
  shows: Shows<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = items;
  for (let end = left.length; end > 0; end -= size) {
    const start = Math.max(0, end - size);
    const without = [...left.slice(0, start), ...left.slice(end)];
    if (await shows(without)) left = without;
  }
  return left;
}

function turnsWith(turns: Outline['turns'], isKept: IsKept): Outline['turns'] {
  return turns.map((turn, index) => turnWith(turn, (place) => isKept(`${index} ${place}`)));
}

/** Further texts are put together with the first where they need not be apart. */
function turnWith({ idleSeconds, user, more, images, steps }: OutlineTurn, isKept: IsKept) {
  const isApart = more !== undefined && isKept('more');
  const whole = more === undefined || isApart ? user : joinTexts([user, ...more]);
  return {
    idleSeconds,
    user: textWith(whole, (place) => isKept(`user ${place}`)),
    ...(isApart && {
      more: more.map((one, index) => textWith(one, (place) => isKept(`more ${index} ${place}`))),
    }),
    ...imagesWith(images, isKept),
    steps: steps.map((step, index) => stepWith(step, (place) => isKept(`${index} ${place}`))),
  };
}

function textWith({ tokens, characters, text, isSynthetic }: OutlineText, isKept: IsKept) {
  return {
    tokens,
    ...(characters !== undefined && isKept('characters') && { characters }),
    ...(text !== undefined && { text }),
    ...(isSynthetic && isKept('isSynthetic') && { isSynthetic }),
  };
}

function imagesWith(
  images: readonly OutlineImage[] | undefined,
  isKept: IsKept,
): Pick<OutlineCall, 'images'> {
  return images !== undefined && isKept('images') ? { images } : {};
}

function stepWith(step: OutlineStep, isKept: IsKept): OutlineStep {
  const { idleSeconds, parts, outputTokens, reasoningTokens, finish, error } = step;
  const isTold = outputTokens !== undefined && isKept('outputTokens');
  return {
    idleSeconds,
    parts: parts.map((part, index) => partWith(part, (place) => isKept(`${index} ${place}`))),
    ...(isTold && { outputTokens }),
    ...(isTold && reasoningTokens !== undefined && { reasoningTokens }),
    ...(finish !== undefined && isKept('finish') && { finish }),
    ...(error !== undefined && isKept('error') && { error }),
  };
}

function partWith(part: OutlinePart, isKept: IsKept): OutlinePart {
  if (part.type !== 'tool') return { type: part.type, ...textWith(part, isKept) };
  const { images, ...call } = part;
  return {
    ...call,
    input: textWith(part.input, (place) => isKept(`input ${place}`)),
    output: textWith(part.output, (place) => isKept(`output ${place}`)),
    ...imagesWith(images, isKept),
  };
}

function resized(turn: OutlineTurn, resize: (text: OutlineText) => OutlineText): OutlineTurn {
  const { user, more, steps } = turn;
  return {
    ...turn,
    user: resize(user),
    ...(more && { more: more.map(resize) }),
    steps: steps.map((step) => ({
      ...step,
      parts: step.parts.map((part) =>
        part.type === 'tool'
          ? { ...part, input: resize(part.input), output: resize(part.output) }
          : { type: part.type, ...resize(part) },
      ),
    })),
  };
}

/** Nothing where they are of two kinds, or what one says would be lost; the name is that of the first. */
function joinedPart(before: OutlinePart, after: OutlinePart): OutlinePart | undefined {
  if (before.type === 'tool') {
    return after.type === 'tool' && canJoinCalls(before, after)
      ? joinCalls(before, after)
      : undefined;
  }
  if (after.type !== before.type || !canJoinTexts(before, after)) return undefined;
  return { type: before.type, ...joinTexts([before, after]) };
}

function canJoinCalls(before: OutlineCall, after: OutlineCall): boolean {
  const haveTexts = before.input.text !== undefined || after.input.text !== undefined;
  return after.status === before.status && !haveTexts && canJoinTexts(before.output, after.output);
}

function joinCalls(before: OutlineCall, after: OutlineCall): OutlineCall {
  return {
    ...before,
    input: joinTexts([before.input, after.input, { tokens: CALL_TOKENS }]),
    output: joinTexts([before.output, after.output]),
    ...joinImages(before, after),
  };
}
