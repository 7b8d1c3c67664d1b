import type { Context } from './context.ts'
import type { Json, Outcome } from './outcome.ts'

/** Prints the entries of a list as they are read, each as JSON or as a line of text; `none` if there are none. */
export async function printList<Entry>(
  { output }: Pick<Context, 'output'>,
  entries: AsyncIterable<Entry>,
  none: string,
  show: (entry: Entry) => { json: Json; text: string },
): Promise<Outcome> {
  let count = 0
  for await (const entry of entries) {
    const { json, text } = show(entry)
    await output.entry(json, text)
    count++
  }
  if (count === 0) output.note(none)
  return { result: null }
}
