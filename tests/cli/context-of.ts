import { Readable, Writable } from 'node:stream'
import { Output } from '../../cli/output/output.ts'
import { ParsedLine } from '../../cli/parse/parse-command-line.ts'
import type { Context } from '../../cli/run/context.ts'
import type { TextSink } from '../../cli/run/outcome.ts'
import { COMMANDS } from '../../cli/table/command-table.ts'

/** A stream that records what is written; a terminal if `terminal`. */
export function sink(terminal = false): TextSink & { text: () => string } {
  let text = ''
  const stream = new Writable({
    write(piece, _encoding, callback) {
      text += String(piece)
      callback()
    },
  })
  const size = terminal ? { isTTY: true, columns: 120, rows: 60 } : {}
  return Object.assign(stream, size, { text: () => text })
}

/** A context of nothing in particular, for parts of a command. */
export function contextOf(given: Partial<Context>): Context {
  const command = COMMANDS[0]
  if (!command) throw new Error('there is no command')
  const [stdout, stderr] = [given.stdout ?? sink(), given.stderr ?? sink()]
  const now = given.now ?? Date.now
  const output = new Output({
    command: command.name,
    list: false,
    mode: 'text',
    stdout,
    stderr,
    env: given.env ?? {},
    noColor: false,
    now,
  })
  return {
    argv: [],
    env: {},
    stdin: Readable.from([]),
    fetch,
    version: '0.0.0',
    command,
    commands: COMMANDS,
    line: new ParsedLine(new Map(), []),
    signal: new AbortController().signal,
    keep: () => undefined,
    output,
    ...given,
    stdout,
    stderr,
    now,
  }
}
