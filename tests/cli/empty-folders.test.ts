import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { CarWriter } from '@ipld/car/writer'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'
import { ApiServer, answerBy } from './api-server.ts'
import { User } from './run-hookline.ts'

/** Files by path, and `undefined` for an empty folder. */
type Tree = Record<string, string | Uint8Array | undefined>

const SITE: Tree = {
  'index.html': '<h1>Site</h1>',
  'guide/a.txt': 'a',
  'guide/empty': undefined,
  'deep/down/empty': undefined,
}

async function blocksOf(tree: Tree, options: { shardAbove?: number } = {}) {
  const blocks = new TestBlocks()
  const files = Object.entries(tree).map(([path, content]) => ({
    path,
    ...(content !== undefined && { content: Buffer.from(content) }),
  }))
  return { blocks, root: await importFiles(blocks, files, options) }
}

async function onIpfs(tree: Tree, options: { shardAbove?: number } = {}) {
  const { blocks, root } = await blocksOf(tree, options)
  return { user: await userOf(blocks), name: String(root), blocks }
}

async function userOf(blocks: TestBlocks) {
  const api = await ApiServer.start([['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)]])
  return new User(api.url, { HOOKLINE_KEY: '' })
}

async function onChain(tree: Tree) {
  const { blocks, root } = await blocksOf(tree)
  const { writer, out } = CarWriter.create([root])
  const parts: Uint8Array[] = []
  const reading = (async () => {
    for await (const part of out) parts.push(part)
  })()
  await writer.put({ cid: root, bytes: blocks.get(root) ?? new Uint8Array() })
  for (const bytes of blocks.blocks.values()) {
    for (const code of [dagPb.code, 0x55])
      await writer.put({ cid: CID.createV1(code, await sha256.digest(bytes)), bytes })
  }
  await writer.close()
  await reading
  const transactions = chainContent(brotliCompressSync(Buffer.concat(parts)), 80)
  const api = await ApiServer.start([
    ['GET', /^\/v0\/tx\/Nativecoin\//, answerBy(chainServer(transactions).fetch)],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
  ])
  return { user: new User(api.url, { HOOKLINE_KEY: '' }), name: transactions.map(({ txid }) => txid).join() }
}

describe.each([
  ['IPFS', onIpfs],
  ['IPFS in shards', (tree: Tree) => onIpfs(tree, { shardAbove: 0 })],
  ['a chain', onChain],
])('a directory on %s', (_, store) => {
  it('is written with its empty folders, which verify finds', async () => {
    const { user, name } = await store(SITE)
    const { document, stderr } = await user.json(['get', name, '-o', 'site'])
    expect(document, stderr).toMatchObject({ ok: true })
    expect([...document.result.emptyFolders].sort()).toEqual([
      user.path('site/deep/down/empty'),
      user.path('site/guide/empty'),
    ])
    expect(readdirSync(user.path('site/guide/empty'))).toEqual([])
    expect(await user.run(['verify', 'site', name])).toMatchObject({ code: 0, stdout: 'same\n' })
  })

  it.each([
    [
      'lacks an empty folder',
      (at: string) => rmdirSync(`${at}/guide/empty`),
      ['guide/empty/ is missing here, an empty folder'],
    ],
    [
      'has a file in the place of one',
      (at: string) => {
        rmdirSync(`${at}/guide/empty`)
        symlinkSync('a.txt', `${at}/guide/empty`)
      },
      ['guide/empty/ is missing here, an empty folder', 'guide/empty is here only'],
    ],
    [
      'has one more',
      (at: string) => mkdirSync(`${at}/more/and/more`, { recursive: true }),
      ['more/and/more/ is here only'],
    ],
    ['lacks a file', (at: string) => rmSync(`${at}/guide/a.txt`), ['guide/a.txt is missing here']],
  ])('verify of a folder that %s ends with 6', async (_, change, differences) => {
    const { user, name } = await store(SITE)
    await user.run(['get', name, '-o', 'site'])
    change(user.path('site'))
    const { document } = await user.json(['verify', 'site', name])
    expect(document).toMatchObject({ exitCode: 6, error: { code: 'different' }, result: { answer: 'different' } })
    expect([...document.result.differences].sort()).toEqual([...differences].sort())
  })

  it('get makes an empty folder that a path names', async () => {
    const { user, name } = await store(SITE)
    expect(await user.run(['get', `${name}/guide/empty`, '-o', 'empty'])).toMatchObject({ code: 0 })
    expect(statSync(user.path('empty')).isDirectory()).toBe(true)
    expect(await user.run(['verify', 'empty', `${name}/guide/empty`])).toMatchObject({ code: 0 })
  })

  it('get leaves a file alone that is where an empty folder belongs', async () => {
    const { user, name } = await store(SITE)
    user.write('site/guide/empty', 'mine')
    const { document } = await user.json(['get', name, '-o', 'site'])
    expect(document).toMatchObject({ exitCode: 5, error: { code: 'file_exists' } })
    expect(readFileSync(user.path('site/guide/empty'), 'utf8')).toBe('mine')
  })
})

it('a bare repository after "git gc" works again where get wrote it', async () => {
  const { user: maker } = await onIpfs(SITE)
  const git = (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: maker.home, GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', args, { cwd: maker.home, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  git('init', '-q', 'src')
  const name = ['-c', 'user.name=n', '-c', 'user.email=a@b.example']
  git('-C', 'src', ...name, 'commit', '-q', '--allow-empty', '-m', 'the first commit')
  git('clone', '-q', '--bare', 'src', 'repo')
  git('-C', 'repo', 'gc', '-q')
  const tree: Tree = {}
  for (const entry of readdirSync(maker.path('repo'), { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`
    const own = path.slice(maker.path('repo').length + 1)
    if (entry.isFile()) tree[own] = readFileSync(path)
    else if (readdirSync(path).length === 0) tree[own] = undefined
  }
  const { user, name: cid } = await onIpfs(tree)
  expect(await user.run(['get', cid, '-o', 'back'])).toMatchObject({ code: 0 })
  expect(git('-C', user.path('back'), 'log', '--format=%s')).toBe('the first commit\n')
  expect(await user.run(['verify', 'back', cid, '--hidden'])).toMatchObject({ code: 0 })
})

it('verify does not count what put leaves out, and names it', async () => {
  const { user, name } = await onIpfs(SITE)
  await user.run(['get', name, '-o', 'site'])
  user.write('site/.git/config', '')
  user.write('site/guide/empty/.hidden', '')
  const { document, stderr } = await user.json(['verify', 'site', name])
  const notCompared = [
    { path: '.git', why: 'a repository' },
    { path: 'guide/empty/.hidden', why: 'hidden (its name begins with a dot)' },
  ]
  expect(document).toMatchObject({ exitCode: 0 })
  expect(document.result.notCompared).toEqual(expect.arrayContaining(notCompared))
  expect(stderr).toContain('.git: a repository')
})

it('verify without --hidden still compares the hidden names that a directory has', async () => {
  const { user, name } = await onIpfs({ ...SITE, '.env/empty': undefined, '.note': 'a' })
  await user.run(['get', name, '-o', 'site'])
  expect(await user.run(['verify', 'site', name])).toMatchObject({ code: 0 })
  user.write('site/.note', 'b')
  expect((await user.json(['verify', 'site', name])).document).toMatchObject({
    exitCode: 6,
    result: { differences: ['.note differs'], notCompared: [] },
  })
})

it('a directory in which nothing is becomes an empty folder', async () => {
  const { blocks } = await onIpfs(SITE)
  const bytes = dagPb.encode({ Data: new UnixFS({ type: 'directory' }).marshal(), Links: [] })
  const cid = CID.createV1(dagPb.code, await sha256.digest(bytes))
  blocks.add(cid, bytes)
  const user = await userOf(blocks)
  expect(await user.run(['get', String(cid), '-o', 'nothing'])).toMatchObject({ code: 0 })
  expect(readdirSync(user.path('nothing'))).toEqual([])
  expect(await user.run(['verify', 'nothing', String(cid)])).toMatchObject({ code: 0 })
})

it('get names the symbolic links of a directory and leaves them out, and verify says so', async () => {
  const { blocks } = await onIpfs(SITE)
  const link = dagPb.encode({
    Data: new UnixFS({ type: 'symlink', data: Buffer.from('/etc/passwd') }).marshal(),
    Links: [],
  })
  const linkId = CID.createV1(dagPb.code, await sha256.digest(link))
  blocks.add(linkId, link)
  const links = [{ Name: 'to', Hash: linkId, Tsize: link.length }]
  const bytes = dagPb.encode({ Data: new UnixFS({ type: 'directory' }).marshal(), Links: links })
  const cid = CID.createV1(dagPb.code, await sha256.digest(bytes))
  blocks.add(cid, bytes)
  const user = await userOf(blocks)
  const got = await user.run(['get', String(cid), '-o', 'linked'])
  expect(got).toMatchObject({ code: 0, stderr: expect.stringContaining('a symbolic link') })
  expect(existsSync(user.path('linked/to'))).toBe(false)
  expect(await user.run(['verify', 'linked', String(cid)])).toMatchObject({ code: 6 })
})

it('verify of a folder with the CID of a file says so', async () => {
  const { blocks } = await onIpfs(SITE)
  const cid = await importFiles(blocks, [{ content: Buffer.from('a file') }])
  const user = await userOf(blocks)
  user.makeFolder('folder')
  expect((await user.json(['verify', 'folder', String(cid)])).document).toMatchObject({
    exitCode: 6,
    result: { differences: ['the name is that of a file'] },
  })
})
