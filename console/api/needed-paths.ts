import type { Method, Operation } from '../../worker/features/docs/operation.ts'

/** An operation that is not described yet, and so has no name. */
type Needed = Omit<Operation, 'operationId'>

/**
 * What the console calls and the API does not describe yet. An operation goes from here to the description when it
 * is built; what the description has wins.
 */
export const NEEDED_PATHS: Record<string, Partial<Record<Method, Needed>>> = {}
