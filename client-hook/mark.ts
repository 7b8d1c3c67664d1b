/**
 * A function with this symbol is a helper. On `navigator.serviceWorker` it is a promise of the author's worker, which is being
 * registered.
 */
export const MARK = Symbol.for('hookline')
