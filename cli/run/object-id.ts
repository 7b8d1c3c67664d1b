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
  return checkWords(words, ORDER_ID, 'the id of an order, which is a UUID', 'List your orders with hookline order ls.')
}

/**
 * Ids of the command line, without duplicates.
 * @throws {CommandError} 2 for an invalid id
 */
export function checkIds(words: readonly string[]): string[] {
  return checkWords(words, OBJECT_ID, 'an id, which has 24 lowercase hex digits', 'List your items with hookline ls.')
}

function checkWords(words: readonly string[], form: RegExp, what: string, hint: string): string[] {
  const wrong = words.find((word) => !form.test(word))
  if (wrong !== undefined) throw usageError(`${JSON.stringify(wrong)} is not ${what}.`, hint)
  return [...new Set(words)]
}
