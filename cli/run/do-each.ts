import type { Context } from './context.ts'
import { describeFailure } from './describe-failure.ts'
import { EXIT } from './exit-codes.ts'
import type { Json, Outcome } from './outcome.ts'

/**
 * Runs the same for several things, one after another. A failure does not stop the others, and each result is reported.
 */
export async function doEach(
  { env, signal, output }: Pick<Context, 'env' | 'signal' | 'output'>,
  ids: readonly string[],
  done: string,
  act: (id: string) => Promise<unknown>,
): Promise<Outcome> {
  const succeeded: string[] = []
  const failed: { [name: string]: Json }[] = []
  const outcomes: Outcome[] = []
  for (const id of ids) {
    try {
      await act(id)
      succeeded.push(id)
      output.event({ type: done, id })
    } catch (error) {
      signal.throwIfAborted()
      const outcome = describeFailure(error, env, '')
      outcomes.push(outcome)
      failed.push({ id, code: outcome.error?.code ?? '', message: outcome.error?.message ?? '' })
    }
  }
  const result = { [done]: succeeded, failed }
  const text = succeeded.map((id) => `${id} ${done}`)
  const [first] = outcomes
  if (!first) return { result, text }
  if (succeeded.length === 0 && outcomes.length === 1) return { ...first, result, text }
  const problems = failed.map(({ id, message }) => `${id}: ${message}`)
  const exitCode = succeeded.length > 0 ? EXIT.partly : (first.exitCode ?? EXIT.unexpected)
  return {
    result,
    text,
    exitCode,
    error: { code: 'partly', message: `${failed.length} of ${ids.length} failed.`, problems },
  }
}
