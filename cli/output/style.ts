import type { TextSink } from '../run/outcome.ts'

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

/** Text of a stranger (names of files, messages of a service) without control characters, which a terminal would obey. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}
