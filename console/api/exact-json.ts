/**
 * JSON text with every number that a double cannot hold exactly turned into a string, so that reading it loses no
 * base unit. Numbers of at most 15 digits, and all strings, stay as they are.
 */
export function exactJson(text: string): string {
  if (!/[\d.]{16}/.test(text)) return text
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || token.replace(/[^\d]/g, '').length <= 15 ? token : `"${token}"`,
  )
}
