import { symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'
import { ApiServer, answerBy, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'

async function start() {
  const api = await ApiServer.start([TARGETS])
  return { api, user: new User(api.url) }
}

const PUT = ['--to', 'nativecoin', '--max-fee', '1']
const names = (api: ApiServer) => [...api.fake.items.values()].map(({ name }) => name).sort()

it.each([
  ['a file', 'a.txt', 'nativecoin'],
  ['a folder on a chain', 'folder', 'nativecoin'],
  ['a folder on IPFS', 'folder', 'ipfs'],
])('put, rm and put begins anew: %s', async (_, what, target) => {
  const { api, user } = await start()
  user.write('a.txt', 'content')
  for (const name of ['b', 'c']) user.write(`folder/${name}.txt`, name.repeat(1500))
  const args = ['put', what, '--to', target, '--max-fee', '1']
  const first = await user.json(args)
  const ids: string[] = first.document.result.items.map(({ id }: { id: string }) => id)
  expect(await user.run(['rm', ...ids, '--yes'])).toMatchObject({ code: 0 })
  const second = await user.json(args)
  expect(second.document).toMatchObject({ exitCode: 8, result: { state: 'unpaid', failed: [] } })
  const anew: string[] = second.document.result.items.map(({ id }: { id: string }) => id)
  expect(anew).toHaveLength(ids.length)
  expect(anew.filter((id) => ids.includes(id))).toEqual([])
  for (const id of anew) expect(api.fake.items.get(id)?.status).toBe('402 Payment Required')
})

it('one of several items that was deleted is made anew, the others stay', async () => {
  const { api, user } = await start()
  for (const name of ['a', 'b', 'c']) user.write(`folder/${name}.txt`, name.repeat(1500))
  const first = await user.json(['put', 'folder', ...PUT])
  const [, b = ''] = first.document.result.items.map(({ id }: { id: string }) => id)
  await user.run(['rm', b, '--yes'])
  const sent = api.fake.received
  const second = await user.json(['put', 'folder', ...PUT])
  expect(second.document).toMatchObject({ result: { failed: [], state: 'unpaid' } })
  expect([names(api), api.fake.received - sent]).toEqual([['a.txt', 'b.txt', 'c.txt'], 1500])
})

it('files whose name begins with a dot stay out, each named, unless --hidden takes them', async () => {
  const { api, user } = await start()
  for (const path of ['.env', '.well-known/security.txt', 'a.txt', 'sub/.secret', 'empty.txt'])
    user.write(`folder/${path}`, path === 'empty.txt' ? '' : path)
  const ran = await user.json(['put', 'folder', ...PUT])
  expect(names(api)).toEqual(['a.txt', 'empty.txt', 'security.txt'])
  expect(ran.document.result.skipped.map(({ path }: { path: string }) => path).sort()).toEqual(['.env', 'sub/.secret'])
  expect(ran.stderr).toContain('.env: hidden')
  expect(ran.stderr).toContain('sub/.secret: hidden')
  await user.json(['put', 'folder', ...PUT, '--hidden'])
  expect(names(api)).toContain('.secret')
})

it('.hooklineignore leaves out what .gitignore would, in the folder and below it', async () => {
  const { api, user } = await start()
  user.write('folder/.hooklineignore', '# drafts\n*.draft\n/build/\n!kept.draft\nlogs/*.txt\n')
  user.write('folder/sub/.hooklineignore', '!*.draft\nlocal.txt\n')
  const paths = ['a.txt', 'b.draft', 'kept.draft', 'build/x.txt', 'sub/build/y.txt', 'sub/c.draft', 'sub/local.txt']
  for (const path of [...paths, 'logs/l.txt', 'logs/deep/m.txt']) user.write(`folder/${path}`, path)
  const ran = await user.json(['put', 'folder', ...PUT, '--hidden'])
  expect(names(api)).toEqual(['a.txt', 'c.draft', 'kept.draft', 'm.txt', 'y.txt'])
  expect(ran.document.result.skipped).toContainEqual({ path: 'b.draft', why: 'named in .hooklineignore' })
})

it('.hooklineignore may be in UTF-16, as PowerShell writes it', async () => {
  const { api, user } = await start()
  user.write('folder/.hooklineignore', Buffer.from('\ufeff*.draft\r\n', 'utf16le'))
  for (const path of ['a.txt', 'b.draft']) user.write(`folder/${path}`, path)
  await user.run(['put', 'folder', ...PUT])
  expect(names(api)).toEqual(['a.txt'])
})

it('a .hooklineignore that cannot be read is said before anything is sent', async () => {
  const { api, user } = await start()
  user.write('folder/a.txt', 'a')
  symlinkSync('.', user.path('folder', '.hooklineignore'))
  expect((await user.json(['put', 'folder', ...PUT])).document).toMatchObject({
    exitCode: 2,
    error: { message: expect.stringContaining('.hooklineignore cannot be read') },
  })
  expect(api.seen).toEqual([])
})

it('verify compares the files that put would choose, empty ones too', async () => {
  const blocks = new TestBlocks()
  const cid = String(
    await importFiles(blocks, [
      { path: 'a.txt', content: Buffer.from('a') },
      { path: 'empty.txt', content: Buffer.alloc(0) },
    ]),
  )
  const api = await ApiServer.start([['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)]])
  const user = new User(api.url)
  user.write('site/a.txt', 'a')
  user.write('site/empty.txt', '')
  user.write('site/.env', 'a secret')
  user.write('site/b.log', 'noise')
  user.write('site/.hooklineignore', '*.log\n')
  expect((await user.json(['verify', 'site', cid])).document).toMatchObject({ exitCode: 0, result: { answer: 'same' } })
  const { document } = await user.json(['verify', 'site', cid, '--hidden'])
  expect(document).toMatchObject({ exitCode: 6, result: { differences: ['.env is here only'] } })
})
