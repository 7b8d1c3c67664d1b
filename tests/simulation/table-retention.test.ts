import { expect, it } from 'vitest'
import { SMALL_TABLES, TABLE_RETENTION } from '../../worker/platform/d1/table-retention.ts'
import { MemoryD1 } from '../kit/in-process/memory-d1.ts'
import { bytesOfRow } from './typical-rows.ts'

it('every table of the database is one that does not grow, or is listed with its bytes a row and a keeping time', () => {
  const made = new MemoryD1()
    .rows(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .map(({ name }) => String(name))
    .filter((name) => !/^item_words_/.test(name))
  expect([...Object.keys(TABLE_RETENTION), ...SMALL_TABLES].sort()).toEqual(made.sort())
})

it.each(Object.entries(TABLE_RETENTION))('a row of %s takes about as many bytes as is said', (table, { bytes }) => {
  const measured = bytesOfRow(new MemoryD1(), table)
  expect(measured).toBeGreaterThan(0.8 * bytes)
  expect(measured).toBeLessThan(1.2 * bytes)
})
