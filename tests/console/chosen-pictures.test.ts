import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

/** A picture of one pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')

it('a chosen picture has a thumbnail, and an icon where it is none that a browser can show', async () => {
  await page.goto(`${server.origin}/console/store`)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', [
    { name: 'dot.gif', mimeType: 'image/gif', buffer: GIF },
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('none') },
    { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('x') },
  ])
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('dot.gif').locator('img.thumbnail').waitFor()
  const width = () =>
    row('dot.gif')
      .locator('img')
      .evaluate((picture) => Reflect.get(picture, 'naturalWidth'))
  await expect.poll(width).toBe(1)
  for (const name of ['broken.png', 'letter.txt']) {
    await row(name).locator('svg.i').first().waitFor()
    await expect.poll(() => row(name).locator('img').count()).toBe(0)
  }
})
