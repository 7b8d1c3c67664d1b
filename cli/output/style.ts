import type { Json, TextSink } from '../run/outcome.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Whether to write colours to this stream. FORCE_COLOR enables them for pipes too; --no-color and NO_COLOR always
 * disable them.
 */
export function wantsColor(stream: TextSink, env: Env, noColor: boolean): boolean {
  if (noColor || env.NO_COLOR) return false
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true
  return isAnimated(stream, env)
}

/** Whether a line on this stream may be redrawn: only on a terminal that supports the codes. */
export function isAnimated(stream: TextSink, env: Env): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb'
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

/** Returns text with a style, or unchanged. */
export type Style = (style: keyof typeof CODES, text: string) => string

export function createStyle(colored: boolean): Style {
  return (style, text) => {
    const [on, off] = CODES[style]
    return colored ? `\u001b[${on}m${text}\u001b[${off}m` : text
  }
}

/** Control characters, those that change the direction of text (Unicode, UAX #9), and line separators. */
const HARMFUL = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Untrusted text (names of files, messages of a service), with characters that control a terminal written as `\u202e`.
 */
export function printable(text: string): string {
  return text.replace(HARMFUL, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

/** JSON in one line with the same characters escaped: the value does not change, and a terminal is not affected. */
export function printableJson(value: Json): string {
  return JSON.stringify(value).replace(HARMFUL, escaped)
}
