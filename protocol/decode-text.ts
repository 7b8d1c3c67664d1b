/**
 * The text of a file that people write by hand, without its byte order mark: UTF-16 where the mark says so, as editors and
 * PowerShell on Windows write it, else UTF-8. Bytes that are no text become U+FFFD. Pure.
 */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}
