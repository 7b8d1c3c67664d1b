import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { filesOfHandle } from '../../client/folder/files-of-handle.ts'
import type { FileHandle, FolderHandle } from '../../client/folder/folder-files.ts'
import { listFolder } from '../../client/folder/list-folder.ts'
import { createClient, memoryStateStore } from '../../client/index.ts'
import { FakeApi } from './fake-api.ts'

/** A folder as a page has it, of these files, and of the folders whose paths end in a slash. */
function handleOf(name: string, files: Readonly<Record<string, string>>): FolderHandle {
  const names = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))].filter(Boolean)
  const entries = names.map((own): FolderHandle | FileHandle => {
    const text = files[own]
    if (text !== undefined) return { kind: 'file', name: own, getFile: async () => new File([text], own) }
    const below = Object.entries(files).filter(([path]) => path.startsWith(`${own}/`))
    return handleOf(own, Object.fromEntries(below.map(([path, content]) => [path.slice(own.length + 1), content])))
  })
  return {
    kind: 'directory',
    name,
    async *values() {
      yield* entries
    },
    async getFileHandle(own: string) {
      const found = entries.find(({ name }) => name === own)
      if (found?.kind === 'file') return found
      throw new DOMException('There is none.', 'NotFoundError')
    },
  }
}

const FILES = {
  'index.html': '<p>',
  'notes.txt': 'draft',
  'below/page.html': '<p>2',
  'below/draft.txt': 'draft',
  'below/kept.txt': 'kept',
  'build/out.js': '1',
  '.env': 'SECRET=1',
  '.well-known/security.txt': 'Contact: mailto:a@example.com',
  'node_modules/x/index.js': '2',
  '.hookline.json': '{}',
  '.hooklineignore': '*.txt\n!security.txt\nbuild/\n',
  'below/.hooklineignore': '!kept.txt\n',
  'empty/inner/': '',
  'below/empty/': '',
  'build/empty/': '',
  'drafts/one.txt': 'draft',
  'secret/.env': 'SECRET=1',
}

function clientOf(api: FakeApi) {
  return createClient({ api: 'https://api.test', key: 'hk_test', fetch: api.fetch, state: memoryStateStore() })
}

it('a folder of a page becomes one directory, without what put leaves out, each named', async () => {
  const api = new FakeApi()
  const { skipped, items } = await clientOf(api).putFolder(handleOf('site', FILES), { to: 'IPFS' })
  expect(items).toMatchObject([{ mimetype: 'inode/directory', status: '402 Payment Required' }])
  const stored = [...api.items.values()].filter(({ mimetype }) => mimetype !== 'inode/directory')
  expect(stored.map(({ name }) => name).sort()).toEqual(['index.html', 'kept.txt', 'page.html', 'security.txt'])
  const folders = [...api.folders.values()].map(({ name }) => name)
  expect(folders.slice(1)).toEqual(['.well-known', 'below', 'empty', 'drafts', 'empty', 'inner', 'secret'])
  expect(skipped.map(({ path }) => path).sort()).toEqual([
    '.env',
    '.hookline.json',
    '.hooklineignore',
    'below/.hooklineignore',
    'below/draft.txt',
    'build',
    'drafts/one.txt',
    'node_modules',
    'notes.txt',
    'secret/.env',
  ])
})

it('chooses the files that a path of the same files chooses, with hidden ones too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-handle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(path.endsWith('/') ? join(folder, path) : dirname(join(folder, path)), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(join(folder, path), content)
  }
  for (const hidden of [false, true]) {
    const { signal } = new AbortController()
    const { files, emptyFolders, skipped } = await listFolder(folder, { hidden, maxFiles: 100, signal })
    const { filesOfHandle } = await import('../../client/folder/files-of-handle.ts')
    const found = await filesOfHandle(handleOf('site', FILES), { hidden })
    expect(found.files.map(({ path }) => path)).toEqual(files.map(({ path }) => path))
    expect(found.emptyFolders).toEqual(emptyFolders)
    expect(emptyFolders).toEqual(['below/empty', 'drafts', 'empty/inner', ...(hidden ? [] : ['secret'])])
    const byPath = (list: readonly { path: string; why: string }[]) =>
      list.map(({ path, why }) => `${path}: ${why}`).sort()
    expect(byPath(found.skipped)).toEqual(byPath(skipped))
  }
})

it('ends before anything is stored where the patterns cannot be read', async () => {
  const api = new FakeApi()
  const handle = handleOf('site', FILES)
  handle.getFileHandle = async () => Promise.reject(new DOMException('No.', 'NotAllowedError'))
  await expect(clientOf(api).putFolder(handle, { to: 'IPFS' })).rejects.toMatchObject({ code: 'invalid_files' })
  expect(api.items.size).toBe(0)
})

const LEFT_BY_DESKTOPS = {
  'index.html': '<p>',
  '__MACOSX/._index.html': 'x',
  '__MACOSX/a/._b': 'x',
  'photos/.DS_Store': 'x',
  'deep/er/Thumbs.db': 'x',
  'deep/er/still/desktop.ini': 'x',
  'mixed/._x': 'x',
  'mixed/y.txt': 'y',
  'real/empty/': '',
  'real/.DS_Store': 'x',
  'kept/.gitkeep': '',
  '$RECYCLE.BIN/x': 'x',
  'thumbs.DB': 'x',
  '._index.html': 'x',
}

it.each([false, true])('files of the desktop leave no empty folder, with hidden files: %s', async (hidden) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-desktop-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(LEFT_BY_DESKTOPS)) {
    mkdirSync(path.endsWith('/') ? join(folder, path) : dirname(join(folder, path)), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(join(folder, path), text)
  }
  const local = await listFolder(folder, { hidden, maxFiles: 100, signal: new AbortController().signal })
  const handle = await filesOfHandle(handleOf('site', LEFT_BY_DESKTOPS), { hidden })
  const files = ['index.html', ...(hidden ? ['kept/.gitkeep'] : []), 'mixed/y.txt']
  for (const { files: listed, emptyFolders, skipped } of [local, handle]) {
    expect(listed.map(({ path }) => path)).toEqual(files)
    // What the author left empty, and what a hidden file alone keeps, stays.
    expect(emptyFolders).toEqual(hidden ? ['real/empty'] : ['kept', 'real/empty'])
    expect(
      skipped
        .filter(({ why }) => why === 'a file of the desktop')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(
      [
        '$RECYCLE.BIN',
        '._index.html',
        '__MACOSX',
        'deep/er/Thumbs.db',
        'deep/er/still/desktop.ini',
        'mixed/._x',
        'photos/.DS_Store',
        'real/.DS_Store',
        'thumbs.DB',
      ].sort(),
    )
  }
})
