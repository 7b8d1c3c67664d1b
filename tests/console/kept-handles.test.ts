import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dropFiles } from '../kit/drop-files.ts'
import { upload } from '../kit/use-console.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

/** What the browser stored of orders, and whether it includes bytes of files. */
function storedOrders(): Promise<{ orders: number; handles: number; bytes: boolean }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('hookline-console')
        opening.onsuccess = () => {
          const reading = opening.result.transaction('orders').objectStore('orders').getAll()
          reading.onsuccess = () => {
            const handles = reading.result.flatMap((each: { handles: object }) => Object.values(each.handles))
            const holdsBytes = (value: unknown): boolean =>
              value instanceof Blob ||
              value instanceof ArrayBuffer ||
              ArrayBuffer.isView(value) ||
              (typeof value === 'object' && value !== null && Object.values(value).some(holdsBytes))
            resolve({ orders: reading.result.length, handles: handles.length, bytes: holdsBytes(reading.result) })
            opening.result.close()
          }
        }
      }),
  )
}

it('console 17: goes on after a reload with one press, by a handle and no copy of the bytes', async () => {
  // A test cannot press a button in the browser's own permission dialog.
  await context.addInitScript(() => {
    let allowed = false
    Reflect.set(FileSystemHandle.prototype, 'queryPermission', async () => (allowed ? 'granted' : 'prompt'))
    Reflect.set(FileSystemHandle.prototype, 'requestPermission', async () => {
      allowed = navigator.userActivation.isActive
      return allowed ? 'granted' : 'denied'
    })
  })
  const folder = await mkdtemp(join(tmpdir(), 'hookline-drop-'))
  const path = join(folder, 'tides.txt')
  await writeFile(path, 'High at six.\n'.repeat(100))
  server.refuse('POST', /^\/v0\/item$/, { status: 503, code: 'busy', retryAfter: 600 })
  await page.goto(`${server.origin}/console/store`)
  await dropFiles(page, page.getByRole('region', { name: 'Drop files or folders here' }), [path])
  await upload(page)
  await page.getByText('The service is busy.').waitFor()
  await expect.poll(storedOrders).toEqual({ orders: 1, handles: 1, bytes: false })

  server.allowAll()
  await page.reload()
  await page.getByText('1 file can be read again once you allow it.').waitFor()
  await page.getByRole('button', { name: 'Allow and go on' }).click()
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  const [item] = server.state.items.values()
  expect(item?.bytes.toString()).toBe('High at six.\n'.repeat(100))
  await rm(folder, { recursive: true })
})
