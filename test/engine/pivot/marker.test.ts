import { describe, expect, it } from 'vitest';
import { createMarker } from '../../../src/engine/pivot/marker.ts';
import { testTools } from '../../support/tools.ts';

describe('createMarker', () => {
  it.each([
    [true, true],
    [true, false],
    [false, false],
  ])('is a user message with one compaction part (auto %s, overflow %s)', (auto, overflow) => {
    expect(createMarker({ auto, overflow }, testTools(5))).toEqual({
      id: 'message-2',
      role: 'user',
      createdAt: 5,
      parts: [{ type: 'compaction', id: 'part-1', auto, overflow }],
    });
  });
});
