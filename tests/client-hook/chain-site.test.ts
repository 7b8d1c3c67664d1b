import { describe, expect, it } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const FILES = {
  'index.html':
    '<!doctype html><title>home</title><script src="app/main.js"></script><a id="go" href="guide/">guide</a>',
  'app/main.js': 'document.title += ", runs"',
  'guide/index.html': '<!doctype html><title>guide</title><link rel="stylesheet" href="../look.css"><p>read</p>',
  'look.css': 'p { color: rgb(1, 2, 3) }',
}

const frame = (content: Uint8Array | string, attributes = '') =>
  `<iframe class="Nativecoin" type="blob" data-mimetype="text/html" ${attributes}
     data-src="${storeContent(lab.worker, 'Nativecoin', content)}"></iframe>`

describe('a website on a chain', () => {
  it('runs in a frame with its scripts and styles, and its links open its other pages', async () => {
    const page = await lab.open(frame(await carOf(FILES)))
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    const inside = page.frameLocator('iframe').frameLocator('iframe')
    await inside.locator('#go').waitFor()
    expect(await page.frames()[2]?.title()).toBe('home, runs')
    await inside.locator('#go').click()
    await inside.getByText('read').waitFor()
    expect(
      await page.frames()[2]?.evaluate(() => getComputedStyle(document.querySelector('p') ?? document.body).color),
    ).toBe('rgb(1, 2, 3)')
  })

  it('opens at the page that data-path names, and at another when that changes', async () => {
    const page = await lab.open(frame(await carOf(FILES), 'data-path="guide/index.html"'))
    await fill(page, 'Nativecoin')
    await page.frameLocator('iframe').frameLocator('iframe').getByText('read').waitFor()
    await page.evaluate(() => document.querySelector('iframe')?.setAttribute('data-path', ''))
    await fill(page, 'Nativecoin')
    await page.frameLocator('iframe').frameLocator('iframe').locator('#go').waitFor()
  })

  it('gives elements that show no page the file that data-path names', async () => {
    const src = storeContent(lab.worker, 'Nativecoin', await carOf(FILES))
    const page = await lab.open(
      `<p class="Nativecoin" data-mimetype="text/css" data-path="look.css" data-src="${src}"></p>`,
    )
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.locator('p').textContent()).toBe(FILES['look.css'])
  })

  it.each([
    [
      'a byte order mark before what it declares',
      '\ufeff<!doctype html><meta charset="iso-8859-1">',
      'utf8',
      'CSS1Compat',
    ],
    ['ISO-8859-1', '<meta charset="iso-8859-1">', 'latin1', 'BackCompat'],
    [
      'a doctype of quirks',
      '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><meta charset="utf-8">',
      'utf8',
      'BackCompat',
    ],
  ] as const)('keeps the encoding and the mode of its pages: %s', async (_, start, encoding, mode) => {
    const text = `${start}<title>gr\u00fc\u00dfe</title><p>page`
    const page = await lab.open(frame(await carOf({ 'index.html': Buffer.from(text, encoding) })))
    await fill(page, 'Nativecoin')
    await page.frameLocator('iframe').frameLocator('iframe').locator('p').waitFor()
    expect(await page.frames()[2]?.evaluate(() => [document.title, document.compatMode])).toEqual([
      'gr\u00fc\u00dfe',
      mode,
    ])
  })

  it('fails where nothing is at the path', async () => {
    const page = await lab.open(frame(await carOf(FILES), 'data-path="nowhere.html"'))
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'failed', code: 'not_found' }])
  })

  it('is the bytes that it is where one block is not what its CID says', async () => {
    const car = await carOf({ 'index.html': '<!doctype html><title>altered</title>' })
    const at = Buffer.from(car).indexOf('altered')
    car.set(new TextEncoder().encode('ALTERED'), at)
    const page = await lab.open(frame(car))
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    expect(await page.frames()[1]?.evaluate(() => document.body.textContent)).toContain('roots')
  })
})
