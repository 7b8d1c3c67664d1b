import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { expect, it } from 'vitest'
import { checked } from '../../cli/content/read-content.ts'
import { ApiServer, type Fate, type Route, TARGETS, targetsWith } from './api-server.ts'
import { User } from './run-hookline.ts'

/** The account has a balance, and the fake service pays from it. */
const rich = (api: ApiServer, balance: number): Route => [
  'GET',
  /^\/v0\/user$/,
  async () => {
    const profile = await api.fake.fetch(`${api.url}/v0/user`, { method: 'GET' }).then((response) => response.json())
    return { json: { ...profile, balances: { ...profile.balances, Nativecoin: balance / 1e8 } } }
  },
]

async function start(balance = 0) {
  const api = await ApiServer.start([TARGETS])
  api.fake.balance = balance
  api.routes.push(rich(api, balance))
  return { api, user: new User(api.url) }
}

const PUT = ['--to', 'nativecoin', '--max-fee', '1']
const items = (api: ApiServer) => [...api.fake.items.values()]

it('command 6: goes on with a file whose date or path changed, and begins anew with one byte changed', async () => {
  const { api, user } = await start()
  writeFileSync(user.path('a.txt'), 'x'.repeat(2500))
  const first = await user.json(['put', 'a.txt', ...PUT])
  utimesSync(user.path('a.txt'), 1, 1)
  const again = await user.json(['put', 'a.txt', ...PUT])
  expect(again.document.result.items).toEqual(first.document.result.items)
  mkdirSync(user.path('folder'))
  renameSync(user.path('a.txt'), user.path('folder', 'a.txt'))
  await user.json(['put', 'folder/a.txt', ...PUT])
  expect(items(api)).toHaveLength(1)
  writeFileSync(user.path('folder', 'a.txt'), `${'x'.repeat(2499)}y`)
  utimesSync(user.path('folder', 'a.txt'), 1, 1)
  await user.json(['put', 'folder/a.txt', ...PUT])
  expect(items(api)).toHaveLength(2)
})

it('command 6: knows an order by its service, account and target too', async () => {
  const { api, user } = await start()
  writeFileSync(user.path('a.txt'), 'content')
  await user.json(['put', 'a.txt', ...PUT])
  await user.json(['put', 'a.txt', '--to', 'bitcoin', '--max-fee', '1'])
  const other = await ApiServer.start([TARGETS])
  await user.json(['put', 'a.txt', ...PUT, '--api', other.url])
  expect(items(api).map(({ blockchain }) => blockchain)).toEqual(['Nativecoin', 'Bitcoin'])
  expect(items(other)).toHaveLength(1)
})

it('command 6: spools stdin, and goes on with the same content', async () => {
  const { api, user } = await start()
  const args = ['put', '-', '--name', 'notes.txt', ...PUT]
  await user.json(args, { input: 'y'.repeat(2500) })
  await user.json(args, { input: 'y'.repeat(2500) })
  expect(items(api)).toHaveLength(1)
  expect(api.fake.received).toBe(2500)
  expect(readdirSync(user.path('.local', 'state', 'hookline', 'stdin'))).toEqual([])
})

it('command 7: writes the state before the first byte of content, where XDG_STATE_HOME says', async () => {
  const { api, user } = await start()
  writeFileSync(user.path('a.txt'), 'content')
  let journal = ''
  api.fate = ({ method, path }) => {
    if (method === 'POST' && path === '/v0/item') {
      const orders = user.path('state', 'hookline', 'orders')
      journal = readFileSync(`${orders}/${readdirSync(orders)[0]}/journal.jsonl`, 'utf8')
    }
    return 'answer'
  }
  await user.run(['put', 'a.txt', ...PUT], { env: { XDG_STATE_HOME: user.path('state') } })
  expect(journal).toContain('"kind":"order"')
})

it('command 7: keeps a second run of the same command out while the first one runs', async () => {
  const { api, user } = await start()
  writeFileSync(user.path('a.txt'), 'content')
  let second: ReturnType<User['json']> | undefined
  api.fate = async ({ path }): Promise<Fate> => {
    if (path.includes('/chunk/') && !second) {
      second = user.json(['put', 'a.txt', ...PUT])
      await second
    }
    return 'answer'
  }
  expect(await user.run(['put', 'a.txt', ...PUT])).toMatchObject({ code: 8 })
  expect((await second)?.document).toMatchObject({ exitCode: 7, error: { code: 'running_already' } })
  expect(items(api)).toHaveLength(1)
})

it('command 8: names all faults of a folder at once, and creates nothing', async () => {
  const { api, user } = await start()
  mkdirSync(user.path('folder', 'sub'), { recursive: true })
  writeFileSync(user.path('folder', 'good.txt'), 'good')
  writeFileSync(user.path('folder', 'sub', 'with\\backslash'), 'bad')
  writeFileSync(user.path('folder', 'sub', 'with\nline'), 'bad')
  const ran = await user.json(['put', 'folder', ...PUT])
  expect(ran.document).toMatchObject({
    exitCode: 2,
    error: { problems: [expect.stringContaining('line'), expect.stringContaining('backslash')] },
  })
  expect(api.seen).toEqual([])
})

it('command 8: counts a file and a folder that the user may not read among the faults', () => {
  const file = { source: '/a', mimetype: 'text/plain', unreadable: true }
  const files = [
    { ...file, path: 'a', size: 1 },
    { ...file, path: 'sub/', size: 0 },
  ]
  const remove = async () => undefined
  const content = {
    kind: 'folder' as const,
    name: 'folder',
    root: '/folder',
    files,
    emptyFolders: [],
    skipped: [],
    bytes: 2,
    remove,
  }
  expect(() => checked(content)).toThrow(
    expect.objectContaining({
      exitCode: 2,
      details: { problems: ['a: you have no permission to read it.', 'sub/: you have no permission to read it.'] },
    }),
  )
})

it('command 8: refuses files that are too large for the target, all of them, before anything is created', async () => {
  const { api, user } = await start()
  mkdirSync(user.path('folder'))
  for (const name of ['a', 'b', 'c']) writeFileSync(user.path('folder', name), name.repeat(name === 'b' ? 10 : 200))
  api.routes.unshift(targetsWith({ maxFileBytes: 100 }))
  const ran = await user.json(['put', 'folder', ...PUT])
  expect(ran.document.exitCode).toBe(2)
  expect(ran.document.error.problems).toEqual([
    expect.stringMatching(/^a: .*200 bytes/),
    expect.stringMatching(/^c: .*200 bytes/),
  ])
  expect(api.paths.filter((path) => !path.startsWith('GET'))).toEqual([])
})

/** Runs until it ends by itself; each run is killed at the request that `kill` names. */
async function killedAt(user: User, api: ApiServer, args: string[], request: number, fate: Fate) {
  const first = api.seen.length
  let reached = false
  await user.run(args, {
    onStart(child) {
      api.fate = (_seen, index) => {
        if (index - first !== request) return 'answer'
        reached = true
        child.kill('SIGKILL')
        return fate
      }
    },
  })
  api.fate = () => 'answer'
  return reached
}

it.each(['cut before', 'cut after'] as const)(
  'command 9: killed at every request in turn (%s), the rerun ends with one item and one payment',
  async (fate) => {
    for (let request = 1; ; request++) {
      const { api, user } = await start(1_000_000)
      writeFileSync(user.path('a.txt'), 'z'.repeat(2500))
      const args = ['put', 'a.txt', ...PUT, '--pay-from-balance']
      const reached = await killedAt(user, api, args, request, fate)
      const { document } = await user.json(args)
      expect(document, `killed at request ${request}`).toMatchObject({ ok: true, result: { state: 'writing' } })
      expect(items(api), `killed at request ${request}`).toHaveLength(1)
      expect(api.fake.charges).toBe(1)
      expect(api.fake.contentOf(items(api)[0]?.id ?? '').toString()).toBe('z'.repeat(2500))
      if (!reached) break
      expect(request).toBeLessThan(40)
    }
  },
)

it('command 9: killed at every request of a folder in turn, over and over, it ends as one order that sent and paid nothing twice', async () => {
  const { api, user } = await start(1_000_000)
  mkdirSync(user.path('folder'))
  for (let index = 0; index < 4; index++) writeFileSync(user.path('folder', `${index}.txt`), String(index).repeat(1500))
  const args = ['put', 'folder', ...PUT, '--pay-from-balance']
  for (let request = 1; request < 18; request++)
    await killedAt(user, api, args, request, request % 2 ? 'cut before' : 'cut after')
  const { document } = await user.json(args)
  expect(document).toMatchObject({ ok: true, result: { state: 'writing', files: 4 } })
  expect(items(api)).toHaveLength(4)
  expect(api.fake.charges).toBe(1)
})

it('command 10: a file that fails stops no other, is named, and is all that the rerun sends', async () => {
  const { api, user } = await start(1_000_000)
  mkdirSync(user.path('folder'))
  for (const name of ['a', 'b', 'c']) writeFileSync(user.path('folder', name), name.repeat(500))
  let failing = true
  api.fake.before = ({ method, path }) => {
    const id = path.split('/')[3] ?? ''
    if (!failing || method !== 'PUT' || api.fake.items.get(id)?.name !== 'b') return undefined
    return Response.json({ code: 'bad_luck', message: 'The service could not take it.' }, { status: 422 })
  }
  const args = ['put', 'folder', ...PUT, '--pay-from-balance']
  const first = await user.json(args)
  expect(first.document).toMatchObject({
    exitCode: 3,
    result: { failed: [{ path: 'b', code: 'bad_luck', message: 'The service could not take it.' }] },
  })
  expect(first.document.result.items.map(({ name }: { name: string }) => name)).toEqual(['a', 'c'])
  failing = false
  const sent = api.fake.received
  const second = await user.json(args)
  expect(second.document).toMatchObject({ exitCode: 8 })
  expect(api.fake.received - sent).toBe(500)
  expect(items(api)).toHaveLength(3)
})

it('command 10: a file that is gone when it is to be sent is one that fails, and all that the rerun sends', async () => {
  const { api, user } = await start(1_000_000)
  mkdirSync(user.path('folder'))
  for (const name of ['a', 'b', 'c']) writeFileSync(user.path('folder', name), name.repeat(500))
  api.fate = ({ path }) => {
    if (path === '/v0/item') rmSync(user.path('folder', 'b'), { force: true })
    return 'answer'
  }
  const args = ['put', 'folder', ...PUT, '--pay-from-balance']
  const first = await user.json(args)
  expect(first.document).toMatchObject({ exitCode: 3, result: { failed: [{ path: 'b' }] } })
  expect(first.document.result.items.map(({ name }: { name: string }) => name)).toEqual(['a', 'c'])
  api.fate = () => 'answer'
  writeFileSync(user.path('folder', 'b'), 'b'.repeat(500))
  const sent = api.fake.received
  const second = await user.json(args)
  expect(second.document).toMatchObject({ exitCode: 8 })
  expect(api.fake.received - sent).toBe(500)
})

it('command 20: a link that leads nowhere is left out and named', async () => {
  const { user } = await start(1_000_000)
  mkdirSync(user.path('folder'))
  for (const name of ['a', 'b']) writeFileSync(user.path('folder', name), name.repeat(500))
  symlinkSync('/nowhere/at/all', user.path('folder', 'link'))
  const ran = await user.json(['put', 'folder', ...PUT, '--pay-from-balance'])
  expect(ran.document.result).toMatchObject({ files: 2, skipped: [{ path: 'link', why: 'a link that leads nowhere' }] })
})

it('--new begins again what was stored before', async () => {
  const { api, user } = await start()
  writeFileSync(user.path('a.txt'), 'content')
  await user.run(['put', 'a.txt', ...PUT])
  await user.run(['put', 'a.txt', ...PUT])
  expect(items(api)).toHaveLength(1)
  await user.run(['put', 'a.txt', ...PUT, '--new'])
  expect(items(api)).toHaveLength(2)
})

it('refuses to store a mixture of a file that changes while it is being stored', async () => {
  const { api, user } = await start()
  writeFileSync(user.path('a.txt'), 'q'.repeat(2500))
  api.fate = ({ path }) => {
    if (path === '/v0/item') writeFileSync(user.path('a.txt'), 'r'.repeat(2500))
    return 'answer'
  }
  const { document } = await user.json(['put', 'a.txt', ...PUT])
  expect(document).toMatchObject({ ok: false, error: { code: 'content_changed' } })
  expect(api.fake.received).toBe(0)
})

it('content that the account has is listed and not paid again, without a journal, and stored anew with --new', async () => {
  const { api, user } = await start(1_000_000)
  api.fake.knowsItems = true
  writeFileSync(user.path('a.txt'), 'content')
  const args = ['put', 'a.txt', '--to', 'nativecoin', '--max-fee', '1', '--pay-from-balance']
  await user.run(args)
  rmSync(user.path('.local'), { recursive: true })
  const sent = api.fake.received
  const again = await user.json(args)
  expect(again.document).toMatchObject({ ok: true, result: { known: ['a.txt'], state: 'writing', payments: [] } })
  expect(again.stderr).toContain('You have this already: a.txt.')
  expect([items(api).length, api.fake.charges, api.fake.received]).toEqual([1, 1, sent])
  await user.run([...args, '--new'])
  expect([items(api).length, api.fake.charges]).toEqual([2, 2])
})
