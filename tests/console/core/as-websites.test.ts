import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asWebsites, estimatedSizes, storedOn } from '../../../console/core/as-websites.ts'
import { carOf } from '../../kit/car-of.ts'

const file = (path: string, size: number, mimetype = 'image/png') => {
  return { path, size, mimetype, lastModified: 0, source: undefined }
}

it('counts a website as no fewer bytes than it has, and not as many more than its names and entries', async () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '漁', '-'), minLength: 1, maxLength: 40 })
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
  // No file's path is a folder of another.
  const files = fc.uniqueArray(fc.tuple(path, fc.string({ maxLength: 200 })), {
    maxLength: 30,
    minLength: 1,
    selector: ([path]) => path,
  })
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      const contents = Object.fromEntries(all.map(([path, text], index) => [`${path}.${index}`, text]))
      const chosen = Object.entries(contents).map(([path, text]) => {
        return file(`site/${path}`, new TextEncoder().encode(text).length)
      })
      const [website] = asWebsites(chosen, undefined).files
      const { length } = await carOf(contents)
      expect(website?.size).toBeGreaterThanOrEqual(length)
      expect(website?.size).toBeLessThan(length * 6 + 2000)
    }),
  )
})

it('keeps files outside of folders as they are, and adds what is stored of those within', () => {
  const chosen = [file('site/a.png', 1000), file('site/b.html', 1000, 'text/html'), file('x.txt', 10, 'text/plain')]
  const { files, stored } = asWebsites(chosen, [1000, 100, 8])
  expect(files.map(({ path }) => path)).toEqual(['site', 'x.txt'])
  expect(stored?.[1]).toBe(8)
  const around = (files[0]?.size ?? 0) - 2000
  expect(stored?.[0]).toBe(1100 + around)
  expect(estimatedSizes({ files, stored: undefined }, { maxDataBytes: 80 })).toMatchObject([
    { size: 2000 + around },
    { size: 10 },
  ])
})

it('counts what compressing hardly shortens as it is stored uncompressed, in several transactions', () => {
  const target = { maxFileBytes: 2 ** 24, maxIncompressibleBytes: 2 ** 24, maxDataBytes: 100_000 }
  const picture = (size: number, compressed: number) =>
    storedOn({ files: [file('a.png', size)], stored: [compressed] }, target).stored
  const headers = 22 + 3 + 1
  expect(picture(190_000, 186_000)).toEqual([190_000 + headers])
  expect(picture(190_000, 180_000)).toEqual([180_000])
  expect(picture(90_000, 89_000)).toEqual([89_000])
})

it('holds a folder of which nothing can be compressed to be so', () => {
  const mimetypeOf = (...mimetypes: string[]) =>
    asWebsites(
      mimetypes.map((mimetype, index) => file(`site/${index}`, 1, mimetype)),
      undefined,
    ).files[0]?.mimetype
  expect(mimetypeOf('image/png', 'video/mp4')).toBe('application/vnd.ipld.car')
  expect(mimetypeOf('image/png', 'text/css')).toBe('text/html')
})
