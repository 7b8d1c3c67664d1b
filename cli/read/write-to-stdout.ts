import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Pieces } from './write-verified.ts'

/**
 * Writes verified pieces to stdout. To a terminal only text is written, because it would interpret control characters.
 */
export async function writeToStdout({ output, stdout }: Context, pieces: Pieces): Promise<void> {
  for await (const piece of pieces) {
    if (stdout.isTTY && !isText(piece)) {
      throw usageError(
        'The content is not text, so it is not written to a terminal.',
        'Name the file to write with -o.',
      )
    }
    await output.bytes(piece)
  }
}

function isText(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes, { stream: true })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal obeys these
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd]/.test(text)
}
