/** What a command printed, with release and catalog left open: both change without anything else. */
export function withOpenMakers(text: string): string {
  return text
    .replaceAll(/compaction-bench \d+\.\d+\.\d+/g, 'compaction-bench RELEASE')
    .replaceAll(/catalog \S+ [0-9a-f]+/g, 'catalog FILE HASH');
}
