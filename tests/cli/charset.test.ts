import { expect, it } from 'vitest'
import { DECLARED, latin1, UNDECLARED } from '../kit/declared-charsets.ts'
import { ApiServer, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'

const PUT = ['--to', 'nativecoin', '--max-fee', '1']
const FILES = { ...DECLARED, ...UNDECLARED }

it('put names the charset that the bytes of each file declare, and none that they contradict', async () => {
  const api = await ApiServer.start([TARGETS])
  const user = new User(api.url)
  user.write('folder/data.json', '{"a":"ü"}')
  for (const [name, { bytes }] of Object.entries(FILES)) user.write(`folder/${name}`, bytes)
  await user.json(['put', 'folder', ...PUT])
  const stored = Object.fromEntries([...api.fake.items.values()].map(({ name, mimetype }) => [name, mimetype]))
  const types = Object.entries(FILES).map(([name, { type }]) => [name, type])
  expect(stored).toEqual({ ...Object.fromEntries(types), 'data.json': 'application/json' })
})

it('put keeps the charset that --mimetype names, unless the bytes contradict it', async () => {
  const api = await ApiServer.start([TARGETS])
  const user = new User(api.url)
  for (const [name, mimetype, sent] of [
    ['a.txt', 'text/plain; charset=iso-8859-1', 'text/plain; charset=iso-8859-1'],
    ['b.txt', 'text/plain; charset=utf-8', 'text/plain'],
  ] as const) {
    user.write(name, latin1('Gr\xfc\xdfe'))
    await user.json(['put', name, '--mimetype', mimetype, ...PUT])
    expect([...api.fake.items.values()].find((item) => item.name === name)?.mimetype).toBe(sent)
  }
})
