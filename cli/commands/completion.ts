import { completionScript, SHELLS } from '../describe/completion-script.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run({ line, commands }: Context): Promise<Outcome> {
  const shell = SHELLS.find((name) => name === line.word(0).toLowerCase()) ?? 'bash'
  const script = completionScript(shell, commands)
  return { result: { shell, script }, text: [script.trimEnd()] }
}
