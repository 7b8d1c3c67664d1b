import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { hasFolderNamed, updateFolderLabel } from '../../../../../worker/features/items/sql/labels.ts'
import { add, read } from '../../../rows.ts'

it('a folder is named and moved by its owner alone, and only where it is there', async () => {
  await add('folders', { id: 'of-bob', user_id: 'bob' })
  const label = { id: 'of-bob', name: 'renamed', folderId: null }
  expect(await updateFolderLabel(env.DB, { ...label, userId: 'ada' }, 5)).toBe(false)
  expect(await read('folders', 'id', 'name')).toEqual({ 'of-bob': 'of-bob' })
  expect(await updateFolderLabel(env.DB, { ...label, id: 'gone', userId: 'bob' }, 5)).toBe(false)
  expect(await updateFolderLabel(env.DB, { ...label, userId: 'bob' }, 5)).toBe(true)
  expect(await read('folders', 'id', 'name')).toEqual({ 'of-bob': 'renamed' })
})

it('a folder is moved neither into one that was merged nor into a folder of that', async () => {
  await add('folders', { id: 'to-move' }, { id: 'merged' }, { id: 'inside', parent_id: 'merged' })
  await add('items', { id: 'directory', directory_of: 'merged' })
  const move = (folderId: string) =>
    updateFolderLabel(env.DB, { id: 'to-move', userId: 'ada', name: 'to-move', folderId }, 5)
  expect([await move('merged'), await move('inside'), await move('gone')]).toEqual([false, false, false])
  expect(await read('folders', 'id', 'parent_id')).toMatchObject({ 'to-move': null })
})

it('a folder keeps its name to itself in the folder that it is in, and nowhere else', async () => {
  await add('folders', { id: 'place' }, { id: 'first', name: 'named', parent_id: 'place' })
  const isTaken = (folderId: string | null, except = 'another') =>
    hasFolderNamed(env.DB, { userId: 'ada', blockchain: 'IPFS', name: 'named', folderId }, except)
  expect([await isTaken('place'), await isTaken('place', 'first'), await isTaken(null)]).toEqual([true, false, false])
})
