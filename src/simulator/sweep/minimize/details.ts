/** What an outline says besides its messages and how large they are. */

import type {
  Outline,
  OutlineCall,
  OutlineImage,
  OutlinePart,
  OutlineStep,
  OutlineText,
  OutlineTurn,
} from './outline.ts';
import { joinTexts } from './join-texts.ts';

/** Whether the detail at some place is wanted. */
type IsKept = (place: string) => boolean;

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
