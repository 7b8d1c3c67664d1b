/**
 * Where the property tests begin: the same everywhere, so that a case that one run in thousands meets refuses nobody's
 * change. `PROPERTY_SEED=7 npm test` looks at others.
 */
export const propertySeed = Number(process.env.PROPERTY_SEED ?? 1)

declare module 'vitest' {
  export interface ProvidedContext {
    propertySeed: number
  }
}
