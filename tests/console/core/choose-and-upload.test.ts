import { describe, expect, it } from 'vitest'
import { isStalled, markProgress } from '../../../console/core/blocks-without.ts'
import {
  addFiles,
  crowdedFolder,
  findIndex,
  keepOnly,
  leftOutByDefault,
  misplacedFiles,
  oversizedFiles,
  topEntries,
  withoutPath,
} from '../../../console/core/chosen-files.ts'
import { mayMatch, type Order, type OrderItem, orderStep } from '../../../console/core/order.ts'
import { addSample, quarterOf, type Sample, uploadRate } from '../../../console/core/upload-rate.ts'
import { inGroups } from '../../../reader/in-groups.ts'

const file = (path: string, size = 10) => ({ path, size, mimetype: 'text/plain', lastModified: 0, source: undefined })

describe('what was chosen', () => {
  it('console 4: keeps equal files of two folders, and takes the later of one path', () => {
    const files = addFiles([file('a/x.txt'), file('b/x.txt')], [file('a/x.txt', 11)])
    expect(files.map(({ path, size }) => `${path} ${size}`)).toEqual(['a/x.txt 11', 'b/x.txt 10'])
  })
  it('console 5: leaves out hidden files and node_modules, and keeps .well-known and files of 0 bytes', () => {
    expect(leftOutByDefault(file('site/.env'))).toBe('hidden')
    expect(leftOutByDefault(file('.git/config'))).toBe('hidden')
    expect(leftOutByDefault(file('site/node_modules/a.js'))).toBe('dependencies')
    for (const path of ['site/__MACOSX/._a', 'site/Thumbs.db', 'desktop.ini', 'site/._a.html', 'site/.DS_Store'])
      expect(leftOutByDefault(file(path))).toBe('desktop')
    expect(leftOutByDefault(file('a.txt', 0))).toBeUndefined()
    expect(leftOutByDefault(file('site/.well-known/security.txt'))).toBeUndefined()
  })
  it('console 7: finds the one sub-folder that has an index.html', () => {
    const files = [file('repo/readme.md'), file('repo/dist/index.html'), file('repo/dist/a/index.html')]
    expect(findIndex(files, 'repo')).toEqual({ index: false, instead: 'repo/dist' })
    expect(keepOnly(files, 'repo', 'repo/dist').map(({ path }) => path)).toEqual([
      'dist/index.html',
      'dist/a/index.html',
    ])
    expect(findIndex([file('repo/a/index.html'), file('repo/b/index.html')], 'repo').instead).toBeUndefined()
  })
  it.each(['index.htm', 'Index.html', 'INDEX.HTM', 'default.htm', 'Default.html'])(
    'takes %s for a first page',
    (name) => {
      expect(findIndex([file('repo/a.txt'), file(`repo/${name}`)], 'repo')).toEqual({ index: true, instead: undefined })
      expect(findIndex([file('repo/a.txt'), file(`repo/b/c/${name}`)], 'repo').instead).toBe('repo/b/c')
      expect(findIndex([file(`repo/x${name}`)], 'repo')).toEqual({ index: false, instead: undefined })
    },
  )
  it('console 9: refuses every file that does not fit at once, each with its own reason', () => {
    const files = [file('big', 101), file('fits', 100), file('empty', 0), file('n'.repeat(256))]
    const refused = [
      ...oversizedFiles(files, { maxFileBytes: 100, maxIncompressibleBytes: 100, maxDataBytes: null }),
      ...misplacedFiles(files),
    ]
    expect(refused.map(({ reason }) => reason)).toEqual(['too_large', 'name'])
  })
  it('refuses a file in more folders than the service takes, wherever it is to be stored', () => {
    const below = (levels: number) => `${Array.from({ length: levels }, (_, index) => index).join('/')}/x`
    expect(misplacedFiles([file(below(32)), file(below(33))])).toEqual([
      { path: below(33), size: 10, reason: 'deep', limit: 32 },
    ])
  })
  it('finds the folder that has more files than one directory', () => {
    const many = (count: number, folder: string) =>
      Array.from({ length: count }, (_, index) => file(`${folder}/${index}`))
    expect(crowdedFolder([...many(2000, 'a'), ...many(2000, 'b'), file('c')])).toBeUndefined()
    expect(crowdedFolder([...many(2000, 'a'), ...many(2001, 'b')])).toMatchObject({ name: 'b', files: 2001 })
  })
  it('shows a folder as one row with all that is below it', () => {
    const [folder, single] = topEntries([file('f/a'), file('f/g/b'), file('f/g/h/c'), file('x')])
    expect(folder).toMatchObject({ name: 'f', folder: true, files: 3, folders: 2, bytes: 30 })
    expect(single).toMatchObject({ name: 'x', folder: false, files: 1 })
    expect(withoutPath([file('f/a'), file('fa')], 'f').map(({ path }) => path)).toEqual(['fa'])
  })
})

describe('how fast', () => {
  it('console 12: tells rate and time left from acknowledged bytes of the last seconds only', () => {
    let samples: readonly Sample[] = []
    for (let at = 0; at <= 60_000; at += 1000) samples = addSample(samples, { at, received: at * 10 })
    expect(samples.length).toBeLessThanOrEqual(16)
    expect(uploadRate(samples, 700_000)).toEqual({ rate: 10_000, secondsLeft: 10 })
    expect(uploadRate([{ at: 0, received: 0 }], 10)).toBeUndefined()
  })
  it('console 37: reaches each quarter once', () => {
    expect([0, 24, 25, 50, 99, 100].map((held) => quarterOf(held, 100))).toEqual([0, 0, 1, 2, 3, 4])
  })
})

describe('an order', () => {
  const item = (state: OrderItem['state']): OrderItem => ({
    id: state,
    name: 'a',
    size: 1,
    state,
    message: undefined,
    transactions: 1,
    written: 0,
    confirmed: 0,
  })
  const order = (states: Order['files'][number]['state'][], ofItems: OrderItem['state'][]): Order => ({
    id: 'o',
    account: 'u',
    blockchain: 'Nativecoin',
    createdAt: 0,
    files: states.map((state, index) => ({ ...file(`f${index}`), state, id: undefined, held: 0, problem: undefined })),
    items: ofItems.map(item),
    payments: [],
    paused: false,
  })
  it('goes from upload by preparing, paying and writing to done', () => {
    expect(orderStep(order(['uploading', 'uploaded'], []))).toBe('upload')
    expect(orderStep(order(['uploaded'], []))).toBe('prepare')
    expect(orderStep(order(['uploaded'], ['uploading', 'unpaid']))).toBe('prepare')
    expect(orderStep(order(['uploaded'], ['unpaid', 'stored']))).toBe('pay')
    expect(orderStep(order(['uploaded'], ['writing', 'stored']))).toBe('write')
    expect(orderStep(order(['uploaded'], ['stopped']))).toBe('write')
    expect(orderStep(order(['uploaded'], ['unknown', 'stored']))).toBe('write')
    expect(orderStep(order(['uploaded'], ['stored']))).toBe('done')
  })
  it('is held by a file that failed, not by one that was left out, and not done when all were refused', () => {
    expect(orderStep(order(['failed', 'uploaded'], []))).toBe('upload')
    expect(orderStep(order(['removed', 'uploaded'], ['unpaid']))).toBe('pay')
    expect(orderStep(order(['uploaded'], ['refused']))).toBe('prepare')
    expect(orderStep(order(['uploaded', 'uploaded'], ['refused', 'stored']))).toBe('done')
  })
  it('pays 10,000 items in groups of 200 without losing one', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => index)
    const groups = inGroups(ids, 200)
    expect(groups).toHaveLength(50)
    expect(groups.flat()).toEqual(ids)
  })
  it('console 16: takes a file for the interrupted one by name and size, whatever its folder here', () => {
    expect(mayMatch(file('else/film.mp4', 7), { name: 'film.mp4', size: 7 })).toBe(true)
    expect(mayMatch(file('film.mp4', 8), { name: 'film.mp4', size: 7 })).toBe(false)
  })
})

describe('blocks without progress', () => {
  const mark = { written: 3, confirmed: 2, depth: 10 }
  it('console 29: are counted from the last one that brought something, and said from six on', () => {
    expect(isStalled(mark, 15)).toBe(false)
    expect(isStalled(mark, 16)).toBe(true)
    expect(markProgress(mark, { written: 3, confirmed: 2, depth: 16 })).toBe(mark)
    expect(markProgress(mark, { written: 3, confirmed: 3, depth: 16 }).depth).toBe(16)
  })
  it('are counted anew where a reorganisation made the payment less deep', () => {
    expect(markProgress(mark, { written: 3, confirmed: 2, depth: 8 }).depth).toBe(8)
    expect(markProgress(undefined, mark)).toBe(mark)
  })
})
