import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { type ContentName, parseName } from './parse-name.ts'

/** 15,000 txids with separators. */
const MAX_CHARACTERS = 2_000_000

/**
 * The name of content from the command line, or from stdin for `-`, because a shell cannot pass an argument of 2,000
 * txids.
 */
export async function readName({ stdin }: Pick<Context, 'stdin'>, word: string): Promise<ContentName> {
  if (word !== '-') return parseName(word)
  if (stdin.isTTY) throw usageError('stdin is a terminal; there is no name to read.')
  let text = ''
  for await (const piece of stdin.setEncoding('utf8')) {
    text += String(piece)
    if (text.length > MAX_CHARACTERS) throw usageError('The text on stdin is too long for a list of txids.')
  }
  return parseName(
    text
      .trim()
      .split(/[\s,]+/)
      .join(),
  )
}
