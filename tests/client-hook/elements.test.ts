import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeContent } from '../e2e/store-content.ts'
import { fill, type Lab, openLab } from './lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

const picture = readFileSync(new URL('../../examples/picture.jpg', import.meta.url))

describe('an element on a page', () => {
  it('shows a picture from a chain', async () => {
    const txids = storeContent(lab.worker, 'Nativecoin', picture)
    const page = await lab.open(
      `<img id="a" class="Nativecoin" type="blob" data-mimetype="image/jpeg" data-src="${txids}">`,
    )
    expect(await fill(page, 'Nativecoin')).toEqual([{ id: 'a', status: 'filled', state: 'ready' }])
    expect(await page.evaluate(() => document.querySelector('img')?.naturalWidth)).toBe(1280)
  })
})
