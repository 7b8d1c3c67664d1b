import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { documentCommands, shellWords } from '../kit/document-commands.ts'
import { PASSWORD } from '../kit/sign-up.ts'
import { EMAIL, openService, token, worker } from './open-service.ts'

openService({ account: 'admin' })

const commands = documentCommands().map(({ command }) => command)

/** The request of a command of `curl`, with what stands for the reader's own put in. */
function requestOf(command: string): [url: string, init: RequestInit] {
  const words = shellWords(command)
  const after = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []))
  const own = (text: string) =>
    text
      .replace('https://api.hookline.io', worker.url)
      .replace('$TOKEN', token)
      .replace(/<txid>|<64 hex digits>/, 'ab'.repeat(32))
      .replace('you@example.com', EMAIL)
      .replace('"…"', JSON.stringify(PASSWORD))
  const headers = after('-H').map((header): [string, string] => {
    const [name = '', value = ''] = own(header).split(': ')
    return [name, value]
  })
  const [method = 'POST'] = after('-X')
  const [body = ''] = after('-d').map(own)
  return [own(words.find((word) => word.startsWith('https://')) ?? ''), { method, headers, body }]
}

/** What each is answered on a service that runs well: what it asks for is understood in any case. */
const ANSWERS: readonly (readonly [path: string, status: number, code?: string])[] = [
  ['/v0/token', 200],
  ['/v0/denied', 204],
  ['/v0/operate/stop/Bitcoin', 200],
  ['/v0/operate/send/', 404, 'not_found'],
  ['/v0/operate/rewind', 409, 'nothing_to_accept'],
]

describe('the commands of the pages for operators', () => {
  const curls = commands.filter((command) => command.includes('curl'))

  it('are as many as there are answers here', () => {
    expect(curls).toHaveLength(ANSWERS.length)
  })

  it.each(curls)('%s', async (command) => {
    const expected = ANSWERS.find(([path]) => command.includes(`hookline.io${path}`))
    const response = await fetch(...requestOf(command))
    const text = await response.text()
    expect([response.status, text === '' ? undefined : JSON.parse(text).code]).toEqual([expected?.[1], expected?.[2]])
  })

  it('make keys that sign tokens', () => {
    const [make = ''] = commands.filter((command) => command.startsWith('node -e'))
    const [, ...args] = shellWords(make)
    const made: unknown = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
    expect(made).toEqual({ keys: [{ kty: 'oct', alg: 'HS256', k: expect.stringMatching(/^[\w-]{43}$/) }] })
  })
})
