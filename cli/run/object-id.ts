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
        `${JSON.stringify(word)} is not the id of an order, which is a UUID.`,
        'List your orders with hookline order ls.',
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
      throw usageError(
        `${JSON.stringify(word)} is not an id, which has 24 lowercase hex digits.`,
        'List your items with hookline ls.',
      )
  }
  return [...new Set(words)]
}
