/** The fault in a name of an item or a folder, worded as by the service; `undefined` if there is none. */
export function faultOfName(name: string): string | undefined {
  if (name === '' || name.length > 255) return 'its name must have 1 to 255 characters'
  if (name === '.' || name === '..') return 'its name may not be . or ..'
  if (/[\p{Cc}/\\]/u.test(name)) return 'its name has control characters or backslashes'
  if (/\p{Cs}/u.test(name) || name.includes('\ufffd')) return 'its name is not valid Unicode'
  return undefined
}
