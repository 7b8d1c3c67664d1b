import type { Json, TextSink } from '../run/outcome.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Whether colour goes to this stream. FORCE_COLOR turns it on for pipes too; a wish for none is always obeyed. */
export function wantsColor(stream: TextSink, env: Env, noColor: boolean): boolean {
  if (noColor || env.NO_COLOR) return false
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true
  return isAnimated(stream, env)
}

/** Whether a line on this stream may be drawn again: on a terminal that knows the codes, and nowhere else. */
export function isAnimated(stream: TextSink, env: Env): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb'
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

/** Puts text in a style, or leaves it as it is. */
export type Style = (style: keyof typeof CODES, text: string) => string

export function createStyle(colored: boolean): Style {
  return (style, text) => {
    const [on, off] = CODES[style]
    return colored ? `\u001b[${on}m${text}\u001b[${off}m` : text
  }
}

/** Control characters, and those that change the direction in which text is drawn (Unicode, UAX #9) or end a line. */
const HARMFUL = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text of a stranger (names of files, messages of a service) with what a terminal would obey written as `\u202e`. */
export function printable(text: string): string {
  return text.replace(HARMFUL, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

/** JSON in one line, the same characters escaped: it means the same, and a terminal shows it as it is. */
export function printableJson(value: Json): string {
  return JSON.stringify(value).replace(HARMFUL, escaped)
}
