import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { cancelRequest } from '../../../../worker/features/payments/cancel-request.ts'
import { openRequest } from '../../../../worker/features/payments/open-request.ts'
import { noted } from '../../noted-calls.ts'
import { add, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { mergedItem, newUser } from './pay-for-items.ts'

useDevnet()

it('a file of a directory is not paid for by itself', async () => {
  const { api, userId } = await newUser()
  const [file, directory] = [await mergedItem(api, 'Bitcoin'), await mergedItem(api, 'Bitcoin')]
  await env.DB.prepare('UPDATE items SET part_of = ? WHERE id = ?').bind(directory, file).run()
  const ask = (id: string) => openRequest(noted().context, { userId, target: 'Bitcoin', ids: [id] })
  await expect(ask(file)).rejects.toMatchObject({
    ...{ status: 409, code: 'item_in_directory', message: expect.stringContaining(directory) },
  })
  expect(await ask(directory)).toMatchObject({ state: 'waiting' })
})

it('what is uploaded, or merged, is not paid for before that has ended', async () => {
  const { userId } = await newUser()
  await add('items', { id: 'uploading', user_id: userId, status: 201 })
  await add('items', { id: 'merging', user_id: userId, status: 201, merging_at: 1 })
  for (const id of ['uploading', 'merging']) {
    const asked = openRequest(noted().context, { userId, target: 'Bitcoin', ids: [id] })
    await expect(asked).rejects.toMatchObject({
      code: 'item_not_payable',
      message: expect.stringContaining('uploaded'),
    })
  }
})

it('a request that is cancelled takes its folder with it where nothing else is in it', async () => {
  const { api, userId } = await newUser()
  const [first, second] = [await mergedItem(api, 'Bitcoin'), await mergedItem(api, 'Bitcoin')]
  const other = await mergedItem(api, 'Bitcoin')
  for (const id of ['emptied', 'kept']) await add('folders', { id, user_id: userId, blockchain: 'Bitcoin' })
  const put = (folder: string, id: string) =>
    env.DB.prepare('UPDATE items SET folder_id = ? WHERE id = ?').bind(folder, id).run()
  await put('emptied', first)
  await put('kept', second)
  await put('kept', other)
  const opened = await openRequest(noted().context, { userId, target: 'Bitcoin', ids: [first, second] })
  if (opened.state !== 'waiting') throw new Error(opened.state)
  expect(await cancelRequest(noted().context, userId, opened.request.address)).toEqual({ kept: false })
  expect(await list('folders', 'id')).toEqual(['kept'])
})
