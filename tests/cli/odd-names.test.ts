import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseCommandLine } from '../../cli/parse/parse-command-line.ts'
import { COMMANDS } from '../../cli/table/command-table.ts'
import { ApiServer, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'

async function start() {
  const api = await ApiServer.start([TARGETS])
  return { api, user: new User(api.url) }
}

const PUT = ['--to', 'nativecoin', '--max-fee', '1']

it('a name that is no UTF-8 is told with its bytes, and nothing is sent', async () => {
  const { api, user } = await start()
  user.write('folder/a.txt', 'a')
  writeFileSync(
    Buffer.concat([Buffer.from(`${user.path('folder')}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]),
    'b',
  )
  const { document } = await user.json(['put', 'folder', ...PUT])
  expect(document).toMatchObject({ exitCode: 2, error: { message: 'caf\\xe9.txt: its name is not valid UTF-8.' } })
  expect(api.seen).toEqual([])
})

it('what turns the direction of text around is written as its escape, in text and in JSON', async () => {
  const { user } = await start()
  user.write('gpj\u202etxt.exe', 'a')
  const text = await user.run(['put', 'gpj\u202etxt.exe', ...PUT])
  expect(text.stdout).toContain('gpj\\u202etxt.exe')
  const json = await user.run(['put', 'gpj\u202etxt.exe', ...PUT, '--json'])
  expect(json.stdout).toContain('gpj\\u202etxt.exe')
  expect(JSON.parse(json.stdout).result.items[0].name).toBe('gpj\u202etxt.exe')
  for (const { stdout, stderr } of [text, json]) expect(stdout + stderr).not.toContain('\u202e')
})

it('options may follow a file that begins with a dash', async () => {
  const { api, user } = await start()
  user.write('-odd.txt', 'odd')
  expect(await user.run(['put', '--', '-odd.txt', ...PUT])).toMatchObject({ code: 8 })
  expect([...api.fake.items.values()].map(({ name }) => name)).toEqual(['-odd.txt'])
})

it.each([
  ['put', ['--', '--to', '--to', 'ipfs'], ['--to'], 'ipfs'],
  ['put', ['--to', 'ipfs', '--', '--new'], ['--new'], 'ipfs'],
  ['rm', ['--', '-a', '--yes'], ['-a', '--yes'], undefined],
])('%s %j takes %j as arguments', (name, words, expected, to) => {
  const command = COMMANDS.find((one) => one.name === name) ?? COMMANDS[0]
  if (!command) throw new Error('there is no command')
  const line = parseCommandLine(command, words)
  expect([line.words, line.value('to')]).toEqual([expected, to])
})

it('what was begun on this machine is told in Unix seconds', async () => {
  const { user } = await start()
  user.write('a.txt', 'a')
  await user.run(['put', 'a.txt', ...PUT])
  const { document } = await user.json(['status'])
  const [order] = document.result.orders
  expect(Math.abs(order.at - Date.now() / 1000)).toBeLessThan(600)
})
