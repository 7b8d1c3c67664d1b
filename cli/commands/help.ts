import { commandHelp, overviewHelp } from '../describe/help-text.ts'
import { TOPICS } from '../describe/topics.ts'
import { didYouMean } from '../parse/nearest-name.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run({ line, commands }: Context): Promise<Outcome> {
  const topic = line.words.join(' ')
  if (topic === '') return { result: { text: overviewHelp(commands) }, text: [overviewHelp(commands)] }
  const command = commands.find(({ name }) => name === topic)
  const text = command ? commandHelp(command) : TOPICS[topic]?.()
  if (text === undefined) {
    const names = [...commands.map(({ name }) => name), ...Object.keys(TOPICS)]
    throw usageError(`There is no help on ${JSON.stringify(topic)}.`, didYouMean(topic, names, 'hookline help '))
  }
  return { result: { text }, text: [text] }
}
