import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { signIn } from '../../../sign-in.ts'
import { callApi, uploadItem } from '../api.ts'

/** Folders that are each other's only content, and how many such there are beside each other. */
const [DEEP, WIDE] = [76, 100]
/** Each is a block of its own, but the last of them, in which nothing is; the root and its file are two. */
const BLOCKS = (DEEP - 1) * WIDE + 3

it('a folder of more blocks than a website may have is refused before anything is paid, and IPFS is named', {
  timeout: 300_000,
}, async () => {
  const { headers, userId } = await signIn()
  const api = callApi(headers)
  const made = await api.sendJson('POST', '/folder', { name: 'deep', blockchain: 'Nativecoin' })
  const { id: root }: { id: string } = await made.json()
  await uploadItem(api, new Uint8Array(9), { name: 'index.html', blockchain: 'Nativecoin', folder: root })
  for (let depth = 0; depth < DEEP; depth++) {
    await env.DB.prepare(
      `WITH RECURSIVE beside (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM beside WHERE n < ?4)
       INSERT INTO folders (id, user_id, parent_id, name, blockchain, created_at)
       SELECT ?1 || n || '-' || ?3, ?2, IIF(?3 = 0, ?1, ?1 || n || '-' || (?3 - 1)), 'f' || n, 'Nativecoin', ?5 FROM beside`,
    )
      .bind(root, userId, depth, WIDE - 1, Date.now())
      .run()
  }
  let merged = await api.send('POST', `/folder/${root}/merge`)
  while (merged.status === 202) {
    await scheduler.wait(200)
    merged = await api.send('POST', `/folder/${root}/merge`)
  }
  expect(merged.status).toBe(422)
  expect(await merged.json()).toMatchObject({
    code: 'content_too_large',
    message: `As one website the folder has ${BLOCKS} blocks; 7500 is the limit on Nativecoin. IPFS would take it.`,
  })
})
