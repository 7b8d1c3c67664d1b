import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it.each(readdirSync('client/resources'))('every public method of client/resources/%s has a comment', (name) => {
  const lines = readFileSync(`client/resources/${name}`, 'utf8').split('\n')
  const bare = lines.filter((line, index) => {
    const method = /^ {4}(?:async (?<called>\w+)\(|(?<made>\w+): (?:<\w+>)?\()/.test(line)
    return method && !/\*\/\s*$/.test(lines[index - 1] ?? '')
  })
  expect(bare).toEqual([])
})
