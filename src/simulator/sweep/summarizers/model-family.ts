const MODEL = /^ai:([^/]+)\//;

/** The provider of a model, whose models may favour one another; absent where it is no model. */
export function modelFamilyOf(name: string): string | undefined {
  return MODEL.exec(name)?.[1];
}

/** Of how many families some judges are; one that is no model is a family by itself. */
export function countModelFamilies(names: readonly string[]): number {
  return new Set(names.map((name) => modelFamilyOf(name) ?? name)).size;
}
