import { expect, it } from 'vitest'
import { type DiskEvent, DiskModel, type FirstNode, type LastNode } from './disk-model.ts'

const FIRST: FirstNode[] = [
  { path: '', inode: 1n },
  { path: 'a', inode: 2n },
  { path: 'a/old', inode: 3n, bytes: new Uint8Array([1, 2, 3]) },
]

const madeFile = (path: string, inode: bigint): DiskEvent => ({ kind: 'made', path, inode, isFolder: false })
const wrote = (inode: bigint, offset: number, ...bytes: number[]): DiskEvent => ({
  kind: 'wrote',
  inode,
  offset,
  bytes: new Uint8Array(bytes),
})
const synced = (inode: bigint): DiskEvent => ({ kind: 'synced', inode })

/** The files after these events, by their paths: after a cut, and as processes see them. */
function run(...events: DiskEvent[]) {
  const model = new DiskModel(FIRST)
  for (const event of events) model.apply(event)
  const files = (nodes: LastNode[]) =>
    Object.fromEntries(nodes.flatMap(({ path, bytes }) => (bytes ? [[path, [...bytes]]] : [])))
  return { cut: files(model.afterCut()), seen: files(model.asSeen()) }
}

it('has the bytes of a file as they were at its last sync', () => {
  const events = [wrote(3n, 1, 9), synced(3n), wrote(3n, 2, 8, 7)]
  expect(run(...events)).toMatchObject({ cut: { 'a/old': [1, 9, 3] }, seen: { 'a/old': [1, 9, 8, 7] } })
})

it('fills with zeros what was never written, and has a file that was cut off as it was until its sync', () => {
  const events: DiskEvent[] = [{ kind: 'cut off', inode: 3n, size: 1 }, wrote(3n, 3, 5)]
  expect(run(...events)).toMatchObject({ cut: { 'a/old': [1, 2, 3] }, seen: { 'a/old': [1, 0, 0, 5] } })
  expect(run(...events, synced(3n)).cut).toEqual({ 'a/old': [1, 0, 0, 5] })
})

it('has a new name by a sync of the file or of its folder, and its bytes by one of the file alone', () => {
  const events = [madeFile('a/new', 4n), wrote(4n, 0, 6)]
  expect(run(...events).cut).not.toHaveProperty('a/new')
  expect(run(...events, synced(2n)).cut['a/new']).toEqual([])
  expect(run(...events, synced(4n)).cut['a/new']).toEqual([6])
})

it('has what is in a new folder where the name of that folder is there, too', () => {
  const made: DiskEvent = { kind: 'made', path: 'b', inode: 4n, isFolder: true }
  const events = [made, madeFile('b/new', 5n), wrote(5n, 0, 6), synced(5n)]
  expect(run(...events).cut).not.toHaveProperty('b/new')
  expect(run(...events, synced(1n)).cut['b/new']).toEqual([6])
})

it('has a file that was removed or renamed until its folder is synced', () => {
  const removed: DiskEvent = { kind: 'removed', path: 'a/old' }
  expect(run(removed)).toMatchObject({ cut: { 'a/old': [1, 2, 3] }, seen: {} })
  expect(run(removed, synced(2n)).cut).toEqual({})
  const renamed: DiskEvent = { kind: 'renamed', path: 'a/old', to: 'a/new' }
  expect(run(renamed).cut).toEqual({ 'a/old': [1, 2, 3] })
  expect(run(renamed, synced(2n)).cut).toEqual({ 'a/new': [1, 2, 3] })
})

it('takes the number of a removed file for a new one', () => {
  const events = [{ kind: 'removed', path: 'a/old' } as const, madeFile('a/old', 3n), wrote(3n, 0, 7), synced(3n)]
  expect(run(...events).cut).toEqual({ 'a/old': [7] })
})

it('has no bytes of a blob that was written and renamed, though the row that names it was synced', () => {
  const renamed: DiskEvent = { kind: 'renamed', path: 'a/draft', to: 'a/blob' }
  const blob = [madeFile('a/draft', 4n), wrote(4n, 0, 6), renamed]
  const row = [wrote(3n, 0, 4), synced(3n)]
  expect(run(...blob, ...row).cut).toEqual({ 'a/old': [4, 2, 3] })
  expect(run(...blob, synced(2n), ...row).cut).toEqual({ 'a/old': [4, 2, 3], 'a/blob': [] })
  expect(run(...blob, synced(4n), ...row).cut).toEqual({ 'a/old': [4, 2, 3], 'a/blob': [6] })
})

it('refuses events about files that nothing made: something was not logged', () => {
  expect(() => run(wrote(9n, 0, 1))).toThrow('nothing made the file')
  expect(() => run(madeFile('b/new', 4n))).toThrow('nothing made the folder')
})
