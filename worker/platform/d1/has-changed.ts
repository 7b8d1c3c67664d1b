/** Whether a statement changed any row; false for one that was not run. */
export function hasChanged(result: Pick<D1Result, 'meta'> | undefined): boolean {
  return Boolean(result?.meta.changes)
}
