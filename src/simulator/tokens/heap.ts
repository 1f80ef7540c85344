/** A binary heap of numbers, the smallest on top. */
export interface Heap {
  readonly values: Float64Array;
  size: number;
}

/** An empty heap that never holds more than `capacity` numbers. */
export function createHeap(capacity: number): Heap {
  return { values: new Float64Array(capacity), size: 0 };
}

/** Adds a number. */
export function pushHeap(heap: Heap, value: number): void {
  const { values } = heap;
  let index = heap.size++;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = values[parentIndex] ?? value;
    if (parent <= value) break;
    values[index] = parent;
    index = parentIndex;
  }
  values[index] = value;
}

/** Takes the smallest number; undefined when there is none. */
export function popHeap(heap: Heap): number | undefined {
  if (heap.size === 0) return undefined;
  const smallest = heap.values[0];
  heap.size--;
  sinkFromTop(heap, heap.values[heap.size] ?? 0);
  return smallest;
}

function sinkFromTop({ values, size }: Heap, value: number): void {
  let index = 0;
  for (;;) {
    const childIndex = smallerChildIndex(values, size, index);
    const child = values[childIndex] ?? value;
    if (childIndex >= size || child >= value) break;
    values[index] = child;
    index = childIndex;
  }
  values[index] = value;
}

function smallerChildIndex(values: Float64Array, size: number, index: number): number {
  const left = 2 * index + 1;
  const right = left + 1;
  return right < size && (values[right] ?? 0) < (values[left] ?? 0) ? right : left;
}
