import type { Readable } from 'node:stream'
import { usageError } from './command-error.ts'

const MAX_CHARACTERS = 65_536

/**
 * A secret from stdin: the first line.
 * @throws {CommandError} 2 if stdin is a terminal, or if the line is far too long
 */
export async function readSecretLine(stdin: Readable & { isTTY?: boolean }, option: string): Promise<string> {
  if (stdin.isTTY)
    throw usageError(
      `${option} reads from stdin, and stdin is a terminal.`,
      `For example: hookline login ${option} < file`,
    )
  let text = ''
  for await (const piece of stdin.setEncoding('utf8')) {
    text += String(piece)
    if (text.length > MAX_CHARACTERS) throw usageError(`The text on stdin for ${option} is too long.`)
  }
  return text.split(/\r?\n/)[0] ?? ''
}
