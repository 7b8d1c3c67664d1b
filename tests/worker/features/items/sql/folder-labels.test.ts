import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { updateFolderLabel } from '../../../../../worker/features/items/sql/labels.ts'
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
