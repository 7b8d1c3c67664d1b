import { usageError } from './command-error.ts'
import type { Context } from './context.ts'
import { CancelledError } from './interrupt.ts'

type Asking = Pick<Context, 'stdin' | 'stderr' | 'line' | 'env' | 'signal' | 'output'>

/** Whether there is a person to ask: only if stdin and stderr are a terminal. */
export function canAsk({ stdin, stderr, line, env }: Asking): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !line.has('no-input') && env.TERM !== 'dumb'
}

/**
 * Asks for a line of text.
 * @throws {CommandError} 2 without a terminal; `instead` names the option to use
 */
export async function askText(context: Asking, message: string, instead: string): Promise<string> {
  requireSomebody(context, message, instead)
  const { text, isCancel } = await import('./prompts.ts')
  const answer = await text({ message, ...streams(context), validate: (value) => (value ? undefined : 'Needed.') })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/** Asks for a secret, which is not displayed. */
export async function askSecret(context: Asking, message: string, instead: string): Promise<string> {
  requireSomebody(context, message, instead)
  const { password, isCancel } = await import('./prompts.ts')
  const answer = await password({ message, ...streams(context), validate: (value) => (value ? undefined : 'Needed.') })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/** Asks for yes or no. */
export async function askYes(context: Asking, message: string, instead: string): Promise<boolean> {
  requireSomebody(context, message, instead)
  const { confirm, isCancel } = await import('./prompts.ts')
  const answer = await confirm({ message, ...streams(context), initialValue: false })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/**
 * Asks whether to delete, unless --yes was given.
 * @throws {CommandError} 2 if the answer is no
 */
export async function confirmDeletion(context: Asking, question: string, done = 'deleted'): Promise<void> {
  if (context.line.has('yes') || (await askYes(context, question, 'Give --yes.'))) return
  throw usageError(`Nothing was ${done}.`)
}

function requireSomebody(context: Asking, message: string, instead: string): void {
  if (!canAsk(context)) throw usageError(`There is no terminal to ask at: ${message.replace(/[?:.]$/, '')}.`, instead)
}

/** Questions are printed on stderr, because stdout is for the result. */
function streams({ stdin, stderr, signal, output }: Asking) {
  output.clear()
  return { input: stdin, output: stderr, signal }
}

/** The library reports Ctrl-C as an answer. */
const cancelled = () => new CancelledError('SIGINT')
