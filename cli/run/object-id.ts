import { usageError } from './command-error.ts'

/** Ids of items, folders and sites. */
export const OBJECT_ID = /^[0-9a-f]{24}$/

/** Ids of orders: UUIDs that clients choose. */
const ORDER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Order ids of the command line, without duplicates.
 * @throws {CommandError} 2 for an invalid id
 */
export function checkOrderIds(words: readonly string[]): string[] {
  for (const word of words) {
    if (!ORDER_ID.test(word)) {
      throw usageError(
        `${JSON.stringify(word)} is no id of an order, which is a UUID.`,
        'hookline order ls lists them.',
      )
    }
  }
  return [...new Set(words)]
}

/**
 * Ids of the command line, without duplicates.
 * @throws {CommandError} 2 for an invalid id
 */
export function checkIds(words: readonly string[]): string[] {
  for (const word of words) {
    if (!OBJECT_ID.test(word))
      throw usageError(`${JSON.stringify(word)} is no id: 24 lowercase hex digits.`, 'hookline ls lists them.')
  }
  return [...new Set(words)]
}
